"""What a replay of a recording predicts, beside what the simulator then did."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import polars as pl

import winf_analyzer
from benchmarks.replay.counterfactual.questions import CONTROLLERS, ITSELF, QUESTIONS, Question
from benchmarks.replay.counterfactual.runs import RECORDED_SEEDS, SEEDS, Flow, Run, made, truth
from benchmarks.replay.counterfactual.worlds import PHYS, StudyWorld
from winf_analyzer._replay.intervals import intervals
from winf_analyzer._replay.unknowns import OWN_RECORDING, THIRD_PARTY

REPLAY_SEEDS, DRAWS = 3, 20
FIGURES = {
    "goodput": ("throughput_bps", "throughput_low_bps", "throughput_high_bps"),
    "RTT, median": ("rtt_p50_ms", "rtt_p50_low_ms", "rtt_p50_high_ms"),
    "RTT, 95 %": ("rtt_p95_ms", "rtt_p95_low_ms", "rtt_p95_high_ms"),
    "loss": ("loss", None, None),
}
"""Columns of a replay's summary: the figure and the ends of its interval."""

_DRAWN, _UNREPRODUCED = "drawn_", "unreproduced"
"""Prefix and name of further columns, see :class:`Prediction`."""

STARVED = 0.05
"""A flow with less than this share of the fastest one starves: its few packets make no mean to compare."""


DEAD_BPS = 50_000
"""In a world of 802.11n a flow with less has stopped."""


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

    stopped: int = 0
    """Runs of the simulator that are no truth, because a flow of theirs stopped."""

    drawn: tuple[float, float] | None = None
    """Ends of the interval over what was drawn alone, before it is made longer by what the model is off."""

    unreproduced: float = 0.0
    """Share by which the replay itself says to be off, because it does not deliver what was recorded; 0 if that is less
    than what the model is off in every world."""

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


def predictions(world: StudyWorld, observer: str, names: Collection[str] = ()) -> Iterator[Prediction]:
    """Of every question of a world, or of the named ones, from what one observer recorded."""
    run = recorded_run(world, observer)
    asked = [question for question in QUESTIONS if question.asked_of(world) and (not names or question.name in names)]
    together = [question for question in asked if question in CONTROLLERS]
    for group in (together, *([question] for question in asked if question not in CONTROLLERS)):
        if group:
            yield from _answers(world, observer, run, group)


def _answers(world: StudyWorld, observer: str, run: Run, questions: Sequence[Question]) -> Iterator[Prediction]:
    """Predictions of questions that differ in the controller only."""
    summary, reason = _replayed(run, questions)
    for question in questions:
        runs = [truth(true_run(world, question, seed)) for seed in SEEDS]
        seeds = alive(world, runs)
        flows = [flow for flow in seeds[0] if flow.protocol == "tcp"]
        fastest = max(_mean(seeds, flow, "goodput_bps") or 0 for flow in flows)
        for flow in flows:
            starved = (_mean(seeds, flow, "goodput_bps") or 0) < STARVED * fastest
            row = None if summary is None else _row(summary, question, flow)
            for figure, columns in FIGURES.items():
                predicted, low, high = (row[name] if row and name else None for name in columns)
                true = _mean(seeds, flow, _TRUE[figure])
                low_drawn, high_drawn = (row.get(f"{_DRAWN}{name}") if row else None for name in columns[1:])
                why = reason or ("" if row else "the flow is not in the replay")
                yield Prediction(
                    *(world.name, world.held_out, observer, question.name, flow.key, figure),
                    *(predicted, low, high, true, starved),
                    reason=why,
                    stopped=len(runs) - len(seeds),
                    drawn=None if low_drawn is None or high_drawn is None else (low_drawn, high_drawn),
                    unreproduced=row.get(_UNREPRODUCED, 0.0) if row else 0.0,
                )


def alive(world: StudyWorld, seeds: Sequence[Sequence[Flow]]) -> Sequence[Sequence[Flow]]:
    """The runs in which every TCP flow delivered something, if there is one.

    With A-MPDUs a link of ns-3.37 may stop for good. Where its ADDBA Response collides and is sent again, single frames
    pass before the retransmission; the recipient then answers the A-MPDUs that follow with BlockAcks, but its
    reordering buffer never hands them up. TCP sees no acknowledgement again.
    """
    if PHYS[world.phy].standard != "802.11n":
        return seeds
    return [run for run in seeds if live(run)] or seeds


