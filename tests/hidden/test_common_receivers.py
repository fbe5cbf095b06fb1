"""The receiver that two stations have in common, and what finding it costs."""

from __future__ import annotations

from itertools import product

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from winf_analyzer._hidden import evidence

STATIONS = ("a", "b", "c", "d", "e")
LINKS = st.lists(
    st.tuples(st.sampled_from(STATIONS), st.sampled_from((*STATIONS, None)), st.integers(0, 3)), max_size=30
)
PAIRS = st.lists(st.tuples(st.sampled_from(STATIONS), st.sampled_from(STATIONS)), max_size=10)


def table(links):
    return pl.DataFrame(links, schema={"sender": pl.String, "receiver": pl.String, "attempts": pl.Int64}, orient="row")


def plainly(links, pairs):
    tried: dict[tuple[str, str], int] = {}
    for sender, receiver, attempts in links:
        if attempts and receiver is not None:
            tried[sender, receiver] = tried.get((sender, receiver), 0) + attempts
    found = {}
    for sender, other in set(pairs):
        shared = [(-tried[sender, to], to) for to in STATIONS if (sender, to) in tried and (other, to) in tried]
        if shared and sender != other:
            found[sender, other] = min(shared)[1]
    return found


@given(LINKS, PAIRS)
def test_it_is_the_one_that_the_sender_tries_most(links, pairs):
    asked = pl.DataFrame(pairs, schema={"sender": pl.String, "other": pl.String}, orient="row")
    found = evidence.common_receivers(table(links), asked)
    assert {(sender, other): to for sender, other, to in found.iter_rows()} == plainly(links, pairs)


def test_the_pairs_of_an_access_point_with_many_stations_are_not_made():
    """All pairs of these stations would be 4 * 10^10 rows."""
    stations = [f"s{number}" for number in range(200_000)]
    links = table([(name, "ap", 1) for name in stations] + [("ap", name, 1) for name in stations])
    asked = pl.DataFrame({"sender": [*stations[:-1], *["ap"] * 1000], "other": [*stations[1:], *stations[:1000]]})
    assert evidence.common_receivers(links, asked).height == len(stations) - 1


def test_product_of_small_sets_is_complete():
    links = [(sender, to, 1) for sender, to in product("abc", "xy")]
    asked = pl.DataFrame({"sender": ["a", "b"], "other": ["b", "c"]})
    assert evidence.common_receivers(table(links), asked).sort("sender").rows() == [("a", "b", "x"), ("b", "c", "x")]
