"""How well the truths of the study are known, as far as they were run: a section of its page.

python -m benchmarks.replay.counterfactual.known
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from benchmarks.replay.counterfactual.precision import GOALS, MORE_REPLAY_SEEDS, PART, REPLAY_SEEDS, STEPS
from benchmarks.replay.counterfactual.questions import QUESTIONS
from benchmarks.replay.counterfactual.truths import truth_of
from benchmarks.replay.counterfactual.worlds import WORLDS, StudyWorld
from benchmarks.replay.tables import table


class Known(NamedTuple):
    """One truth: of a world and a question."""

    held_out: bool
    world: str
    question: str
    seeds: int
    imprecision: float
    """A multiple of what is allowed."""

    @property
    def needed(self) -> float:
        """Seeds with which it would be known."""
        return self.seeds * self.imprecision**2


def known(worlds: Iterable[StudyWorld] = WORLDS, *, make: bool = True, names: Collection[str] = ()) -> list[Known]:
    """Every truth of these worlds, or those of the named questions; see :func:`~.truths.truth_of` for ``make``."""
    found = []
    for world in worlds:
        asked = [question for question in QUESTIONS if question.asked_of(world)]
        for question in (question for question in asked if not names or question.name in names):
            truth = truth_of(world, question, make=make)
            found.append(Known(world.held_out, world.name, question.name, len(truth.seeds), truth.imprecision))
    return found


def by_chance(found: Iterable[Known]) -> set[str]:
    """The worlds that chance decides: more than half of their truths are not known with the seeds that were run.

    That is the scatter of seeds alone; nothing that was predicted is looked at.
    """
    worlds: dict[str, list[bool]] = {}
    for each in found:
        worlds.setdefault(each.world, []).append(each.imprecision > 1)
    return {world for world, unknown in worlds.items() if 2 * sum(unknown) > len(unknown)}


def section(found: Sequence[Known]) -> str:
    """Markdown: by half how many truths have how many seeds, and which are not known even so."""
    rows = []
    for name, half in (("development", False), ("held-out", True)):
        ours = [each for each in found if each.held_out == half]
        # Of 802.11n fewer may count than were asked for.
        counts = [sum(low < each.seeds <= high for each in ours) for low, high in pairwise([0, *STEPS])]
        unknown = [each for each in ours if each.imprecision > 1]
        rows.append([name, *counts, len(unknown), sum(each.seeds < STEPS[-1] for each in unknown)])
    header = ["truths with seeds", *map(str, STEPS), "not known", "of these not run to the last step"]
    return INTRODUCTION + table(header, rows) + "\n" + _unknown(found)


_GOODPUT, _RTT = (100 * PART * high for _, high in GOALS.values())
INTRODUCTION = f"""## How well the truth is known

Seeds of the simulator are added, {", ".join(map(str, STEPS))}, by world and question, until the standard error of the
means is at most a third of the goal for the 90th percentile: {_GOODPUT:.1f} % of each flow's goodput, {_RTT:.1f} % of
its median RTT. The standard error has Student's factor, and flows that starve have no say. A prediction is the mean of
{REPLAY_SEEDS} seeds, or by the same rule of {MORE_REPLAY_SEEDS}. The rule looks at scatter alone, and was fixed before
the seeds were run. Intervals are those of a single run, drawn from single runs; the truth that they are to hold is the
mean. Of the last step, which makes most of the cost, few have been run.

"""


def _unknown(found: Iterable[Known]) -> str:
    """The worlds with truths that are not known."""
    worlds: dict[str, list[Known]] = {}
    for each in found:
        if each.imprecision > 1:
            worlds.setdefault(each.world, []).append(each)
    if not worlds:
        return "All truths are known so well."
    rows = [
        [
            world,
            len(ours),
            f"{max(each.imprecision for each in ours):.1f}",
            _rounded(max(each.needed for each in ours)),
        ]
        for world, ours in sorted(worlds.items(), key=lambda item: -max(each.needed for each in item[1]))
    ]
    header = ["not known", "questions", "largest standard error, of what is allowed", "seeds that it would take"]
    return table(header, rows)


def _rounded(seeds: float) -> str:
    """Two digits: how far seeds scatter is not known better."""
    if seeds == inf:
        return "–"
    digits = max(len(str(round(seeds))) - 2, 0)
    return str(round(round(seeds), -digits))


if __name__ == "__main__":
    print(section(known(make=False)))
