"""Stations beside one more that sends: simulated once, whatever their addresses."""

import polars as pl
from test_expected_collisions import senders

from winf_analyzer._models.saturation.solvers import dcf_monte_carlo
from winf_analyzer._models.saturation.waits import late_repetitions, one_more


def test_stations_that_are_alike_are_simulated_once_whatever_their_addresses(monkeypatch):
    simulated, simulate = [], dcf_monte_carlo.simulate
    monkeypatch.setattr(
        dcf_monte_carlo, "simulate", lambda rows, **options: (simulated.append(rows), simulate(rows, **options))[1]
    )
    one_more._outcome.cache_clear()
    stations = senders(41.0, 17.0).with_columns(subject=pl.lit(value=False), variation=pl.lit(1.0))
    found = [one_more.together(stations.with_columns(pl.col("sender") + name)) for name in ("", "a", "b")]
    assert len(simulated) == 1
    assert [set(rows["sender"]) for rows in found] == [{"41", "17"}, {"41a", "17a"}, {"41b", "17b"}]
    rates = [dict(rows.select(pl.col("sender").str.slice(0, 2), "packets_per_s").iter_rows()) for rows in found]
    assert rates == [{"41": 41.0, "17": 17.0}] * 3
    other = one_more.together(stations.with_columns(packets_per_s=pl.lit(5.0)))
    assert len(simulated) == 2
    assert other["packets_per_s"].to_list() == [5.0, 5.0]


def test_collisions_beside_it_are_found_once_for_media_that_are_alike(monkeypatch):
    asked, simulated = [], one_more.simulated_at_once
    monkeypatch.setattr(one_more, "simulated_at_once", lambda *given: (asked.append(given), simulated(*given))[1])
    late_repetitions._collisions.cache_clear()
    told = {"heard_share": 1.0, "aggregates": False, "air_ns": 1, "late": 0.5, "came": 3.0}
    told |= {"answers": 50.0, "answer_off": 0.0, "answer_missed": 0.0}
    stations = senders(41.0, 17.0).with_columns(pl.lit(value).alias(name) for name, value in told.items())
    moved = stations.with_columns(pl.col("sender") + "x", medium=7, late=0.1, came=4.0)
    first = late_repetitions.collisions(stations, "41", 1e-3)
    assert max(count for _, count in first) > 0
    assert late_repetitions.collisions(moved, "41x", 1e-3) == first
    assert len(asked) == 1
    assert late_repetitions.collisions(moved, "17x", 1e-3) != first, "another of them recorded"
    assert late_repetitions.collisions(moved, None, 1e-3) != first
    assert late_repetitions.collisions(stations, "41", 2e-3) != first
    assert len(asked) == 4


def test_shares_are_simulated_at_once_as_one_by_one(monkeypatch):
    simulated, simulate = [], dcf_monte_carlo.simulate
    monkeypatch.setattr(
        dcf_monte_carlo, "simulate", lambda rows, **options: (simulated.append(rows), simulate(rows, **options))[1]
    )
    one_more._outcome.cache_clear()
    stations, shares = senders(41.0, 17.0), (1e-9, *one_more.SHARES)
    at_once = one_more.simulated_at_once(stations, stations[:1], 1e-3, shares)
    assert len(simulated) == 1
    one_by_one = list(one_more.simulated(stations, stations[:1], 1e-3, shares))
    assert len(simulated) == 1 + len(one_by_one)
    assert [share for share, _ in at_once] == [share for share, _ in one_by_one]
    for (_, found), (_, alone) in zip(at_once, one_by_one, strict=True):
        assert found.drop("case").equals(alone.drop("case"))
