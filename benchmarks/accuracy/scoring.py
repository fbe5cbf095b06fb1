"""What the estimators say about each run, beside the truth."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import polars as pl

import winf_analyzer as winf
from benchmarks.accuracy.runs import Run
from winf_analyzer._mac.of_dataset import mac_parameters
from winf_analyzer.estimators import ESTIMATORS, MODES, Settings, estimate

SENDER = "00:00:00:00:00:01"
RECEIVER = "00:00:00:00:00:02"
"""The link under study: ns-3 numbers addresses in the order of the nodes."""

CONTEXTS = ("inferred", "known")
"""Where slot, AIFS and CWmin come from: the recording alone, or the simulator."""


def score(run: Run, part: str) -> pl.DataFrame:
    """One row per estimator, mode, context and window: identification, `truth_bps`, `available_bps`, its bounds."""
    with tempfile.TemporaryDirectory() as folder:
        dataset = winf.ingest([run.capture], Path(folder) / "run.winf")
        exchanges, frames = dataset.scan("exchanges"), dataset.scan("frames")
        tables = []
        for context in CONTEXTS:
            parameters = mac_parameters(dataset, known(run) if context == "known" else None)
            rows = estimate(exchanges, ESTIMATORS, MODES, Settings(), frames, parameters)
            tables.append(_of_the_link(rows).with_columns(context=pl.lit(context)))
    scenario = run.scenario
    return (
        pl.concat(tables)
        .join(run.truth, on="window_start_ns")
        .with_columns(
            scenario=pl.lit(scenario.name),
            group=pl.lit(scenario.group),
            part=pl.lit(part),
        )
    )


def score_all(runs: Iterable[Run], parts: Mapping[str, str], jobs: int) -> pl.DataFrame:
    """All runs in one table, with the part each is of; `jobs` processes, one thread each: the tables are small."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    asked = [(run, parts[run.scenario.name]) for run in runs]
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pl.concat(pool.map(_score, asked, chunksize=4))


def _score(asked: tuple[Run, str]) -> pl.DataFrame:
    return score(*asked)


def known(run: Run) -> str:
    """What the simulator's stations were set to, as a user gives it."""
    mac = run.mac
    aifs_us = mac["sifs_us"] + mac["aifsn"] * mac["slot_us"]
    return f"slot_us={mac['slot_us']},sifs_us={mac['sifs_us']},aifs_us={aifs_us},cw_min={mac['cw_min']}"


def _of_the_link(rows: pl.DataFrame) -> pl.DataFrame:
    link = (pl.col("state") == "sender") & (pl.col("sender") == SENDER) & (pl.col("receiver") == RECEIVER)
    return rows.filter(link & (pl.col("node") == SENDER)).select(
        "estimator",
        "mode",
        "window_start_ns",
        "capacity_bps",
        "available_bps",
        "available_low_bps",
        "available_high_bps",
        "exchanges",
    )
