"""ns-2 traces of parallel links beside what probes got: the medium is every node's transmissions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from folders import ROOT
from once import make_once
from program import Winf

import winf_analyzer

DATA = ROOT / "tests/data/ns2_parallel"
TRUTH: dict[str, dict[str, Any]] = json.loads((DATA / "truth.json").read_text())

WITHIN = {"hidden_rts": 0.12}
"""Relative error of the whole recording; 10 % where all nodes hear each other."""


@pytest.fixture(params=sorted(TRUTH))
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, winf_analyzer.Dataset]:
    name = request.param

    def make(folder: Path) -> None:
        dataset = winf_analyzer.ingest([DATA / f"{name}.tr.gz"], folder / "run.winf")
        winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")

    return name, winf_analyzer.Dataset.open(make_once(tmp_path_factory, f"ns2_{name}", make) / "run.winf")


@pytest.mark.slow("estimates of six traces, made by a fixture")
def test_the_answer_is_what_probes_got(run: tuple[str, winf_analyzer.Dataset]) -> None:
    name, dataset = run
    truth, row = TRUTH[name], _first_link(dataset)
    assert row["observer"] is None
    assert row["available_bps"] == pytest.approx(truth["available_bps"], rel=WITHIN.get(name, 0.10))
    assert row["available_tcp_bps"] == pytest.approx(truth["available_tcp_bps"], rel=WITHIN.get(name, 0.10))
    assert row["available_low_bps"] <= truth["available_bps"] <= row["available_high_bps"]
    assert row["own_bps"] == pytest.approx(truth["own_bps"], rel=0.1)
    assert row["grade"] in ("good", "fair")


@pytest.mark.slow("the same traces")
def test_there_is_one_row_per_link_and_window(run: tuple[str, winf_analyzer.Dataset]) -> None:
    _, dataset = run
    rows = dataset.scan("recommended").collect()
    assert rows["observer"].null_count() == rows.height
    assert rows.select("source", "sender", "receiver", "whole", "window_start_ns").is_duplicated().any() is False


def _first_link(dataset: winf_analyzer.Dataset) -> dict[str, Any]:
    rows = dataset.scan("recommended").filter("whole", pl.col("sender") == "node-0", pl.col("receiver") == "node-1")
    (row,) = rows.collect().rows(named=True)
    return row


def test_a_trace_without_mac_lines_says_so(winf: Winf, tmp_path: Path) -> None:
    lines = [
        f"{letter} {0.1 * n:.9f} _{n % 2}_ {layer}  --- {n} cbr 1000 [0 0 0 0] ------- [0:0 1:0 32 0] [{n}] 0 0\n"
        for n in range(1, 50)
        for letter, layer in (("s", "AGT"), ("r", "RTR"))
    ]
    (tmp_path / "agents.tr").write_text("".join(lines))
    done = winf("info", tmp_path / "agents.tr")
    assert "MAC tracing was off" in done.stdout + done.stderr
    done = winf("ingest", tmp_path / "agents.tr", "-o", tmp_path / "run.winf")
    assert done.returncode == 0
    assert "MAC tracing was off" in done.stderr
    done = winf("estimate", tmp_path / "run.winf")
    assert done.returncode == 0
    assert "No estimate: The trace has no MAC lines" in done.stdout


def test_nodes_that_hear_nobody_but_their_peer_keep_their_own_view(tmp_path: Path) -> None:
    """The hidden senders overhear the answers of the other link's receiver, not its data."""
    dataset = winf_analyzer.ingest([DATA / "hidden_rts.tr.gz"], tmp_path / "run.winf")
    seen = (
        dataset.scan("exchanges")
        .filter(pl.col("observer") == "node-0", pl.col("sender") == "node-2", pl.col("kind") == "rts")
        .select(heard=pl.col("heard_data").mean(), hidden=pl.col("hidden").mean(), count=pl.len())
        .collect()
        .row(0, named=True)
    )
    assert seen["count"] > 100
    assert seen["heard"] < 0.05
    assert seen["hidden"] > 0.95


def test_the_recorded_traces_are_those_of_the_script(tmp_path: Path) -> None:
    """Written again by ns-2 where it is installed, a trace is the same to the last line."""
    import shutil
    import subprocess

    if shutil.which("ns") is None:
        pytest.skip("ns-2 is not installed")
    script = ROOT / "sample_captures/generate/ns2_parallel.tcl"
    settings = TRUTH["b2"]["settings"].split()
    subprocess.run(
        ["ns", str(script), str(tmp_path / "b2.tr"), *settings, "end=5.0"],
        check=True,
        capture_output=True,
    )
    assert (tmp_path / "b2.tr").read_bytes() == gzip.decompress((DATA / "b2.tr.gz").read_bytes())


@pytest.mark.parametrize("code", ["hearing_unknown", "nodes_uncertain"])
def test_warnings_about_who_is_who_limit_the_answers(code: str, tmp_path: Path) -> None:
    dataset = winf_analyzer.ingest([DATA / f"{min(TRUTH)}.tr.gz"], tmp_path / "run.winf")
    source = dataset.scan("exchanges").select("source").first().collect().item()
    schema = dataset.scan("warnings").collect_schema()
    row = pl.DataFrame([{"source": str(source), "code": code}], schema=schema)
    with dataset.change("ingest") as change:
        change.replace("warnings", [row])
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected", again=True)
    answers = dataset.scan("recommended").filter("whole").collect()
    assert answers.height
    assert answers["reasons"].str.contains("hearing_unknown").all()
    assert "good" not in answers["grade"]
