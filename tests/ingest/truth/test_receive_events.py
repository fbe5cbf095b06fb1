"""Goodput out of simulators' traces against what the simulators' own sinks counted."""

from __future__ import annotations

import polars as pl
import pytest
from folders import SAMPLES

import winf_analyzer
from winf_analyzer._ingest.truth import read_truth
from winf_analyzer._ingest.truth.receive_events import receive_events
from winf_analyzer._ingest.truth.table import TRUTH_SCHEMA


def counted(name: str) -> pl.DataFrame:
    """What the sinks of a sample counted."""
    return pl.read_csv(SAMPLES / name / "truth_goodput.csv")


def assert_goodput(found: pl.DataFrame, name: str) -> None:
    sinks = counted(name)
    compared = sinks.join(found, on=["flow", "start_ns", "window_ns"], how="left", suffix="_found")
    compared = compared.with_columns(pl.col("throughput_bps_found").fill_null(0.0))
    wrong = compared.filter(pl.col("throughput_bps") != pl.col("throughput_bps_found"))
    assert wrong.is_empty(), wrong
    covered = found.filter(pl.col("start_ns") <= sinks["start_ns"].max())
    assert covered["throughput_bps"].sum() == sinks["throughput_bps"].sum() > 0


@pytest.mark.parametrize("name", ["ns2_rts_link", "ns2_basic_link", "ns2_hidden", "ns2_chain3"])
def test_ns2_sinks(name):
    (trace,) = (SAMPLES / name / "recording").iterdir()
    found = read_truth(trace)
    assert found.schema == TRUTH_SCHEMA
    assert_goodput(found, name)


@pytest.mark.parametrize("name", ["ns3_rts_link", "ns3_basic_link", "ns3_basic_link_b", "ns3_hidden", "ns3_chain3"])
def test_ns3_nodes(name):
    """The captures of all nodes together say the same as a trace of the simulation."""
    files = sorted((SAMPLES / name / "recording").iterdir())
    frames = pl.concat([pl.DataFrame(winf_analyzer.read_frames(path)) for path in files])
    assert_goodput(receive_events(frames, tool="ns-3"), name)


def test_a_trace_without_traffic_has_no_truth(tmp_path):
    trace = tmp_path / "quiet.tr"
    trace.write_text("s 1.013198267 _2_ MAC  --- 0 RTS 44 [36b 3 2 0] \n")
    assert read_truth(trace).is_empty()


def test_a_stamp_that_is_centuries_ahead_does_not_fill_memory(tmp_path):
    (sound,) = (SAMPLES / "ns2_basic_link" / "recording").iterdir()
    trace = tmp_path / "late.tr"
    trace.write_text(
        sound.read_text() + "s 9000000000.0 _2_ AGT  --- 0 cbr 1500 [0 0 0 0] ------- [2:0 3:0 32 0] [0] 0 0\n"
    )
    found = read_truth(trace)
    assert 0 < found.height < 100
    assert found["throughput_bps"].sum() == counted("ns2_basic_link")["throughput_bps"].sum()
