"""How well the truths of the study are known: a section of its page.

python -m benchmarks.replay.counterfactual.known
"""

from __future__ import annotations

from collections.abc import Iterable
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


def known(worlds: Iterable[StudyWorld] = WORLDS, most: int = STEPS[-1]) -> list[Known]:
    """Every truth of these worlds, with at most so many seeds."""
    found = []
    for world in worlds:
        for question in (question for question in QUESTIONS if question.asked_of(world)):
            truth = truth_of(world, question, most)
            found.append(Known(world.held_out, world.name, question.name, len(truth.seeds), truth.imprecision))
    return found


def section(found: Iterable[Known], most: int = STEPS[-1]) -> str:
    """Markdown: by half how many truths have how many seeds, and which are not known even so."""
    found = list(found)
    steps = [step for step in STEPS if step <= most]
    rows = []
    for name, half in (("development", False), ("held-out", True)):
        ours = [each for each in found if each.held_out == half]
        # Of 802.11n fewer may count than were asked for.
        counts = [sum(low < each.seeds <= high for each in ours) for low, high in zip([0, *steps], steps, strict=False)]
        rows.append([name, *counts, sum(each.imprecision > 1 for each in ours)])
    header = ["truths with seeds", *map(str, steps), "not known"]
    return introduction(most) + table(header, rows) + "\n" + _unknown(found)


def introduction(most: int) -> str:
    """The rule."""
    (_, goodput), (_, rtt) = GOALS.values()
    return f"""## How well the truth is known

Seeds of the simulator are added, {", ".join(str(step) for step in STEPS if step <= most)}, by world and question, until
the standard error of the means is at most a third of the goal for the 90th percentile: {100 * PART * goodput:.1f} % of
each flow's goodput, {100 * PART * rtt:.1f} % of its median RTT. The standard error has Student's factor, and flows that
starve have no say. A prediction is the mean of {REPLAY_SEEDS} seeds, or by the same rule of {MORE_REPLAY_SEEDS}. The
rule looks at scatter alone, and was fixed before the seeds were run. Intervals are those of a single run, drawn from
single runs; the truth that they are to hold is the mean.

"""


def _unknown(found: Iterable[Known]) -> str:
    """The worlds with truths that are not known, with the largest multiple."""
    worlds: dict[str, list[float]] = {}
    for each in found:
        if each.imprecision > 1:
            worlds.setdefault(each.world, []).append(each.imprecision)
    if not worlds:
        return "All truths are known so well."
    named = (
        f"`{world}` ({len(off)}, up to {max(off):.1f})"
        for world, off in sorted(worlds.items(), key=lambda each: -max(each[1]))
    )
    return (
        "Not known so well, with the number of questions and the largest standard error as a multiple of what is "
        f"allowed: {', '.join(named)}."
    )


if __name__ == "__main__":
    print(section(known()))
