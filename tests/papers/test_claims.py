"""Claims of the papers that a run decides without being a curve."""

import polars as pl
import pytest

from winf_analyzer._papers.reproductions._worlds import offered_max_min
from winf_analyzer._replay import replay


@pytest.mark.parametrize(
    ("name", "congested"),
    [("stack", {"4 > 5"}), ("diamond", set()), ("half_diamond", set()), ("chain_cross", {"1 > 2"})],
)
def test_links_that_are_congested_at_the_max_min_rates(name, congested):
    """S003 has 4-5 in Stack, 1-2 and 7-8 in Diamond, 4-5 and 7-8 in Half-Diamond, 1-2, 4-5 and 4-3 in Chain-Cross."""
    links = replay(topology=offered_max_min(name, 1.0, 1, 20), controllers=["new_reno"]).links
    used = links.group_by("link").agg(pl.col("utilisation").mean()).collect()
    assert set(used.filter(pl.col("utilisation") > 0.95)["link"]) == congested
