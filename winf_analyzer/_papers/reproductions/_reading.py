"""Readings of a text: a scene with one thing changed, to see whether a result of the paper comes out then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from winf_analyzer._papers.reproductions._study import BESIDE, Arm, Figure, Statement, Study, X
from winf_analyzer._replay.topologies.world import World


@dataclass(frozen=True)
class Reading:
    """One change: how else the text can be read, or what the paper's simulator may have had."""

    name: str
    scene: Mapping[str, Any] = field(default_factory=dict)
    """Options of the function that makes the scene."""
    world: Callable[[World], World] | None = None
    """What is done to the world."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings of controllers, by their names."""

    def beforehand(self) -> Reading:
        """The same for a scene that makes a world of another: it takes the change of the latter as option `change`."""
        return Reading(self.name, {**self.scene, "change": self.world}, None, self.settings)

    def and_also(self, name: str, **scene: Any) -> Reading:
        """The same with one more option of the scene, to compare the two."""
        return replace(self, name=beside(self.name, name), scene={**self.scene, **scene})


def beside(reading: X, name: str) -> str:
    """The name of a reading in a scene with another option, which :meth:`Reading.and_also` makes."""
    return f"{reading}{BESIDE}{name}"


def paired(name: str, readings: Sequence[Reading], **scene: Any) -> tuple[Reading, ...]:
    """Each of these, and the scene as it is, with and without one more option."""
    found = [AS_IT_IS.and_also(name, **scene)]
    for reading in readings:
        found += [reading, reading.and_also(name, **scene)]
    return tuple(found)


AS_IT_IS = Reading("as elsewhere")
"""The scene of the other studies."""


def with_mac(name: str, **mac: Any) -> Reading:
    """Another MAC."""
    return Reading(name, world=lambda world: {**world, "mac": {**world["mac"], **mac}})


def holds_against(
    item: str, metric: str, says: Sequence[Statement] = (), arms: str | tuple[str, ...] = "", **printed: float
) -> Figure:
    """The statements of an item, decided with each reading by itself; `printed` by arm."""
    return Figure(item, metric, says, {label: {"": value} for label, value in printed.items()}, arms)


def tried(
    name: str,
    title: str,
    scene: Callable[..., World],
    arms: Sequence[Arm],
    readings: Sequence[Reading],
    figures: Sequence[Figure],
    *,
    seeds: int,
    seconds: float,
    quick: tuple[int, float],
    bin_s: float | None = None,
    notes: str = "",
) -> Study:
    """A study whose places are the readings, the first as in the other studies; `quick` are seeds and seconds.

    `scene` makes a world of a seed, seconds and the options of a reading. Printed values that stand at the place ""
    stand beside every reading.
    """
    by_name = {reading.name: reading for reading in (AS_IT_IS, *readings)}
    names = tuple(by_name)

    def world(place: X, seed: int, length: float) -> World:
        reading = by_name[str(place)]
        made = scene(seed, length, **reading.scene)
        return reading.world(made) if reading.world else made

    def with_settings(arm: Arm) -> Arm:
        return replace(arm, settings_at=lambda place: by_name[str(place)].settings.get(arm.controller, {}))

    def at_each(figure: Figure) -> Figure:
        values: dict[str, Mapping[X, float]] = {
            label: dict.fromkeys(names, printed[""]) for label, printed in figure.printed.items()
        }
        return replace(figure, printed=values, readings=True)

    return Study(
        name,
        title,
        "reading",
        names,
        world,
        tuple(map(with_settings, arms)),
        tuple(map(at_each, figures)),
        seeds=seeds,
        seconds=seconds,
        quick_places=names,
        quick_seeds=quick[0],
        quick_seconds=quick[1],
        bin_s=bin_s,
        notes=notes,
    )
