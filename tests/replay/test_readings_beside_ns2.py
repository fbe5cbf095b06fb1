"""S004's kappa and the loads of S000's collision term beside what ns-2 recorded."""

from __future__ import annotations

import polars as pl
import pytest

import winf_analyzer
from benchmarks.replay import collision_term_ns2, kappa_ns2
from benchmarks.replay.engine import mean
from benchmarks.replay.loads import FACTORS, SCENES, as_tcl, loaded
from benchmarks.replay.reference.record_loads_ns2 import SEEDS as LOAD_SEEDS
from benchmarks.replay.reference.record_loads_ns2 import _measured
from benchmarks.replay.reference.record_xcp_b_ns2 import HOPS, LEFT_OUT_S, READINGS, SEEDS, Reading
from benchmarks.replay.worlds import chain
from benchmarks.replay.xcp_b_multihop import CHAIN_S, SEGMENT

STILL = {scene.name: scene for scene in SCENES if scene.routes == "held"}


def window_packets(reading: Reading, hops: int) -> float:
    queue = {"kappa_packets": 1.0, "kappa_packet_bytes": reading.kappa_bytes, "least_over": reading.span}
    world = {**chain(hops, CHAIN_S), "congestion_headers": "free"}
    run = winf_analyzer.replay(
        topology=world, controllers=["xcp_b"], mode="paper", settings={"xcp_b": {"queue": queue}}, seeds=[1]
    )
    bins = run.flows.collect().filter(pl.col("t_ns") >= LEFT_OUT_S * 10**9)
    return mean(bins["window_bytes"]) / SEGMENT


def test_windows_of_each_reading_are_those_of_ns2():
    there = kappa_ns2.of_ns2()
    for reading in READINGS[:2]:
        for hops in (1, 4):
            expected = mean(there[reading][hops]["window_packets"])
            assert window_packets(reading, hops) == pytest.approx(expected, rel=kappa_ns2.WITHIN_NS2)


def test_what_ns2_recorded_of_kappa_is_complete():
    there = kappa_ns2.of_ns2()
    assert {(reading, hops) for reading in there for hops in there[reading]} == {
        (reading, hops) for reading in READINGS for hops in HOPS
    }
    assert {len(values) for by_hops in there.values() for runs in by_hops.values() for values in runs.values()} == {
        len(SEEDS)
    }


def test_three_large_packets_keep_larger_windows_than_three_of_the_mean_size_in_ns2():
    small, large = (kappa_ns2.of_ns2()[reading] for reading in READINGS[:2])
    assert all(mean(large[hops]["window_packets"]) > mean(small[hops]["window_packets"]) for hops in HOPS)


@pytest.mark.parametrize("name", sorted(STILL))
def test_throughput_at_loads_that_are_carried_and_at_the_largest_is_that_of_ns2(name):
    scene, there = STILL[name], collision_term_ns2.of_ns2()[name]
    for factor in (0.85, 4.25):
        world = {**loaded(scene, factor, 1), "congestion_headers": "free"}
        rows = winf_analyzer.replay(topology=world, controllers=["new_reno"], seeds=[1]).flows.collect()
        kept = rows.filter(pl.col("t_ns") >= scene.left_out_s * 10**9)
        carried = kept.group_by("t_ns").agg(pl.col("throughput_bps").sum())["throughput_bps"].mean() / 1e3
        assert carried == pytest.approx(there[factor]["throughput_kbps"], rel=0.06), factor


def test_what_ns2_recorded_of_loads_is_complete():
    there = collision_term_ns2.of_ns2()
    assert set(there) == {scene.name for scene in SCENES}
    assert all(set(curve) == set(FACTORS) for curve in there.values())
    lines = collision_term_ns2.TARGET.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + len(SCENES) * len(FACTORS) * len(LOAD_SEEDS)


def test_a_gain_is_that_of_the_lower_load():
    curve = {load: {"throughput_kbps": kbps} for load, kbps in ((1.0, 100.0), (2.0, 140.0), (4.0, 80.0))}
    assert collision_term_ns2.gain_percent(curve, 4.0, 0.5) == pytest.approx(75.0)
    assert collision_term_ns2.gain_percent(curve, 4.0, 0.75) == pytest.approx(37.5)
    assert collision_term_ns2.gain_percent(curve, 1.0, 0.5) == pytest.approx(-50.0)


def test_a_scene_in_tcl_has_its_places_moves_and_flows():
    building = next(scene for scene in SCENES if scene.routes == "dsdv")
    world = loaded(building, 1.0, 1)
    lists = dict(line.split(" ", 2)[1:] for line in as_tcl(world).splitlines())
    assert lists["places"].count("{") == 1 + len(world["nodes"])
    assert lists["flows"].count("{") == 1 + len(world["flows"])
    moving = sum(max(len(node.get("waypoints", [])) - 1, 0) for node in world["nodes"])
    assert 0 < lists["moves"].count("{") - 1 <= moving


def test_a_trace_is_counted_by_packets_and_answers():
    trace = """s 300.1 _0_ AGT --- 1 cbr 1460 [0 0 0 0]
s 302.1 _0_ MAC --- 0 RTS 44 [0 0 0 0]
s 302.2 _0_ MAC --- 0 RTS 44 [0 0 0 0]
r 302.3 _0_ MAC --- 0 ACK 38 [0 0 0 0]
r 302.4 _1_ AGT --- 1 cbr 1480 [0 0 0 0]
r 302.5 _1_ AGT --- 1 cbr 1480 [0 0 0 0]
"""
    kbps, failed, delay_ms = _measured(trace.splitlines(keepends=True), 302.0, 2.0)
    assert (kbps, failed) == (pytest.approx(1460 * 8 / 2000), pytest.approx(0.5))
    assert delay_ms == pytest.approx(2300.0)
