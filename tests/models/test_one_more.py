"""Stations beside one more that sends: simulated once, whatever their addresses."""

import polars as pl
from test_expected_collisions import senders

from winf_analyzer._models.saturation.solvers import dcf_monte_carlo
from winf_analyzer._models.saturation.waits import one_more


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
