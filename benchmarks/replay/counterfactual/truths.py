"""What simulators did where a question is asked of a world, and the runs that it takes."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import takewhile

from benchmarks.replay.counterfactual.precision import STEPS, Values, imprecision, is_worth_more
from benchmarks.replay.counterfactual.questions import QUESTIONS, Question
from benchmarks.replay.counterfactual.runs import SEEDS, Flow, Run, program, truth
from benchmarks.replay.counterfactual.worlds import AGGREGATES, PHYS, StudyWorld

DEAD_BPS = 50_000
"""In a world with A-MPDUs a flow with less has stopped."""

FIGURES = {"goodput": "goodput_bps", "RTT, median": "rtt_p50_ms"}
"""Those whose means are to be known, and their names in a :class:`~.runs.Flow`."""


@dataclass(frozen=True)
class Truth:
    """What a simulator did where a question is asked of a world."""

    seeds: Sequence[Sequence[Flow]]
    """The TCP flows of each run that counts."""

    runs: int
    """How many were made; the others are no truth: a flow of theirs stopped, or the simulator crashed."""

    @property
    def imprecision(self) -> float:
        """Of the means, see :func:`~.precision.imprecision`."""
        return imprecision([_values(flow) for flow in zip(*self.seeds, strict=True)])

    @property
    def is_worth_more(self) -> bool:
        """Whether it gets the next step, see :func:`~.precision.is_worth_more`."""
        return is_worth_more(len(self.seeds), self.imprecision)


def truth_of(world: StudyWorld, question: Question, *, make: bool = True) -> Truth:
    """By the rule of :mod:`.precision`: until the means are known, or more seeds would not make them known.

    Args:
        world: the recorded one.
        question: what is asked of it.
        make: run what was not run yet; else the last step counts that was run, from the first one on.
    """
    found = with_seeds(world, question, STEPS[0])
    for step in STEPS[1:]:
        if not found.is_worth_more or not (make or is_run(world, question, step)):
            break
        found = with_seeds(world, question, step)
    return found


def is_run(world: StudyWorld, question: Question, number: int) -> bool:
    """Whether :func:`with_seeds` has all of its runs."""
    runs = [true_run(world, question, seed) for seed in SEEDS[: 2 * number]]
    there = list(takewhile(lambda run: run.is_made, runs))
    return len(there) == len(runs) or sum(counts(world, truth(run)) for run in there) >= number


def with_seeds(world: StudyWorld, question: Question, number: int) -> Truth:
    """Of the first seeds that count, so many; at most twice as many are tried, see :func:`counts`."""
    runs: list[Sequence[Flow]] = []
    kept: list[Sequence[Flow]] = []
    for seed in SEEDS[: 2 * number]:
        flows = truth(true_run(world, question, seed))
        runs.append([flow for flow in flows if flow.protocol == "tcp"])
        if counts(world, flows):
            kept.append(runs[-1])
        if len(kept) == number:
            break
    return Truth(kept or [flows for flows in runs if flows], len(runs))


def simulate(worlds: Iterable[StudyWorld], jobs: int, most: int = STEPS[-1], names: Collection[str] = ()) -> None:
    """Make the runs of all truths, or of those of the named questions, several at a time.

    Every truth is brought to a step before any gets the next one, those whose means are known least first, so that
    what is made when time runs out is what helps most.
    """
    program()
    asked = [(world, question) for world in worlds for question in QUESTIONS if question.asked_of(world)]
    asked = [each for each in asked if not names or each[1].name in names]
    for step in (step for step in STEPS if step <= most and asked):
        print(f"{len(asked)} truths from {step} seeds", file=sys.stderr, flush=True)
        with ThreadPoolExecutor(jobs) as pool:
            found = list(pool.map(with_seeds, *zip(*asked, strict=True), [step] * len(asked)))
        order = sorted(range(len(asked)), key=[truth.imprecision for truth in found].__getitem__, reverse=True)
        asked = [asked[place] for place in order if found[place].is_worth_more]


def counts(world: StudyWorld, flows: Sequence[Flow]) -> bool:
    """Whether a run is one of the truth: the simulator did not crash, and with A-MPDUs all flows live."""
    return bool(flows) and (PHYS[world.phy].standard not in AGGREGATES or live(flows))


def live(flows: Sequence[Flow]) -> bool:
    """Whether every TCP flow of a run delivered something.

    With A-MPDUs a link of ns-3.37 may stop for good. Where its ADDBA Response collides and is sent again, single frames
    pass before the retransmission; the recipient then answers the A-MPDUs that follow with BlockAcks, but its
    reordering buffer never hands them up. TCP sees no acknowledgement again.
    """
    return all(flow.goodput_bps >= DEAD_BPS for flow in flows if flow.protocol == "tcp")


def true_run(world: StudyWorld, question: Question, seed: int) -> Run:
    """The simulator's run that answers a question."""
    if world.simulator == "ns-2":
        limit = question.queue_packets or world.queue_packets
        return Run(replace(world, queue_packets=limit), question.ns2 or "", question.without, seed=seed)
    return Run(world, question.ns3 or "", question.without, question.doubled, seed=seed)


def _values(seeds: Sequence[Flow]) -> Values:
    return {
        figure: [value for flow in seeds if (value := getattr(flow, name)) is not None]
        for figure, name in FIGURES.items()
    }
