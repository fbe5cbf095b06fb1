"""The correction at a window's load, from those of levels of load, and hidden TCP flows that yield or go on."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.contention import correction

LINK = {"medium": 0, "sender": "a", "receiver": "b"}


def at(load, *levels):
    """The correction at a load, in the level that is nearest below it; `levels`: loads of others and corrections."""
    rows = [LINK | {"level": n, "others_at": x, "correction": y} for n, (x, y) in enumerate(levels)]
    found = correction._with_neighbours(pl.DataFrame(rows, schema_overrides={"others_at": pl.Float64}))
    level = max((n for n, (x, _) in enumerate(levels) if x <= load), default=0)
    return found.filter(level=level).select(correction.at_load(pl.lit(load))).item()


@pytest.mark.parametrize(("load", "expected"), [(0.0, 1.0), (0.1, 0.9), (0.2, 0.8), (0.3, 0.6), (0.4, 0.4), (0.9, 0.4)])
def test_between_loads_that_were_simulated_it_is_on_a_straight_line(load, expected):
    """Without others the fixed point is right; beyond the highest level nothing is presumed."""
    assert at(load, (0.2, 0.8), (0.4, 0.4)) == pytest.approx(expected)


def test_levels_of_one_load_have_their_own():
    assert at(0.2, (0.2, 0.8), (0.2, 0.6)) == 0.6
    assert at(0.0, (0.0, 0.8)) == 0.8


@pytest.mark.parametrize(("dropped", "silent"), [(0.0, 0.0), (0.4, 0.5)])
def test_a_hidden_tcp_flow_is_silent_for_as_long_as_its_losses_say(dropped, silent, monkeypatch):
    """100 packets per second beside the flow, 300 without it."""

    def persisting(stations):
        flow = stations.filter(pl.col("packets_per_s") > 0, ~pl.col("subject")).height
        return pl.DataFrame({"case": [0], "delivered_per_s": [100.0 if flow else 300.0], "retries": 0.0, "drawn": 0.0})

    monkeypatch.setattr(correction, "_persisting", persisting)
    monkeypatch.setattr(correction, "_dropped", lambda *_: pl.DataFrame({"case": [0], "dropped": [dropped]}))
    rows = [{"sender": "a", "subject": True, "hidden": False}, {"sender": "c", "subject": False, "hidden": True}]
    stations = pl.DataFrame(rows).with_columns(case=pl.lit(0), medium=pl.lit(0), packets_per_s=pl.lit(50.0))
    acks = pl.DataFrame({"medium": [0], "sender": ["b"], "leader": ["c"], "share": [1.0]})
    found = correction._simulated(stations, acks).row(0, named=True)
    mean = 100 + 200 * silent
    assert found["delivered_per_s"] == pytest.approx(mean)
    assert found["yields"] == pytest.approx((silent * (1 - silent)) ** 0.5 * 200 / mean)
    # Without such a flow nothing changes.
    assert correction._simulated(stations, acks.clear())["yields"].item() == 0
