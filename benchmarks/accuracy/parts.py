"""Which scenarios an estimator may be improved on, and which only judge it."""

from __future__ import annotations

from benchmarks.accuracy.held_out import held_out
from benchmarks.accuracy.scenarios import Scenario, development, scenarios

PARTS = {"development": "development", "test": "test", "held_out": "held out"}
"""Parts of the study, and how the document calls them."""


def everything() -> list[Scenario]:
    """The grid and what is held out."""
    return [*scenarios(), *held_out()]


def parts() -> dict[str, str]:
    """The part of every scenario, by its name."""
    grid = scenarios()
    improved = development(grid)
    halves = {scenario.name: "development" if scenario.name in improved else "test" for scenario in grid}
    return halves | {scenario.name: "held_out" for scenario in held_out()}
