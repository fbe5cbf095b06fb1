"""Leaves each rule of the saturation model out in turn, and writes docs/rules.md.

    python -m benchmarks.accuracy.ablation [--each 4] [--jobs 2] [--captures FOLDER] [--docs docs]

Of the development runs of the study, at most so many of each group, and of all worlds (`benchmarks.accuracy.worlds`).
Needs what these need, and keeps simulations where they do. What no recording needs is better taken out of the model.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.accuracy.ablation import document
from benchmarks.accuracy.ablation.captures import count
from benchmarks.accuracy.ablation.measured import measure_all
from benchmarks.accuracy.parts import everything, parts
from benchmarks.accuracy.runs import cache_folder, run_all
from benchmarks.accuracy.scenario_list import TCP_PROBE, ListedRun
from benchmarks.accuracy.scenarios import Scenario
from benchmarks.accuracy.worlds.listed import WITHOUT_TRUTH, worlds
from benchmarks.accuracy.worlds.simulation import build, failure

SEED = 1031
"""Of the worlds: that of docs/other-conditions.md."""


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=4, help="runs of each group of the study")
    parser.add_argument("--jobs", type=int, default=2, help="recordings at a time")
    parser.add_argument("--captures", type=Path, help="folder of real recordings in which each rule is counted")
    parser.add_argument("--docs", type=Path, default=Path(__file__).parents[3] / "docs", help="folder to write into")
    arguments = parser.parse_args()
    cache, part_of = cache_folder(), parts()
    chosen = _first(arguments.each, (run for run in everything() if part_of[run.name] == "development"))
    runs = run_all(list(chosen), cache, arguments.jobs)
    build(cache)
    asked = [(world, SEED) for world in worlds() if world["name"] not in WITHOUT_TRUTH]
    asked = [one for one in asked if failure(cache, one) is None]
    found = measure_all(runs, asked, cache, arguments.jobs)
    found.write_parquet(cache / "ablation.parquet")
    spoken = count(arguments.captures, arguments.jobs) if arguments.captures else None
    document.write(found, spoken, arguments.docs / "rules.md")


def _first(most: int, runs: Iterable[Scenario | ListedRun]) -> Iterator[Scenario | ListedRun]:
    """At most so many of each group, without those whose flow under study is TCP, of which the answer is another."""
    taken: dict[str, int] = {}
    for run in runs:
        if isinstance(run, ListedRun) and run.probe == TCP_PROBE:
            continue
        taken[run.group] = taken.get(run.group, 0) + 1
        if taken[run.group] <= most:
            yield run


if __name__ == "__main__":
    main()
