"""What a study declares: worlds, arms, figures, and the statements of the paper that it decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from winf_analyzer._replay.topologies.world import World

X = int | str
"""A place on the horizontal axis: a number of nodes, hops or flows, or a name."""

Means = Mapping[tuple[str, X], float]
"""The mean of one figure by arm and place."""


@dataclass(frozen=True)
class Arm:
    """A curve of a figure: a controller in one mode."""

    label: str
    controller: str
    mode: str = "corrected"
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """One panel: what is drawn over the places of its study."""

    item: str
    """Identifier in the register."""
    metric: str
    """A key of :data:`.METRICS`."""
    says: Sequence[Statement] = ()
    printed: Mapping[str, Mapping[X, float]] = field(default_factory=dict)
    """Values that the paper prints, by arm and place, in the metric's unit."""
    arms: str = ""
    """What the labels of the drawn arms begin with; all without."""

    def draws(self, arm: Arm) -> bool:
        """Whether the arm belongs to the figure."""
        return arm.label.startswith(self.arms)


@dataclass(frozen=True)
class Statement:
    """Something that the paper says of a figure."""

    text: str
    holds: Callable[[Means, Sequence[X]], bool]


@dataclass(frozen=True)
class Study:
    """A scene of a paper, run once for all its figures."""

    name: str
    title: str
    axis: str
    """Title of the horizontal axis."""
    places: Sequence[X]
    world: Callable[[X, int, float], World]
    """The world at a place, with a seed, of so many seconds."""
    arms: Sequence[Arm]
    figures: Sequence[Figure]
    seeds: int
    """The paper's number of repetitions."""
    seconds: float
    """The paper's length of a run."""
    quick_places: Sequence[X]
    quick_seeds: int
    quick_seconds: float
    by_flow: bool = False
    """The places are the flows of one world."""
    notes: str = ""
    """What had to be assumed."""


def above(upper: str, lower: str, text: str) -> Statement:
    """One curve lies above another at every place."""
    return Statement(text, lambda means, places: all(means[upper, x] > means[lower, x] for x in places))


def below(lower: str, upper: str, text: str) -> Statement:
    """One curve lies below another at every place."""
    return above(upper, lower, text)
