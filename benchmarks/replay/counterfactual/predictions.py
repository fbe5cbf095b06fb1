"""What a replay of a recording predicts, beside what the simulator then did."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import polars as pl

from benchmarks.replay.counterfactual.precision import STARVED, standard_error
from benchmarks.replay.counterfactual.questions import CONTROLLERS, ITSELF, QUESTIONS, Question
from benchmarks.replay.counterfactual.replays import BY_CHANCE, DRAWN, SEEDS, UNREPRODUCED, replayed
from benchmarks.replay.counterfactual.runs import RECORDED_SEEDS, Flow, Run, truth
from benchmarks.replay.counterfactual.truths import live, truth_of
from benchmarks.replay.counterfactual.worlds import AGGREGATES, PHYS, StudyWorld

FIGURES = {
    "goodput": ("throughput_bps", "throughput_low_bps", "throughput_high_bps"),
    "RTT, median": ("rtt_p50_ms", "rtt_p50_low_ms", "rtt_p50_high_ms"),
    "RTT, 95 %": ("rtt_p95_ms", "rtt_p95_low_ms", "rtt_p95_high_ms"),
    "loss": ("loss", None, None),
}
"""Columns of a replay's summary: the figure and the ends of its interval."""


@dataclass(frozen=True)
class Prediction:
    """A figure of a flow, predicted and true."""

    world: str
    held_out: bool
    observer: str
    question: str
    flow: str
    figure: str
    predicted: float | None
    low: float | None
    high: float | None
    true: float | None
    starved: bool
    reason: str = ""
    """Why nothing is predicted."""

    truths: int = 0
    """Seeds of the simulator whose mean is the truth."""

    stopped: int = 0
    """Runs of the simulator that are no truth, because a flow of theirs stopped."""

    seeds: int = 0
    """Seeds of the replay whose mean is predicted."""

    drawn: tuple[float, float] | None = None
    """Ends of the interval over what was drawn alone, before it is made longer by what the model is off."""

    unreproduced: float = 0.0
    """Share by which the replay itself says to be off, because it does not deliver what was recorded; 0 if that is less
    than what the model is off in every world."""

    imprecision: float = 0.0
    """Of all flows of the truth, see :func:`~.precision.imprecision`: up to 1 it is known."""

    true_error: float = 0.0
    """Standard error of what is true of this flow, as a share of it; see :func:`~.precision.standard_error`."""

    of_runs: tuple[float, ...] = ()
    """What is true of single runs of the simulator, whose mean is the truth."""

    says_chance: bool = False
    """Whether the replay says that chance decides, of some flow of its."""

    @property
    def error(self) -> float | None:
        """Relative, of losses the difference; None without one of the two."""
        if self.predicted is None or self.true is None:
            return None
        if self.figure == "loss":
            return self.predicted - self.true
        return self.predicted / self.true - 1 if self.true else None

    @property
    def covered(self) -> bool | None:
        """Whether the interval holds the truth; None without an interval."""
        if self.low is None or self.high is None or self.true is None:
            return None
        return self.low <= self.true <= self.high

    @property
    def held_runs(self) -> float | None:
        """Share of the simulator's single runs that the interval holds; None without an interval."""
        if self.low is None or self.high is None or not self.of_runs:
            return None
        return fmean(self.low <= value <= self.high for value in self.of_runs)


def predictions(
    world: StudyWorld, observer: str, names: Collection[str] = (), *, make: bool = True
) -> Iterator[Prediction]:
    """Of every question of a world, or of the named ones, from what one observer recorded.

    Args:
        world: the recorded one.
        observer: who recorded it.
        names: of the questions; none: all.
        make: run the simulators where a truth needs more seeds, see :func:`~.truths.truth_of`.
    """
    run = recorded_run(world, observer)
    asked = [question for question in QUESTIONS if question.asked_of(world) and (not names or question.name in names)]
    together = [question for question in asked if question in CONTROLLERS]
    for group in (together, *([question] for question in asked if question not in CONTROLLERS)):
        if group:
            yield from _answers(world, observer, run, group, make=make)


def listed(world: StudyWorld, observer: str, names: Collection[str], *, make: bool) -> list[Prediction]:
    """The same as a list, for processes of a pool: what they run has to be in a module that they can import."""
    return list(predictions(world, observer, names, make=make))


def _answers(
    world: StudyWorld, observer: str, run: Run, questions: Sequence[Question], *, make: bool
) -> Iterator[Prediction]:
    """Predictions of questions that differ in the controller only."""
    summary, reason = replayed(run, questions)
    for question in questions:
        known = truth_of(world, question, make=make)
        fastest = max(_mean(known.seeds, flow, "goodput_bps") or 0 for flow in known.seeds[0])
        for flow in known.seeds[0]:
            starved = (_mean(known.seeds, flow, "goodput_bps") or 0) < STARVED * fastest
            row = None if summary is None else _row(summary, question, flow)
            for figure, columns in FIGURES.items():
                predicted, low, high = (row[name] if row and name else None for name in columns)
                of_seeds = _of_seeds(known.seeds, flow, _TRUE[figure])
                true = fmean(of_seeds) if of_seeds else None
                low_drawn, high_drawn = (row.get(f"{DRAWN}{name}") if row else None for name in columns[1:])
                why = reason or ("" if row else "the flow is not in the replay")
                yield Prediction(
                    *(world.name, world.held_out, observer, question.name, flow.key, figure),
                    *(predicted, low, high, true, starved),
                    reason=why,
                    truths=len(known.seeds),
                    stopped=known.runs - len(known.seeds),
                    seeds=int(row[SEEDS]) if row else 0,
                    drawn=None if low_drawn is None or high_drawn is None else (low_drawn, high_drawn),
                    unreproduced=row[UNREPRODUCED] if row else 0.0,
                    imprecision=known.imprecision,
                    true_error=standard_error(of_seeds),
                    of_runs=tuple(of_seeds),
                    says_chance=bool(row and row[BY_CHANCE]),
                )


_TRUE = {"goodput": "goodput_bps", "RTT, median": "rtt_p50_ms", "RTT, 95 %": "rtt_p95_ms", "loss": "loss"}


def recorded_run(world: StudyWorld, observer: str) -> Run:
    """The run that is recorded: of the seeds for it the first whose flows all live, see :func:`~.truths.live`.

    Whether they do is known of the recording alone. Where no seed's flows do it is the first.
    """
    controller = ITSELF.ns2 if world.simulator == "ns-2" else ITSELF.ns3
    runs = [Run(world, controller or "", seed=seed, record=observer) for seed in RECORDED_SEEDS]
    if PHYS[world.phy].standard not in AGGREGATES:
        return runs[0]
    return next((run for run in runs if live(truth(run))), runs[0])


def _of_seeds(seeds: Sequence[Sequence[Flow]], flow: Flow, figure: str) -> list[float]:
    """Of the seeds that have the figure."""
    same = [getattr(other, figure) for flows in seeds for other in flows if other.key == flow.key]
    return [value for value in same if value is not None]


def _mean(seeds: Sequence[Sequence[Flow]], flow: Flow, figure: str) -> float | None:
    values = _of_seeds(seeds, flow, figure)
    return fmean(values) if values else None


def _row(summary: pl.DataFrame, question: Question, flow: Flow) -> dict[str, float] | None:
    ours = (pl.col("controller") == question.controller) & pl.concat_str(pl.lit(" "), "flow", pl.lit(" ")).str.contains(
        f" {flow.key} ", literal=True
    )
    rows = summary.filter(ours)
    return rows.row(0, named=True) if len(rows) else None
