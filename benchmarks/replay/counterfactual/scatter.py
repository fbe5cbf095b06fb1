"""How far apart the simulator's own seeds are: what no prediction can be asked to beat.

python -m benchmarks.replay.counterfactual.scatter
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from benchmarks.replay.counterfactual.precision import STARVED
from benchmarks.replay.counterfactual.questions import QUESTIONS
from benchmarks.replay.counterfactual.runs import Flow
from benchmarks.replay.counterfactual.scores import weighted_quantile
from benchmarks.replay.counterfactual.truths import FIGURES, truth_of
from benchmarks.replay.counterfactual.worlds import WORLDS, StudyWorld
from benchmarks.replay.tables import table


class Apart(NamedTuple):
    """A seed beside the mean of the others."""

    held_out: bool
    world: str
    figure: str
    error: float
    seeds: int
    """How many there are; each flow counts once, whatever their number."""


def scatter(*, make: bool = True) -> list[Apart]:
    """Of every flow that does not starve, in every world, question and seed that makes its truth."""
    return [apart for world in WORLDS for apart in _of(world, make=make)]


def section(found: Sequence[Apart]) -> str:
    """Markdown: both halves, and the held-out worlds that are furthest apart."""
    halves = [("development", False), ("held-out", True)]
    rows = [[name, *_cells(each for each in found if each.held_out == half)] for name, half in halves]
    worlds = {each.world for each in found}
    high = {
        world: weighted_quantile(
            [(each.error, 1 / each.seeds) for each in found if each[1:3] == (world, "goodput")], 0.9
        )
        for world in worlds
    }
    wide = sorted((world for world in worlds if high[world] > WIDE), key=lambda world: -high[world])
    rows += [[world, *_cells(each for each in found if each.world == world)] for world in wide]
    return INTRODUCTION + table(["", *FIGURES], rows)


WIDE = 0.15
"""Worlds with a larger 90th percentile have a row of their own."""

INTRODUCTION = f"""## How far apart the simulators' own seeds are

One seed beside the mean of the others, median / 90th percentile of the difference; each flow counts once. Where two
senders do not hear each other, one of them takes the medium for long times, and chance decides which: in such worlds a
single run says little about the next one. Worlds with a 90th percentile of more than {100 * WIDE:.0f} % for goodput
have a row.

"""


def _cells(found: Iterable[Apart]) -> Iterator[str]:
    errors: dict[str, list[tuple[float, float]]] = {figure: [] for figure in FIGURES}
    for each in found:
        errors[each.figure].append((each.error, 1 / each.seeds))
    for values in errors.values():
        yield f"{100 * weighted_quantile(values, 0.5):.1f} / {100 * weighted_quantile(values, 0.9):.1f} %"


def _of(world: StudyWorld, *, make: bool) -> Iterator[Apart]:
    for question in QUESTIONS:
        if question.asked_of(world):
            yield from _apart(world, list(zip(*truth_of(world, question, make=make).seeds, strict=True)))


def _apart(world: StudyWorld, flows: Sequence[Sequence[Flow]]) -> Iterator[Apart]:
    fastest = max(fmean(seed.goodput_bps for seed in seeds) for seeds in flows)
    for seeds in flows:
        if fmean(seed.goodput_bps for seed in seeds) < STARVED * fastest:
            continue
        for figure, name in FIGURES.items():
            values = [value for seed in seeds if (value := getattr(seed, name))]
            for place, value in enumerate(values):
                others = [*values[:place], *values[place + 1 :]]
                if others:
                    yield Apart(world.held_out, world.name, figure, abs(value / fmean(others) - 1), len(values))


if __name__ == "__main__":
    print(section(scatter()))
