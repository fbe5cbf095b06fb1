"""Ground truth beside recordings, as `winf ingest` takes it in."""

from __future__ import annotations

import shutil

import polars as pl
import pytest
from folders import LOGS, SAMPLES

import winf_analyzer
from winf_analyzer import UnusableInput
from winf_analyzer._schema import schema

CAPTURE = SAMPLES / "ns3_basic_link_b" / "recording" / "node-0.pcap"
TRACE = SAMPLES / "ns2_chain3" / "recording" / "chain3.tr"


def truth(dataset: winf_analyzer.Dataset) -> pl.DataFrame:
    return winf_analyzer.sql(dataset, "select * from truth")


def test_a_folder_of_captures_and_logs(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    shutil.copy(CAPTURE, folder)
    shutil.copy(LOGS / "iperf3_udp.json", folder)
    shutil.copy(LOGS / "flow_monitor.xml", folder)
    (folder / "notes.txt").write_text("channel 6, two rooms apart\n")
    dataset = winf_analyzer.ingest([folder], tmp_path / "out.winf")
    rows = truth(dataset)
    assert rows.schema == schema("truth")
    assert rows.group_by("source").len().sort("source").rows() == [("flow_monitor.xml", 3), ("iperf3_udp.json", 5)]
    assert [entry["format"] for entry in dataset.metadata["truth"]] == ["flow_monitor", "iperf3_json"]
    assert dataset.metadata["skipped"] == []


def test_a_log_may_be_named_or_stand_in_a_folder_of_its_own(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    shutil.copy(LOGS / "iperf3_udp.txt", folder)
    dataset = winf_analyzer.ingest([CAPTURE, LOGS / "iperf2_tcp.csv", folder], tmp_path / "out.winf")
    assert sorted(truth(dataset)["source"].unique()) == ["iperf2_tcp.csv", "iperf3_udp.txt"]
    assert [entry["source"] for entry in dataset.metadata["inputs"]] == ["node-0.pcap"]


def test_a_trace_brings_its_own(tmp_path):
    dataset = winf_analyzer.ingest([TRACE], tmp_path / "out.winf")
    rows = truth(dataset)
    assert rows.select("source", "tool", "side", "clock").unique().rows() == [
        ("chain3.tr", "ns-2", "receiver", "simulation")
    ]
    flows = winf_analyzer.sql(dataset, "select distinct flow from frames where layer = 'agent'")["flow"]
    assert set(rows["flow"]) <= set(flows)


def test_without_truth_the_table_is_empty(tmp_path):
    dataset = winf_analyzer.ingest([CAPTURE], tmp_path / "out.winf")
    assert truth(dataset).schema == schema("truth")
    assert truth(dataset).is_empty()


def test_truth_alone_is_no_recording(tmp_path):
    with pytest.raises(UnusableInput, match=r"ground truth without a recording.*: winf compare DATASET --iperf .*json"):
        winf_analyzer.ingest([LOGS / "iperf3_tcp.json"], tmp_path / "out.winf")


def test_a_cut_log_is_told(tmp_path):
    text = (LOGS / "iperf3_tcp.json").read_text()
    log = tmp_path / "cut.json"
    log.write_text(text[: len(text) // 2])
    dataset = winf_analyzer.ingest([CAPTURE, log], tmp_path / "out.winf")
    (entry,) = dataset.metadata["skipped"]
    assert entry["path"] == str(log)
    assert "cut short" in entry["reason"]
    assert truth(dataset).height > 0
