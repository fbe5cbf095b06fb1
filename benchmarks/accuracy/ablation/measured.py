"""What the model says of a recording with all its rules, and with each of them left out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

import winf_analyzer as winf
from benchmarks.accuracy.ablation.leaving_out import acting, terms_of, without, without_term
from benchmarks.accuracy.ablation.rules import RULES
from benchmarks.accuracy.runs import Run
from benchmarks.accuracy.scoring import COLUMNS, truth, version
from benchmarks.accuracy.worlds.answers import Asked, recordings
from benchmarks.processes import workers

WINDOW = "100ms"
"""The shortest of the study: bursts and backlogs show in short windows alone."""

OF_WORLDS = "1s"
"""Windows of the worlds, of which the truth of the whole recording alone is asked for."""

WHOLE = -1
"""In place of the start of a window: the whole recording."""

MODEL = ""
"""In place of a rule's name: none is left out."""

TERM = "term "
"""Before the name of a term of the interval."""


class Recording(NamedTuple):
    """One to be estimated, and the truth."""

    name: str
    group: str
    capture: Path
    sender: str
    receiver: str
    window: str
    truth: Mapping[int, float]
    """bit/s by the start of the window in nanoseconds, or :data:`WHOLE`."""


def of_run(run: Run) -> Recording:
    """A run of the study."""
    windows = dict(truth(run, WINDOW).select("window_start_ns", "truth_bps").iter_rows())
    windows[WHOLE] = truth(run, "whole")["truth_bps"].item()
    return Recording(run.scenario.name, run.scenario.group, run.capture, run.sender, run.receiver, WINDOW, windows)


def of_world(asked: Asked, cache: Path, into: Path) -> Iterator[Recording]:
    """The recordings of a world, in the folder `into`; of the whole time alone the truth is kept."""
    world, seed = asked
    for radio, capture, sender, receiver, truth_bps in recordings(world, seed, cache, into):
        name, truths = f"{world['name']}, {radio}", {WHOLE: truth_bps}
        yield Recording(name, world["list"], capture, sender, receiver, OF_WORLDS, truths)


def measure(recording: Recording) -> pl.DataFrame:
    """`recording group without window_start_ns truth_bps available_bps available_low_bps available_high_bps`.

    A row for each window and for the whole recording, of the model (:data:`MODEL`), and without each of the rules and
    terms that have something to say of it.
    """
    with tempfile.TemporaryDirectory() as temporary:
        dataset = winf.ingest([recording.capture], Path(temporary) / "run.winf")
        with acting() as rules, terms_of(recording.sender, recording.receiver) as terms:
            of_model = _answers(dataset, recording, MODEL, nullcontext())
        left_out = {rule.name: without(rule) for rule in RULES if rule.name in rules}
        left_out |= {TERM + term: without_term(term) for term in sorted(terms)}
        return pl.concat(
            [of_model, *(_answers(dataset, recording, name, changed) for name, changed in left_out.items())]
        )


def _answers(
    dataset: winf.Dataset, recording: Recording, name: str, changed: AbstractContextManager[None]
) -> pl.DataFrame:
    with changed:
        winf.estimate(dataset, estimators=["saturation"], mode="corrected", window=recording.window, again=True)
    link = (pl.col("sender") == recording.sender) & (pl.col("receiver") == recording.receiver)
    # The sender's own view; elsewhere that of whoever recorded it.
    rank = pl.when(pl.col("observer").is_null()).then(0).when(pl.col("observer") == recording.sender).then(1)
    rows = dataset.scan("recommended").filter(link).collect().sort(rank.otherwise(2), maintain_order=True)
    start = pl.when("whole").then(WHOLE).otherwise("window_start_ns").cast(pl.Int64)
    rows = rows.with_columns(window_start_ns=start).unique("window_start_ns", keep="first", maintain_order=True)
    windows = pl.DataFrame(
        {"window_start_ns": [*recording.truth], "truth_bps": [*recording.truth.values()]},
        schema={"window_start_ns": pl.Int64, "truth_bps": pl.Float64},
    )
    told = windows.join(rows.select("window_start_ns", *COLUMNS, "grade"), on="window_start_ns", how="left")
    names = {"recording": recording.name, "group": recording.group, "without": name}
    return told.select(*(pl.lit(value).alias(column) for column, value in names.items()), pl.all())


def measure_all(runs: Sequence[Run], worlds: Sequence[Asked], cache: Path, jobs: int) -> pl.DataFrame:
    """Of all of them what :func:`measure` says, in processes of one thread each: the tables are small.

    What was found is kept in `cache` until the package or this folder changes.
    """
    kept = cache / "ablation" / version(*sorted(Path(__file__).parent.glob("*.py")))
    kept.mkdir(parents=True, exist_ok=True)
    with workers(jobs) as pool:
        of_runs = pool.map(partial(_kept, kept, _measured), [run.scenario.name for run in runs], runs)
        of_worlds = pool.map(
            partial(_kept, kept, partial(_measured_world, cache)), [world["name"] for world, _ in worlds], worlds
        )
        return pl.concat([*of_runs, *of_worlds])


def _kept(folder: Path, make: Callable[[Any], pl.DataFrame], name: str, asked: Any) -> pl.DataFrame:
    path = folder / f"{name}.parquet"
    if not path.exists():
        partial_path = path.with_suffix(".partial")
        make(asked).write_parquet(partial_path)
        partial_path.rename(path)
    return pl.read_parquet(path)


def _measured(run: Run) -> pl.DataFrame:
    return measure(of_run(run))


def _measured_world(cache: Path, asked: Asked) -> pl.DataFrame:
    with tempfile.TemporaryDirectory() as temporary:
        return pl.concat([measure(recording) for recording in of_world(asked, cache, Path(temporary))])
