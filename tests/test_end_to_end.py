"""From a capture to the report, on what no sample has: hostile names, a given observer, a debug build."""

from __future__ import annotations

import json
import subprocess
import sys

import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._ingest.decoding import Decoding
from winf_analyzer._ingest.inspection import recording_facts

SSID = b"<script>alert(1)</script>"


@pytest.fixture(scope="module")
def capture(tmp_path_factory):
    path = tmp_path_factory.mktemp("capture") / "evil <b>name.pcap"
    beacon = (500_000_000, pcaps.radiotap(pcaps.beacon(pcaps.AP, SSID), tsft_us=500_000, rate_mbps=1))
    path.write_bytes(pcaps.busy_link(300) + pcaps.pcap([beacon])[24:])
    return path


def test_a_hostile_network_name_stays_text(capture, tmp_path):
    result = winf_analyzer.analyze([capture], tmp_path / "out")
    nodes = winf_analyzer.sql(result.dataset, "select ssid, role from nodes where role = 'ap'")
    assert nodes.rows() == [(SSID.decode(), "ap")]
    page = result.report.read_text(encoding="utf-8")
    assert "alert(1)" in page
    assert SSID.decode() not in page
    assert "<b>name" not in page


def test_estimates_of_a_link_of_known_load(capture, tmp_path):
    """100 exchanges of 1500 octets a second at 11 Mb/s leave TMT - load (algorithms of rt-Winf, corrected)."""
    dataset = winf_analyzer.ingest([capture], tmp_path / "run.winf")
    estimates = winf_analyzer.estimate(dataset, estimators=["rt_winf"], mode="corrected")
    whole = estimates.filter(pl.col("state") == "sender", pl.col("sender") == pcaps.STATION, pl.col("exchanges") == 100)
    assert whole.height >= 2
    # 28 octets of MAC header and FCS around the payload; times in whole microseconds.
    assert whole["capacity_bps"].to_list() == pytest.approx([6.069e6] * whole.height, rel=2e-3)
    assert whole["available_bps"].to_list() == pytest.approx([6.069e6 - 1.2e6] * whole.height, rel=5e-3)
    assert whole["r_phy_bps"].to_list() == pytest.approx([11e6] * whole.height, rel=2e-3)


def test_a_given_observer_is_the_observer(capture, tmp_path):
    dataset = winf_analyzer.ingest([capture], tmp_path / "run.winf", observer=pcaps.STATION)
    assert dataset.scan("frames").collect()["observer"].unique().to_list() == [pcaps.STATION]
    states = winf_analyzer.estimate(dataset).filter(pl.col("sender").is_not_null())["state"].unique().to_list()
    assert states == ["sender"]


def test_an_observer_that_is_no_address_is_refused(winf, capture, tmp_path):
    result = winf("ingest", capture, "-o", tmp_path / "run.winf", "--observer", "me")
    assert result.returncode == 2
    assert "not a station address" in result.stderr


def test_streams_can_be_read_again(capture):
    stream = winf_analyzer.read_exchanges(capture)
    assert pl.DataFrame(stream).equals(pl.DataFrame(stream))
    assert pl.DataFrame(stream).height == 301


def test_provenance(capture, tmp_path):
    dataset = winf_analyzer.ingest([capture], tmp_path / "run.winf", command="winf ingest it")
    (entry,) = json.loads((dataset.path / "dataset.json").read_text())["inputs"]
    assert len(entry["sha256"]) == 64
    assert entry["bytes"] == capture.stat().st_size
    assert dataset.metadata["command"] == "winf ingest it"
    assert dataset.metadata["tool_version"] == winf_analyzer.__version__


def test_a_debug_build_warns():
    stub = "import sys, types; m = types.ModuleType('winf_analyzer._core'); m.DEBUG_BUILD = True; m.__version__ = '0'; "
    code = stub + "sys.modules['winf_analyzer._core'] = m; import winf_analyzer"
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert "debug build" in result.stderr


def test_third_party_captures_open_or_are_refused(shared_captures):
    """Whatever a file holds, there is an answer: facts, or one sentence."""
    files = [path for path in sorted(shared_captures.rglob("*")) if path.is_file()]
    native = Decoding.validated("native", [])
    opened = 0
    for path in files:
        facts = recording_facts(path, path.name, native)
        assert "\n" not in facts.get("error", ""), path
        opened += "error" not in facts
    assert opened > 100
