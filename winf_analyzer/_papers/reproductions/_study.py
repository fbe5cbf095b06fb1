"""What a study declares: worlds, arms, figures, and the statements of the paper that it decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from winf_analyzer._replay.topologies.world import World

X = int | float | str
"""A place on the horizontal axis: a number of nodes, hops or flows, seconds, or a name."""

Along = Literal["worlds", "flows", "links", "seconds", "rtt_ms"]
"""What the places of a study are: worlds of their own, the flows or the links of one world, instants of one world from
each of which a part of its time reaches to the next, or round-trip times of its flows, likewise."""

Run = dict[str, Any]
"""One run: `arm`, `place`, `seed` and its `metrics`."""

Means = Mapping[tuple[str, X], float]
"""The mean of one figure by arm and place."""


@dataclass(frozen=True)
class Arm:
    """A curve of a figure: a controller in one mode."""

    label: str
    controller: str
    mode: str = "corrected"
    settings: Mapping[str, Any] = field(default_factory=dict)
    settings_at: Callable[[X], Mapping[str, Any]] | None = None
    """More settings, which depend on the place."""
    flows: tuple[str, ...] = ()
    """What the names of its flows begin with; all without."""
    places: tuple[X, ...] = ()
    """Where it is run; everywhere without."""


BESIDE = "; "
"""Stands in the names of places that are there for another to be compared with them."""


@dataclass(frozen=True)
class Curve:
    """One curve of a figure that does not just have one for each arm."""

    name: str
    arm: str
    """Label of the arm."""
    metric: str
    panel: str = ""
    """Title of the panel that it is drawn in, where a figure has several."""
    dashed: bool = False


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
    arms: str | tuple[str, ...] = ""
    """What the labels of the drawn arms begin with; all without."""
    within: tuple[float, float] | None = None
    """The part of the axis that it shows; all without."""
    curves: Sequence[Curve] = ()
    """What is drawn; without, the metric of each arm that `arms` names."""
    levels: Mapping[str, float] = field(default_factory=dict)
    """Dashed lines that do not depend on the place, in the metric's unit."""
    normalised: bool = False
    """Whether each curve is drawn over the largest of its values."""
    across: Sequence[tuple[str, str]] = ()
    """Pairs of arms: the first is the horizontal axis of the figure, the second is drawn over it."""
    chord: str = ""
    """Name of a straight line between the ends of the first of these; none without."""
    grid: bool = False
    """Whether places and arms are the two axes, and values are colours."""
    variant: str = ""
    """What is otherwise than in the study that shows the item first; part of the names of its files."""
    part: str = ""
    """What it shows of the item, where another study shows something else of it; in the names of its files, too."""
    readings: bool = False
    """Whether places are readings of the text, with each of which the statements are decided by themselves. They are
    given the means of all readings, and the place of one."""

    @property
    def file(self) -> str:
        """Name of the files it is written to, without an ending."""
        return "-".join(filter(None, (self.item, self.part, self.variant, "readings" if self.readings else "")))

    def draws(self, arm: Arm) -> bool:
        """Whether the arm belongs to the figure."""
        return arm.label.startswith(self.arms)

    def drawn(self, arms: Sequence[Arm]) -> list[Curve]:
        """Its curves."""
        return list(self.curves) or [Curve(arm.label, arm.label, self.metric) for arm in arms if self.draws(arm)]

    def shows(self, places: Sequence[X]) -> list[X]:
        """Those of the places that it draws."""
        if self.within is None:
            return list(places)
        least, most = self.within
        return [place for place in places if isinstance(place, (int, float)) and least <= place < most]


@dataclass(frozen=True)
class Statement:
    """Something that the paper says of a figure."""

    text: str
    holds: Callable[[Means, Sequence[X]], bool]
    metric: str = ""
    """What it is about, if not the figure's metric."""


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
    along: Along = "worlds"
    """What the places are."""
    bin_s: float | None = None
    """Width of the bins that metrics over time are made of; None: that of the world."""
    notes: str = ""
    """What had to be assumed."""
    recorded: Callable[[X, int], list[Run]] | None = None
    """The runs at a place with a seed, where they are read from recordings instead of made; at every place, if places
    are parts of one recording."""
    kept_in_full: Callable[[X, int], list[Run]] | None = None
    """The same of the paper's length and repetitions, where only what was found in those recordings is kept."""
    columns: Mapping[X, str] = field(default_factory=dict)
    """Where the places are the columns of a table: the metric of each, which the metric `value` stands for."""


def above(upper: str, lower: str, text: str, metric: str = "") -> Statement:
    """One curve lies above another at every place."""
    return Statement(text, lambda means, places: all(means[upper, x] > means[lower, x] for x in places), metric)


def below(lower: str, upper: str, text: str, metric: str = "") -> Statement:
    """One curve lies below another at every place."""
    return above(upper, lower, text, metric)
