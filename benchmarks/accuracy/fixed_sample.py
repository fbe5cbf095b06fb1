"""The recordings of tests/benchmarks/sample: two seconds of one development run of each group, with their truth.

    python -m benchmarks.accuracy.fixed_sample --bounds       # after the model has changed
    python -m benchmarks.accuracy.fixed_sample --recordings   # after a group of the study was added

The bounds are what the recommended answer reached when they were written, with a margin; a change of the model that
makes a group worse than that fails tests/benchmarks/test_fixed_sample.py, and one that makes it better writes them
anew.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import winf_analyzer as winf
from benchmarks.accuracy import recorders
from benchmarks.accuracy.parts import everything, parts, sample
from benchmarks.accuracy.runs import Run, cache_folder, run_all
from benchmarks.accuracy.scenario_list import ListedRun
from benchmarks.accuracy.scenarios import Scenario
from benchmarks.accuracy.scoring import recommended
from benchmarks.accuracy.summary import DECLINED_GOAL, GOALS

FOLDER = Path(__file__).parents[2] / "tests" / "benchmarks" / "sample"
SECONDS = 2.0
TRUTH = "truth.json"
BOUNDS = "bounds.toml"
MARGIN = 0.1
"""Share by which the error of a group may be larger than when the bounds were written."""

COVERAGE_MARGIN = 0.05
"""By which its coverage may be smaller: one of twenty windows."""

HEAD = """\
# What the recommended answer reached in tests/benchmarks/sample, with a margin; written by
# python -m benchmarks.accuracy.fixed_sample --bounds. error: largest median in windows of 1 s and the whole recording;
# coverage: smallest share of the answers of 100 ms whose interval holds the truth, absent where none is expected;
# declined: largest share of the windows of 100 ms without an answer.
"""


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recordings", action="store_true", help="cut the recordings anew")
    parser.add_argument("--bounds", action="store_true", help="write the bounds anew")
    arguments = parser.parse_args()
    if arguments.recordings:
        write_recordings()
    if arguments.bounds:
        write_bounds()


def write_recordings() -> None:
    """Cut the recordings out of the study's, and write their truth."""
    FOLDER.mkdir(exist_ok=True)
    runs = run_all(list(_chosen().values()), cache_folder(), 1)
    facts = {}
    for run in runs:
        start_ns = _start_ns(run.scenario)
        end_ns = start_ns + round(min(SECONDS, run.seconds) * 1e9)
        name = f"{run.scenario.group}{run.capture.suffix}"
        cut = FOLDER / name
        recorders.cut(run.capture, cut, start_ns, end_ns)
        with cut.open("rb") as plain, gzip.GzipFile(FOLDER / f"{name}.gz", "wb", 9, mtime=0) as packed:
            shutil.copyfileobj(plain, packed)
        cut.unlink()
        truth = run.truth.filter(pl.col("window_start_ns") < end_ns)
        facts[run.scenario.name] = {
            "capture": f"{name}.gz",
            "sender": run.sender,
            "receiver": run.receiver,
            "seconds": min(SECONDS, run.seconds),
            "mac": run.mac,
            "truth_bps": [round(bps) for bps in truth["truth_bps"]],
        }
    (FOLDER / TRUTH).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def fixed_sample() -> Iterator[Run]:
    """The runs of the sample."""
    scenarios = {scenario.name: scenario for scenario in everything()}
    facts = json.loads((FOLDER / TRUTH).read_text(encoding="utf-8"))
    for name, run in facts.items():
        starts = [_start_ns(scenarios[name]) + number * 100_000_000 for number in range(len(run["truth_bps"]))]
        truth = pl.DataFrame({"window_start_ns": starts, "truth_bps": run["truth_bps"]}).cast({"truth_bps": pl.Float64})
        ends = run["sender"], run["receiver"]
        yield Run(scenarios[name], FOLDER / run["capture"], run["mac"], truth, *ends, run["seconds"])


def measured(run: Run) -> dict[str, float | None]:
    """`error`, `coverage` and `declined` of the recommended answer, as the bounds have them; null without answers.

    An interval without a value counts for the coverage.
    """
    with tempfile.TemporaryDirectory() as folder:
        scores = recommended(winf.ingest([run.capture], Path(folder) / "run.winf"), run)
    given, short = pl.col("available_bps").is_not_null(), pl.col("window") == "100ms"
    bounded = pl.col("available_high_bps").is_not_null()
    error = (pl.col("available_bps") / pl.col("truth_bps") - 1).abs()
    inside = pl.col("truth_bps").is_between("available_low_bps", "available_high_bps").fill_null(value=False)
    return scores.select(
        error=error.filter(~short, pl.col("truth_bps") > 0).median(),
        coverage=inside.filter(bounded, short).mean(),
        declined=(~given).filter(short).mean(),
    ).row(0, named=True)


def write_bounds() -> None:
    """Measure every group and write what it may not be worse than."""
    lines = [HEAD]
    for run in fixed_sample():
        group, found = run.scenario.group, measured(run)
        bounds = {"declined": max(DECLINED_GOAL, found["declined"] or 0)}
        if found["error"] is not None:
            bounds["error"] = max(GOALS[group][0], math.ceil(1000 * found["error"] * (1 + MARGIN)) / 1000)
        if found["coverage"] is not None and found["coverage"] > COVERAGE_MARGIN:
            bounds["coverage"] = math.floor(100 * (found["coverage"] - COVERAGE_MARGIN) + 1e-6) / 100
        lines.append(f"[{group}]\n" + "".join(f"{name} = {bounds[name]:g}\n" for name in sorted(bounds)))
    (FOLDER / BOUNDS).write_text("\n".join(lines), encoding="utf-8")


def _start_ns(scenario: Scenario | ListedRun) -> int:
    """Where a run begins to be recorded and measured."""
    omitted_s = scenario.omitted_s if isinstance(scenario, ListedRun) else 0
    return recorders.START_NS + omitted_s * recorders.SECOND_NS


def _chosen() -> dict[str, Scenario | ListedRun]:
    """Per group the first sampled run of development that has neighbours, if any: 2 s of a pair alone tell little."""
    part_of, sampled = parts(), sample()
    runs: dict[str, list[Scenario | ListedRun]] = {}
    for scenario in everything():
        if scenario.name in sampled and part_of[scenario.name] == "development":
            runs.setdefault(scenario.group, []).append(scenario)
    return {group: min(of_group, key=lambda run: run.links == 1) for group, of_group in runs.items()}


if __name__ == "__main__":
    main()