def live(flows: Sequence[Flow]) -> bool:
    """Whether every TCP flow of a run delivered something."""
    return all(flow.goodput_bps >= DEAD_BPS for flow in flows if flow.protocol == "tcp")


_TRUE = {"goodput": "goodput_bps", "RTT, median": "rtt_p50_ms", "RTT, 95 %": "rtt_p95_ms", "loss": "loss"}


def recorded_run(world: StudyWorld, observer: str) -> Run:
    """The run that is recorded: of the seeds for it the first whose flows all live, see :func:`alive`.

    Whether they do is known of the recording alone. Where no seed's flows do it is the first.
    """
    controller = ITSELF.ns2 if world.simulator == "ns-2" else ITSELF.ns3
    runs = [Run(world, controller or "", seed=seed, record=observer) for seed in RECORDED_SEEDS]
    if PHYS[world.phy].standard != "802.11n":
        return runs[0]
    return next((run for run in runs if live(truth(run))), runs[0])


def true_run(world: StudyWorld, question: Question, seed: int) -> Run:
    """The simulator's run that answers a question."""
    if world.simulator == "ns-2":
        limit = question.queue_packets or world.queue_packets
        return Run(replace(world, queue_packets=limit), question.ns2 or "", question.without, seed=seed)
    return Run(world, question.ns3 or "", question.without, question.doubled, seed=seed)


def _mean(seeds: Sequence[Sequence[Flow]], flow: Flow, figure: str) -> float | None:
    """Mean of the seeds that have the figure."""
    same = [getattr(other, figure) for flows in seeds for other in flows if other.key == flow.key]
    values = [value for value in same if value is not None]
    return fmean(values) if values else None


def _replayed(run: Run, questions: Sequence[Question]) -> tuple[pl.DataFrame | None, str]:
    """Means over the seeds by controller and flow, or why there is no replay."""
    folder = made(run)
    question = questions[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            dataset = winf_analyzer.ingest([folder / "recording"], folder / "run.winf", force=True)
            without = _last_flows(dataset, run, question.without)
            replayed = winf_analyzer.replay(
                dataset,
                controllers=[question.controller for question in questions],
                settings={question.controller: question.settings for question in questions if question.settings},
                without=without,
                changes=question.changes,
                seeds=REPLAY_SEEDS,
                draws=DRAWS,
            )
        except winf_analyzer.WinfError as error:
            return None, str(error)
    loss = pl.col("retransmissions") / pl.col("sent_packets")
    means = replayed.summary.with_columns(loss=loss).group_by("controller", "flow").agg(pl.selectors.float().mean())
    return _with_drawn(means, replayed), ""


def _with_drawn(means: pl.DataFrame, replayed: winf_analyzer.Replayed) -> pl.DataFrame:
    """Means with the ends of intervals over the draws alone, and with what the replay itself says to be off."""
    if replayed.draws is None:
        return means
    ends = [end for columns in FIGURES.values() for end in columns[1:] if end]
    drawn = intervals(replayed.draws).select("controller", "flow", pl.col(ends).name.prefix(_DRAWN))
    share = replayed.model_errors.get("throughput_bps", 0.0)
    is_constant = share in (OWN_RECORDING["throughput_bps"], THIRD_PARTY["throughput_bps"])
    joined = means.join(drawn, on=["controller", "flow"], how="left")
    return joined.with_columns(pl.lit(0.0 if is_constant else share).alias(_UNREPRODUCED))


def _last_flows(dataset: winf_analyzer.Dataset, run: Run, number: int) -> list[str]:
    """Names of the last TCP flows of a recording."""
    if not number:
        return []
    found = winf_analyzer.replay(dataset, controllers=["new_reno"], draws=0, duration="1s").summary["flow"].unique()
    keys = [flow.key for flow in truth(run) if flow.protocol == "tcp"][-number:]
    return [name for name in found if any(f" {key} " in f"{name} " for key in keys)]


def _row(summary: pl.DataFrame, question: Question, flow: Flow) -> dict[str, float] | None:
    ours = (pl.col("controller") == question.controller) & pl.concat_str(pl.lit(" "), "flow", pl.lit(" ")).str.contains(
        f" {flow.key} ", literal=True
    )
    rows = summary.filter(ours)
    return rows.row(0, named=True) if len(rows) else None
