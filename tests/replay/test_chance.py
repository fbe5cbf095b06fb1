"""Whether chance decides what flows get: told from runs that differ in their seed alone."""

from __future__ import annotations

import polars as pl
import pytest
from folders import SAMPLES

import winf_analyzer
from winf_analyzer._replay import chance


def rows(**flows):
    return pl.concat(
        pl.DataFrame({"controller": "bbr", "mode": "corrected", "flow": flow, "seed": seed, "throughput_bps": bps})
        for flow, values in flows.items()
        for seed, bps in enumerate(values, start=1)
    )


CALM = [1.00e6, 1.05e6, 0.95e6, 1.02e6, 0.98e6]
WILD = [1.00e6, 0.30e6, 1.90e6, 1.50e6, 0.40e6]
STARVED = [1e3, 5e3, 9e3, 0.0, 2e3]


def test_a_flow_that_scatters_is_named_with_its_least_and_its_most():
    found = chance.scattered(rows(calm=CALM, wild=WILD))
    assert found.rows() == [("bbr", "corrected", "wild", 5, 0.3e6, 1.9e6)]
    (note,) = chance.notes(found)
    assert note.startswith("bbr (corrected): chance decides; 5 runs")
    assert "wild 0.30 to 1.90 Mbit/s" in note
    assert "calm" not in note


def test_a_tenth_of_the_mean_is_the_bound():
    assert chance.scattered(rows(a=[1e6 - 0.11e6, 1e6 + 0.11e6, 1e6])).height == 1, "a deviation of 0.11"
    assert chance.scattered(rows(a=[1e6 - 0.09e6, 1e6 + 0.09e6, 1e6])).is_empty()


def test_flows_that_starve_and_single_runs_say_nothing():
    assert chance.scattered(rows(calm=CALM, starved=STARVED)).is_empty()
    assert chance.scattered(rows(calm=CALM[:1], wild=WILD[:1])).is_empty()
    assert chance.notes(chance.scattered(rows(calm=CALM))) == []


def test_a_controller_is_suspected_by_its_own_draws():
    calm = rows(a=CALM).with_columns(controller=pl.lit("cubic"))
    assert chance.suspects(pl.concat([rows(a=CALM, b=WILD), calm])).rows() == [("bbr", "corrected")]


@pytest.mark.parametrize(
    ("seeds", "more"), [([1], [2, 3, 4, 5]), ([3, 1], [2, 4, 5]), ([7, 9], [1, 2, 3]), (list(range(1, 7)), [])]
)
def test_five_seeds_tell_scatter(seeds, more):
    assert chance.further(seeds) == more


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return winf_analyzer.ingest([SAMPLES / "ns3_tcp" / "recording"], tmp_path_factory.mktemp("chance") / "d")


def test_a_replay_of_a_single_flow_says_nothing_of_chance(dataset):
    replay = winf_analyzer.replay(dataset, controllers=["new_reno"], draws=5, duration="2s")
    assert replay.by_chance.is_empty()
    assert not [note for note in replay.notes if "chance" in note]


def test_further_seeds_are_those_of_the_same_world(dataset, monkeypatch):
    monkeypatch.setattr(chance, "SCATTER", 0.0)
    replay = winf_analyzer.replay(dataset, controllers=["new_reno", "cubic"], draws=5, duration="2s")
    seeds = winf_analyzer.replay(dataset, controllers=["new_reno", "cubic"], draws=0, duration="2s", seeds=5)
    ends = seeds.summary.group_by("controller", maintain_order=True).agg(
        low_bps=pl.col("throughput_bps").min(), high_bps=pl.col("throughput_bps").max()
    )
    assert replay.by_chance.select("controller", "low_bps", "high_bps").rows() == ends.rows()
    assert replay.by_chance["runs"].to_list() == [5, 5]
    assert sum("chance decides; 5 runs" in note for note in replay.notes) == 2
    assert winf_analyzer.replay(dataset, controllers=["new_reno"], draws=0, duration="2s").by_chance is None
