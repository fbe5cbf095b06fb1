"""`winf compare`, and `winf analyze` with logs, as a user types them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import iperf3
import pytest
from folders import SAMPLES

SNIFFER = SAMPLES / "ns3_sniffer"
FLOW = "udp 10.0.0.1:5000 10.0.0.2:5000"


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "server.json"
    windows = iperf3.goodput(SNIFFER / "truth_goodput.csv", FLOW)
    return iperf3.write_server_log(path, windows, sender="10.0.0.2:5000", receiver="10.0.0.1:5000", epoch_s=None)


@pytest.fixture(scope="module")
def dataset(winf, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("run") / "run.winf"
    assert winf("ingest", SNIFFER / "recording", "-o", path).returncode == 0
    assert winf("estimate", path, "--window", "200ms").returncode == 0
    return path


def test_the_table_and_the_words(winf, dataset, log):
    result = winf("compare", dataset, "--iperf", log)
    assert result.returncode == 0, result.stderr
    for word in ("capacity", "attainable", "goodput", "recommended", "corrected", "mape_%", "within_bounds_%"):
        assert word in result.stdout, word
    assert "rt_winf" not in result.stdout
    assert "rt_winf" in winf("compare", dataset, "--iperf", log, "--all").stdout
    for words in ("by its addresses", "clock by cross-correlation: offset", "second peak"):
        assert words in result.stderr, words


def test_the_forms_hold_the_scores(winf, dataset, log):
    rows = json.loads(winf("compare", dataset, "--iperf", log, "--to", "json").stdout)
    (sanity,) = [row for row in rows if row["quantity"] == "goodput"]
    assert sanity["aligned_by"] == "correlation"
    assert abs(sanity["offset_ns"]) < 5_000_000
    listed = list(csv.DictReader(io.StringIO(winf("compare", dataset, "--iperf", log, "--to", "csv").stdout)))
    assert len(listed) == len(rows)
    assert list(listed[0]) == list(rows[0])


def test_many_logs_behind_one_option(winf, dataset, log, tmp_path):
    other = tmp_path / "again.json"
    other.write_bytes(log.read_bytes())
    for arguments in (["--iperf", log, other], ["--iperf", log, "--iperf", other]):
        rows = json.loads(winf("compare", dataset, *arguments, "--to", "json").stdout)
        assert {row["log"] for row in rows} == {"server.json", "again.json"}


def test_an_offset_may_be_negative(winf, dataset, log):
    rows = json.loads(winf("compare", dataset, "--iperf", log, "--offset", "-1ms", "--to", "json").stdout)
    assert {row["aligned_by"] for row in rows} == {"offset"}


def test_part_of_the_logs_is_exit_3(winf, dataset, log, tmp_path):
    text = log.read_text()
    cut = tmp_path / "cut.json"
    cut.write_text(text[: len(text) * 2 // 3])
    result = winf("compare", dataset, "--iperf", cut, "--to", "csv")
    assert result.returncode == 3
    assert "cut short" in result.stderr
    assert "goodput" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ([], 2, "--iperf FILE"),
        (["--iperf", "no.json"], 4, "cannot be read"),
        (["--iperf", "NOTES"], 4, "no ground truth"),
        (["--iperf", "LOG", "--link", "here"], 2, "SENDER,RECEIVER"),
        (["--iperf", "LOG", "--link", "a,b"], 2, "the busiest links are 00:00:00:00:00:02,00:00:00:00:00:01"),
        (["--iperf", "LOG", "--offset", "soon"], 2, "not an offset"),
    ],
)
def test_errors_are_sentences(winf, dataset, log, tmp_path, arguments, code, says):
    notes = tmp_path / "notes.txt"
    notes.write_text("two rooms apart")
    named = {"LOG": log, "NOTES": notes}
    result = winf("compare", dataset, *[named.get(word, word) for word in arguments])
    assert result.returncode == code, result.stderr
    assert says in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_analyze_with_logs(winf, log, tmp_path):
    result = winf("analyze", SNIFFER / "recording", "-o", tmp_path / "out", "--iperf", log, "--window", "200ms")
    assert result.returncode == 0, result.stderr
    assert "Against ground truth" in result.stdout
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert '"name":"truth"' in page
    assert "server.json" in page
    refused = winf("analyze", SNIFFER / "recording", "-o", tmp_path / "no", "--iperf", SNIFFER / "truth.json")
    assert refused.returncode == 4
    assert "not a log of iperf" in refused.stderr
    assert not (tmp_path / "no").exists()
