"""What the estimators, and the recommended answer, say about each run, beside the truth."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import polars as pl

import winf_analyzer as winf
from benchmarks.accuracy.runs import Run
from benchmarks.accuracy.scenario_list import TCP_PROBE, ListedRun
from benchmarks.processes import workers
from winf_analyzer._aggregate import recorder_pauses
from winf_analyzer._dataset.sequence_numbers import heard_in
from winf_analyzer._mac.of_dataset import mac_parameters
from winf_analyzer.estimators import ESTIMATORS, MODES, Settings, estimate

CONTEXTS = ("inferred", "known")
"""Where slot, AIFS and CWmin come from: the recording alone, or the simulator."""

WINDOWS = {"100ms": 100_000_000, "1s": 1_000_000_000, "whole": None}
"""Windows of the study, ns; the last is the recording."""

RECOMMENDED = "recommended"
"""The answer that a user gets, among the names of the estimators."""

STANDS_IN = ("saturation", "corrected")
"""Estimator and mode that are scored as recommended where a version has no such table."""

COLUMNS = ("available_bps", "available_low_bps", "available_high_bps")


def score(run: Run, part: str) -> pl.DataFrame:
    """One row per estimator, mode, context, window length and window, whether there is an answer or not.

    Columns: `scenario group part estimator mode context window window_start_ns truth_bps capacity_bps available_bps
    available_low_bps available_high_bps started_bps`; the three before the last are null where there is no answer.
    The estimators are scored in windows of 1 s, with known parameters on the grid alone.
    """
    scenario = run.scenario
    contexts = CONTEXTS[:1] if isinstance(scenario, ListedRun) else CONTEXTS
    with tempfile.TemporaryDirectory() as folder:
        dataset = winf.ingest([run.capture], Path(folder) / "run.winf")
        exchanges, frames = dataset.scan("exchanges"), dataset.scan("frames")
        pauses = recorder_pauses.found(heard_in(dataset))
        tables = []
        for context in contexts:
            parameters = mac_parameters(dataset, known(run) if context == "known" else None)
            rows = estimate(exchanges, ESTIMATORS, MODES, Settings(), frames, parameters, pauses)
            tables.append(_beside_truth(_of_the_link(rows, run), run, "1s", context))
        tables.append(recommended(dataset, run))
    return pl.concat(tables, how="diagonal").with_columns(
        scenario=pl.lit(scenario.name),
        group=pl.lit(scenario.group),
        part=pl.lit(part),
        started_bps=pl.lit(run.started_bps, pl.Float64),
    )


def recommended(dataset: winf.Dataset, run: Run) -> pl.DataFrame:
    """The rows of :func:`score` of the recommended answer alone, without scenario, group and part."""
    tcp = isinstance(run.scenario, ListedRun) and run.scenario.probe == TCP_PROBE
    tables = []
    for length in ("100ms", "1s"):
        estimates = winf.estimate(dataset, estimators=[STANDS_IN[0]], mode=STANDS_IN[1], window=length)
        windows = (length, "whole") if length == "1s" else (length,)
        tables += [_beside_truth(_answer(dataset, estimates, run, window, tcp), run, window) for window in windows]
    return pl.concat(tables, how="diagonal")


def score_all(runs: Iterable[Run], parts: Mapping[str, str], cache: Path, jobs: int) -> pl.DataFrame:
    """All runs in one table, with the part each is of; `jobs` processes, one thread each: the tables are small.

    The scores of each run are kept in `cache` until the package, the truth or the scoring changes.
    """
    folder = cache / "scores" / version(Path(__file__))
    folder.mkdir(parents=True, exist_ok=True)
    asked = [(run, parts[run.scenario.name], folder) for run in runs]
    with workers(jobs) as pool:
        return pl.concat(pool.map(_score, asked, chunksize=1), how="diagonal")


def _score(asked: tuple[Run, str, Path]) -> pl.DataFrame:
    run, part, folder = asked
    truth = run.truth["truth_bps"].to_list()
    digest = hashlib.sha256(f"{run.capture} {run.seconds} {part} {truth}".encode()).hexdigest()[:16]
    kept = folder / f"{run.scenario.name}-{digest}.parquet"
    if not kept.exists():
        partial = kept.with_suffix(".partial")
        score(run, part).write_parquet(partial)
        partial.rename(kept)
    return pl.read_parquet(kept)


def version(*programs: Path) -> str:
    """Of everything that results depend on: the package with its native module, and these programs."""
    package = Path(winf.__file__).parent
    sources = sorted(path for kind in ("py", "toml", "so", "sql") for path in package.rglob(f"*.{kind}"))
    digest = hashlib.sha256()
    for path in (*sources, *programs):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def known(run: Run) -> str:
    """What the simulator's stations were set to, as a user gives it."""
    mac = run.mac
    aifs_us = mac["sifs_us"] + mac["aifsn"] * mac["slot_us"]
    return f"slot_us={mac['slot_us']},sifs_us={mac['sifs_us']},aifs_us={aifs_us},cw_min={mac['cw_min']}"


