"""Replays of the study's recordings, each made once and kept beside the runs of the simulators.

What is kept are seeds and draws. Intervals are made of them when they are read, by the same functions as in the program
and with today's shares of ``winf_analyzer/_replay/unknowns.py``: shares that are found again need no replay again.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

import winf_analyzer
from benchmarks.replay.counterfactual.precision import MORE_REPLAY_SEEDS, REPLAY_SEEDS, Values, imprecision
from benchmarks.replay.counterfactual.questions import Question
from benchmarks.replay.counterfactual.runs import CACHE, Run, made, truth
from winf_analyzer._replay.intervals import FIGURES, intervals, with_intervals
from winf_analyzer._replay.unknowns import OWN_RECORDING, THIRD_PARTY

DRAWS = 20
COLUMNS = {"goodput": "throughput_bps", "RTT, median": "rtt_p50_ms"}
"""Figures whose means are to be known, and their columns in a replay's summary."""

DRAWN, UNREPRODUCED, SEEDS, BY_CHANCE = "drawn_", "unreproduced", "seeds", "by_chance"
"""Of the columns that means have besides: the prefix of the ends of intervals over the draws alone; the share by which
the replay itself says to be off; of how many seeds they are; and whether the replay says of the controller that chance
decides."""


def replayed(run: Run, questions: Sequence[Question]) -> tuple[pl.DataFrame | None, str]:
    """Means over the seeds by controller and flow, or why there is no replay.

    Args:
        run: the recording.
        questions: of which only the controller differs.
    """
    kept = folder(run, questions)
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        # Under a name of its own until it is whole.
        new = Path(tempfile.mkdtemp(prefix=f"{kept.name}.", dir=kept.parent))
        _keep(run, questions, new)
        new.rename(kept)
    facts = json.loads((kept / "facts.json").read_text(encoding="utf-8"))
    if facts["reason"]:
        return None, facts["reason"]
    summary, draws = (pl.read_parquet(kept / f"{name}.parquet") for name in ("summary", "draws"))
    return means(summary, draws, facts), ""


def folder(run: Run, questions: Sequence[Question]) -> Path:
    """Where a replay is kept; its name tells recording, questions and code."""
    return CACHE / "replays" / f"{run.folder.name}-{_key(questions)}"


def means(summary: pl.DataFrame, draws: pl.DataFrame, facts: Mapping[str, Any]) -> pl.DataFrame:
    """Of the seeds, with intervals by today's shares."""
    errors = {
        figure: max(share, facts["unreproduced"])
        for figure, share in (THIRD_PARTY if facts["third_party"] else OWN_RECORDING).items()
    }
    found = intervals(draws, errors, facts["fastest_bps"], facts["biases"])
    rows = with_intervals(summary, found).with_columns(loss=pl.col("retransmissions") / pl.col("sent_packets"))
    of_seeds = rows.group_by("controller", "flow").agg(pl.selectors.float().mean(), pl.len().alias(SEEDS))
    ends = [end for both in FIGURES.values() for end in both]
    drawn = intervals(draws, biases=facts["biases"]).select("controller", "flow", pl.col(ends).name.prefix(DRAWN))
    joined = of_seeds.join(drawn, on=["controller", "flow"], how="left")
    said = pl.lit(facts["by_chance"], pl.List(pl.String))
    return joined.with_columns(
        pl.lit(facts["unreproduced"]).alias(UNREPRODUCED), pl.col("controller").is_in(said).alias(BY_CHANCE)
    )


def unknown(summary: pl.DataFrame) -> list[str]:
    """The controllers whose means these seeds do not tell well enough."""
    found = []
    for (controller,), rows in summary.group_by("controller", maintain_order=True):
        flows: list[Values] = [
            {figure: of_flow[column].drop_nulls().to_list() for figure, column in COLUMNS.items()}
            for _, of_flow in rows.group_by("flow", maintain_order=True)
        ]
        if imprecision(flows) > 1:
            found.append(str(controller))
    return found


def _keep(run: Run, questions: Sequence[Question], folder: Path) -> None:
    """Replay, and write what is kept into a folder."""
    facts: dict[str, Any] = {"reason": ""}
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as scratch:
        warnings.simplefilter("ignore")
        try:
            dataset = winf_analyzer.ingest([made(run) / "recording"], Path(scratch) / "run.winf")
            few = _replay(dataset, run, questions, list(range(1, REPLAY_SEEDS + 1)), DRAWS)
            summary = few.summary
            more = [question for question in questions if question.controller in unknown(summary)]
            if more:
                seeds = list(range(REPLAY_SEEDS + 1, MORE_REPLAY_SEEDS + 1))
                summary = pl.concat([summary, _replay(dataset, run, more, seeds, 0).summary])
        except winf_analyzer.WinfError as error:
            facts["reason"] = str(error)
        else:
            assert few.draws is not None
            summary.write_parquet(folder / "summary.parquet")
            few.draws.write_parquet(folder / "draws.parquet")
            facts |= _facts(few)
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")


def _facts(replay: winf_analyzer.Replayed) -> dict[str, Any]:
    """What intervals need besides the draws."""
    errors = replay.model_errors
    is_third = errors is not OWN_RECORDING
    constants = THIRD_PARTY if is_third else OWN_RECORDING
    # Each is the larger one of the share of the figure and of what the replay is off.
    off = [share for figure, share in errors.items() if share != constants[figure]]
    assert replay.by_chance is not None
    return {
        "third_party": is_third,
        "unreproduced": off[0] if off else 0.0,
        "fastest_bps": replay.fastest_bps,
        "biases": replay.biases,
        "by_chance": replay.by_chance["controller"].unique(maintain_order=True).to_list(),
    }


def _replay(
    dataset: winf_analyzer.Dataset, run: Run, questions: Sequence[Question], seeds: list[int], draws: int
) -> winf_analyzer.Replayed:
    question = questions[0]
    return winf_analyzer.replay(
        dataset,
        controllers=[question.controller for question in questions],
        settings={question.controller: question.settings for question in questions if question.settings},
        without=_last_flows(dataset, run, question.without),
        changes=question.changes,
        seeds=seeds,
        draws=draws,
    )


def _last_flows(dataset: winf_analyzer.Dataset, run: Run, number: int) -> list[str]:
    """Names of the last TCP flows of a recording."""
    if not number:
        return []
    found = winf_analyzer.replay(dataset, controllers=["new_reno"], draws=0, duration="1s").summary["flow"].unique()
    keys = [flow.key for flow in truth(run) if flow.protocol == "tcp"][-number:]
    return [name for name in found if any(f" {key} " in f"{name} " for key in keys)]


def _key(questions: Sequence[Question]) -> str:
    """Of what a replay is made of besides the recording."""
    said = repr((tuple(questions), REPLAY_SEEDS, MORE_REPLAY_SEEDS, DRAWS, _code()))
    return hashlib.sha256(said.encode()).hexdigest()[:10]


@cache
def _code() -> str:
    """The content of the package; without the shares, which are no part of what is kept."""
    package = Path(winf_analyzer.__file__).parent
    found = hashlib.sha256()
    for file in sorted(file for file in package.rglob("*") if file.suffix in (".py", ".so")):
        lines = file.read_bytes().splitlines()
        shares = (b"OWN_RECORDING = ", b"THIRD_PARTY = ")
        found.update(b"\n".join(line for line in lines if not line.startswith(shares)))
    return found.hexdigest()
