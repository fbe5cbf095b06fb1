"""Which runs an estimator may be improved on, and which only judge it."""

from __future__ import annotations

import hashlib

from benchmarks.accuracy.held_out import held_out
from benchmarks.accuracy.scenario_list import ListedRun, listed_runs
from benchmarks.accuracy.scenarios import Scenario, development, scenarios

PARTS = {"development": "development", "test": "test", "held_out": "held out"}
"""Parts of the study, and how the document calls them."""

SAMPLED = 2
"""Runs of each group of the grid, and each of its parts but `test`, that the sample has."""


def everything() -> list[Scenario | ListedRun]:
    """The grid, what is held out of it, and the lists of real use."""
    return [*scenarios(), *held_out(), *listed_runs("development"), *listed_runs("held_out")]


def parts() -> dict[str, str]:
    """The part of every run, by its name."""
    grid = scenarios()
    improved = development(grid)
    halves = {scenario.name: "development" if scenario.name in improved else "test" for scenario in grid}
    held = {scenario.name: "held_out" for scenario in held_out()}
    return halves | held | {run.name: part for part in ("development", "held_out") for run in listed_runs(part)}


def sample() -> set[str]:
    """Names of the runs of the fixed sample.

    Of the lists those that are marked; of the grid the first of each group and part in the order of the SHA-256 of
    their names.
    """
    part_of = parts()
    chosen = {run.name for part in ("development", "held_out") for run in listed_runs(part) if run.sample}
    cells: dict[tuple[str, str], list[str]] = {}
    for scenario in (*scenarios(), *held_out()):
        cells.setdefault((scenario.group, part_of[scenario.name]), []).append(scenario.name)
    for (_, part), names in cells.items():
        if part != "test":
            chosen.update(sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())[:SAMPLED])
    return chosen