def truth(run: Run, window: str) -> pl.DataFrame:
    """`window_start_ns truth_bps` of the recorded windows of this length; of the whole recording one row."""
    start_ns = run.truth["window_start_ns"][0]
    recorded = run.truth.filter(pl.col("window_start_ns") < start_ns + round(run.seconds * 1e9))
    width = WINDOWS[window]
    if width is None:
        return recorded.select(pl.col("window_start_ns").min(), pl.col("truth_bps").mean())
    start = pl.col("window_start_ns") // width * width
    parts = recorded.group_by(start, maintain_order=True).agg(pl.col("truth_bps").mean(), parts=pl.len())
    return parts.filter(pl.col("parts") == width // WINDOWS["100ms"]).drop("parts")


def _beside_truth(rows: pl.DataFrame, run: Run, window: str, context: str = "inferred") -> pl.DataFrame:
    """Every answerer's rows joined to all windows of the truth, those without an answer included."""
    answerers = rows.select("estimator", "mode").unique(maintain_order=True)
    windows = answerers.join(truth(run, window), how="cross")
    keys = ["estimator", "mode", *(["window_start_ns"] if WINDOWS[window] else [])]
    found = rows if WINDOWS[window] else rows.drop("window_start_ns")
    return windows.join(found, on=keys, how="left").with_columns(window=pl.lit(window), context=pl.lit(context))


def _of_the_link(rows: pl.DataFrame, run: Run) -> pl.DataFrame:
    """The sender's view of its link; that of the recorder, if the sender did not record."""
    link = (pl.col("sender") == run.sender) & (pl.col("receiver") == run.receiver) & (pl.col("path").is_null())
    found = rows.filter(link).with_columns(
        rank=pl.when(pl.col("node") == run.sender).then(0).otherwise(1),
    )
    keys = ["estimator", "mode", "window_start_ns"]
    return (
        found.sort("rank", maintain_order=True)
        .unique(keys, keep="first", maintain_order=True)
        .select(*keys, "capacity_bps", *COLUMNS)
    )


def _answer(dataset: winf.Dataset, estimates: pl.DataFrame, run: Run, window: str, tcp: bool) -> pl.DataFrame:
    """The recommended answer about the link, as rows of an estimator of that name."""
    if RECOMMENDED in dataset.tables:
        link = (pl.col("sender") == run.sender) & (pl.col("receiver") == run.receiver)
        rows = dataset.scan(RECOMMENDED).filter(link, pl.col("whole") == (window == "whole")).collect()
        rank = pl.when(pl.col("observer").is_null()).then(0).when(pl.col("observer") == run.sender).then(1).otherwise(2)
        rows = rows.sort(rank, maintain_order=True).unique("window_start_ns", keep="first", maintain_order=True)
        if tcp:
            rows = rows.with_columns(**{name: name.replace("available", "available_tcp") for name in COLUMNS})
        if window == "whole":
            rows = rows.head(1)
    else:
        estimator, mode = STANDS_IN
        rows = _of_the_link(estimates.filter(estimator=estimator, mode=mode), run).drop("estimator", "mode")
        if window == "whole":
            inside = pl.col("window_start_ns").is_in(truth(run, "1s")["window_start_ns"].implode())
            rows = rows.filter(inside) if rows.filter(inside).height else rows
            rows = rows.select(pl.all().mean()).with_columns(pl.col("window_start_ns").cast(pl.Int64))
    answer = rows.select(
        pl.lit(RECOMMENDED).alias("estimator"),
        pl.lit("corrected").alias("mode"),
        "window_start_ns",
        "capacity_bps",
        *COLUMNS,
    )
    if answer.is_empty():
        nothing = pl.DataFrame({"estimator": [RECOMMENDED], "mode": ["corrected"], "window_start_ns": [-1]})
        answer = pl.concat([answer, nothing], how="diagonal")
    return answer
