"""Sweeps: every point once, however often they are killed, and grids that are refused."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._scale import sweeping
from winf_analyzer._scale.grid import Grid, varied
from winf_analyzer._util.errors import DatasetError, InterruptedRun, UsageError

GRID = """
topologies = ["stack"]
controllers = ["new_reno", "cbr"]
seeds = 3
duration = "1s"
[set]
queue = [5, 20]
"cbr.rate_bps" = [100_000, 200_000]
"""


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    file = tmp_path / "queues.toml"
    file.write_text(GRID)
    return file


def hashes(dataset: winf_analyzer.Dataset) -> dict[str, str]:
    tables = dataset.metadata["tables"]
    return {part["path"]: part["sha256"] for table in sweeping.TABLES for part in tables[table]}


def test_a_point_has_the_results_of_the_same_replay(grid, tmp_path):
    dataset = winf_analyzer.sweep(grid, tmp_path / "run.winf")
    points = dataset.scan("points").collect()
    assert points.height == 2 * 2 * 2 * 3 == points["point"].n_unique()
    chosen = points.filter(pl.col("parameters") == '{"cbr.rate_bps": 200000, "queue": 5}')
    results = dataset.scan("results").collect().join(chosen, on="point")
    alone = winf_analyzer.replay(
        topology="stack",
        controllers=["new_reno", "cbr"],
        seeds=3,
        duration="1s",
        changes={"queue": 5},
        settings={"cbr": {"rate_bps": 200_000}},
    ).summary
    names = [name for name in dataset.scan("results").collect_schema().names() if name != "point"]
    ours = results.sort("controller", "seed", "flow").select(names)
    theirs = alone.with_columns(pl.col("controller", "flow", "sender", "receiver").cast(pl.String))
    assert ours.rows() == theirs.sort("controller", "seed", "flow").select(names).rows()


def test_only_missing_points_run(grid, tmp_path, monkeypatch):
    run_task, ran = sweeping.run_task, []

    def counted(case: object, seeds: list[int], name: str) -> sweeping.Rows:
        ran.extend(seeds)
        return run_task(case, seeds, name)  # type: ignore[arg-type]

    monkeypatch.setattr(sweeping, "run_task", counted)
    first = winf_analyzer.sweep(grid, tmp_path / "run.winf")
    assert len(ran) == 24
    ran.clear()
    assert hashes(winf_analyzer.sweep(grid, tmp_path / "run.winf")) == hashes(first)
    assert not ran
    grid.write_text(GRID.replace("seeds = 3", "seeds = 4"))
    grown = winf_analyzer.sweep(grid, tmp_path / "run.winf")
    assert ran == [4] * 8
    assert hashes(grown) == hashes(winf_analyzer.sweep(grid, tmp_path / "whole.winf", jobs=3))


def test_interrupted_it_keeps_what_was_finished_and_goes_on(grid, tmp_path):
    calls = []

    def interrupt(*_: object) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRun, match="goes on"):
        winf_analyzer.sweep(grid, tmp_path / "run.winf", progress=interrupt, jobs=1)
    there = winf_analyzer.Dataset.open(tmp_path / "run.winf").scan("points").collect().height
    assert 0 < there < 24
    ended = winf_analyzer.sweep(grid, tmp_path / "run.winf")
    assert hashes(ended) == hashes(winf_analyzer.sweep(grid, tmp_path / "whole.winf"))


def test_killed_at_any_time_it_goes_on(grid, tmp_path):
    grid.write_text(GRID.replace('"1s"', '"20s"').replace("seeds = 3", "seeds = 6"))
    code = (
        "import sys, winf_analyzer; from winf_analyzer._scale import sweeping; sweeping.PUBLISH_S = 0.2;"
        "winf_analyzer.sweep(*sys.argv[1:])"
    )
    command = [sys.executable, "-W", "ignore", "-c", code, grid, tmp_path / "run.winf"]
    drawn = random.Random(3)
    for _ in range(5):
        process = subprocess.Popen(command, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})
        time.sleep(drawn.uniform(0.5, 3.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
    ended = winf_analyzer.sweep(grid, tmp_path / "run.winf")
    assert hashes(ended) == hashes(winf_analyzer.sweep(grid, tmp_path / "whole.winf"))
    assert len(winf_analyzer.check(ended)) == 0


def test_a_run_that_fails_has_its_reason_and_the_others_their_results(grid, tmp_path, winf, monkeypatch):
    summaries = sweeping._summaries

    def failing(case: sweeping.Case, seeds: list[int]) -> list[pl.DataFrame]:
        if 2 in seeds and case.run.name == "cbr":
            raise RuntimeError("poisoned")
        return summaries(case, seeds)

    monkeypatch.setattr(sweeping, "_summaries", failing)
    done = winf("sweep", grid, "-o", tmp_path / "run.winf")
    assert done.returncode == 3
    assert "4 points failed" in done.stderr
    rows = winf_analyzer.sql(
        tmp_path / "run.winf", "select count(*), count(distinct point) from points where error = 'poisoned'"
    )
    assert rows.row(0) == (4, 4)
    assert winf_analyzer.sql(tmp_path / "run.winf", "select count(distinct point) from results").item() == 20


def test_the_report_draws_response_curves_with_intervals(grid, tmp_path):
    run = winf_analyzer.sweep(grid, tmp_path / "run.winf")
    page = winf_analyzer.report(run, tmp_path / "report.html").read_text()
    assert "Throughput over the parameter" in page
    rows = winf_analyzer.sql(run, "select 1 from points").height
    assert rows == 24
    answers = winf_analyzer.sql(run, winf_analyzer._sql.named_queries.named_query("sweep_response"))  # type: ignore[attr-defined]
    assert answers.height == 8
    assert answers["throughput_ci_mbps"].null_count() == 0
    assert set(answers["others"]) == {'{"cbr.rate_bps": 100000}', '{"cbr.rate_bps": 200000}'}
    assert sorted(set(answers["value"])) == [5.0, 20.0]


def test_another_dataset_is_not_overwritten(grid, tmp_path, demo_dataset):
    with pytest.raises(DatasetError, match="exists already"):
        winf_analyzer.sweep(grid, demo_dataset.path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "topologies or recordings"),
        ('topologies = ["stack"]\nseed = 3', "no key 'seed'"),
        ('topologies = ["stack"]\nseeds = 0', "seeds"),
        ('topologies = ["stack"]\nseeds = [-1]', "seeds"),
        ('topologies = ["stack"]\nseeds = 9999999999999', "more than"),
        ('topologies = ["stack"]\n[set]\nqueue = 3', "list of values"),
        ('topologies = ["stack"]\n[set]\nlink.loss = [0.1]', "list of values"),
        ('topologies = ["stack"]\n[set]\nqueue = [0]', "queue=0"),
        ('topologies = ["nowhere"]', "nowhere"),
        ('topologies = ["stack"]\ncontrollers = ["nobody"]', "nobody"),
        ('topologies = ["stack"]\n[set]\n"cbr.nothing" = [1]', "nothing"),
        ("topologies = [3]", "list of names"),
        ("= 3", "cannot be read as a grid"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused_in_one_sentence(tmp_path, text, said):
    file = tmp_path / "grid.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=said):
        winf_analyzer.sweep(file, tmp_path / "run.winf")
    assert not (tmp_path / "run.winf").exists()


@pytest.mark.parametrize(
    ("value", "number"), [(3, 3.0), (0.5, 0.5), ("54M", 54e6), ("2x", 2.0), ("sometimes", None), (True, None)]
)
def test_values_on_the_axis(value, number):
    assert varied({"key": value, "other": 1}) == ("key", number)
    assert varied({}) == (None, None)


def test_recordings_are_worlds_too(tmp_path, tcp_dataset):
    grid = tmp_path / "grid.toml"
    grid.write_text(
        f"recordings = [{json.dumps(str(tcp_dataset.path))}]\ncontrollers = ['new_reno']\nduration = '1s'\n"
    )
    dataset = winf_analyzer.sweep(grid, tmp_path / "run.winf")
    assert dataset.scan("points").collect()["error"].to_list() == [None]
    assert Grid.read(grid).points()[0].name == dataset.scan("points").collect()["point"][0]
