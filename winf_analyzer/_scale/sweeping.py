"""A sweep: what its dataset lacks is run, and published every few seconds, so that a killed one goes on."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer import _core, _schema
from winf_analyzer._dataset import dataset
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._ingest.decoding import redact_keys
from winf_analyzer._ingest.ingestion import provenance
from winf_analyzer._ingest.pool import number_of_jobs
from winf_analyzer._replay.topologies.world import KEPT_CONTROLLER_NAME
from winf_analyzer._scale import ray_engine
from winf_analyzer._scale.engines import check_engine
from winf_analyzer._scale.grid import Case, Grid, Point, varied
from winf_analyzer._util.errors import DatasetError, InterruptedRun
from winf_analyzer._util.format import given_path
from winf_analyzer._util.progress import Progress
from winf_analyzer._util.shards import Shard, parse_shard

TABLES = ("points", "results")

PUBLISH_S = 10.0
"""Interval at which results are published: what a killed run loses at most."""

SEEDS_AT_ONCE = 16
"""Points of a task: they share a world."""

Rows = tuple[pl.DataFrame, pl.DataFrame]
"""Rows of ``points`` and ``results``."""

Ready = Callable[[Iterator[tuple[Case, list[int]]], str], Iterator[Rows]]
"""Runs tasks of a sweep, given by name, and gives their rows as they are ready."""


def sweep(
    grid: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    shard: str | None = None,
    engine: str = "local",
    force: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Run the points of a grid that the dataset lacks, and write their results.

    The dataset has the tables ``points`` and ``results``. It is the same for any number of jobs and shards, and however
    often the sweep was killed. A point whose run fails has the reason in ``points.error``.

    Args:
        grid: a TOML file, see :mod:`winf_analyzer._scale.grid`.
        output: the dataset to create, or that of an earlier run of this sweep, also with another grid.
        jobs: runs at a time; by default one per core.
        shard: of the points only this share, ``i/n``; `collect` makes one dataset of all shares.
        engine: ``local``, or ``ray`` for the cluster of ``RAY_ADDRESS``.
        force: replace an existing dataset.
        command: command line for the provenance; by default that of the process.
        progress: called with the number of points that are done.

    Raises:
        UsageError: the file is no grid, or names what does not exist.
        DatasetError: the output exists and is of no sweep, or cannot be written.
        InterruptedRun: interrupted; the dataset holds what was finished.
    """
    declared, share, workers = Grid.read(Path(grid)), parse_shard(shard), number_of_jobs(jobs)
    target = given_path(output)
    there = None if force else _started(target, share)
    if there is None:
        check_output(target, force=force, inputs=[grid])
    every = declared.points()
    points = share.of(every)
    facts = {"sweep": {"name": declared.name, "grid": declared.declared, "complete": True}} | share.facts("sweep")
    if there is None:
        with dataset.create(target, force=force, inputs=[grid], action="sweep") as staged:
            _write_empty(staged)
            begun = {**facts, "sweep": {**facts["sweep"], "complete": False}}
            dataset.write_metadata(staged, provenance(command or redact_keys(sys.argv), {}, [], []) | begun)
        there = Dataset.open(target)
    try:
        ready = _by_ray if check_engine(engine) else partial(_results, workers=workers)
        _run_missing(there, declared.name, points, ready, progress)
    except KeyboardInterrupt:
        raise InterruptedRun(f"interrupted; {output} holds what was finished, and the same command goes on") from None
    _put_in_order(there, [point.name for point in points], facts)
    return Dataset.open(target)


def _started(target: Path, share: Shard) -> Dataset | None:
    """The dataset of an earlier run; None where there is none."""
    if not target.is_dir() or target.is_symlink():
        return None
    with suppress(DatasetError):
        there = Dataset.open(target)
        if "sweep" in there.metadata and there.metadata.get("shard") == share.facts("sweep").get("shard"):
            return there
    return None


def _write_empty(staged: Path) -> None:
    for table in TABLES:
        (staged / table).mkdir()
        dataset.write_part(pl.DataFrame(schema=_schema.schema(table)), staged / table / dataset.FIRST_PART)


def _run_missing(
    there: Dataset, sweep_name: str, points: Sequence[Point], ready: Ready, progress: Progress | None
) -> None:
    done = set(there.scan("points").select("point").collect()["point"].to_list())
    missing = [point for name, point in {point.name: point for point in points}.items() if name not in done]
    finished, held = len(points) - len(missing), []
    published = time.monotonic()
    try:
        for rows in ready(_tasks(missing), sweep_name):
            held.append(rows)
            finished += rows[0].height
            if progress:
                progress(f"points of {sweep_name}", finished, len(points))
            if time.monotonic() - published > PUBLISH_S:
                _publish(there, held)
                held, published = [], time.monotonic()
    finally:
        if held:
            _publish(there, held)


def _tasks(missing: Sequence[Point]) -> Iterator[tuple[Case, list[int]]]:
    """Points of one case after the other, :data:`SEEDS_AT_ONCE` seeds at most."""
    by_case: dict[Case, list[int]] = {}
    for point in missing:
        by_case.setdefault(point.case, []).append(point.seed)
    for case, seeds in by_case.items():
        for start in range(0, len(seeds), SEEDS_AT_ONCE):
            yield case, seeds[start : start + SEEDS_AT_ONCE]


def _results(tasks: Iterator[tuple[Case, list[int]]], sweep_name: str, workers: int) -> Iterator[Rows]:
    """The rows of every task, as they are ready; twice as many tasks as workers are begun at a time."""
    executor = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="winf-sweep")
    try:
        waiting: set[Future[Rows]] = {
            executor.submit(run_task, *task, sweep_name) for task in islice(tasks, 2 * workers)
        }
        while waiting:
            ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ready:
                waiting |= {executor.submit(run_task, *task, sweep_name) for task in islice(tasks, 1)}
                yield future.result()
    finally:
        executor.shutdown(cancel_futures=True)


def _by_ray(tasks: Iterator[tuple[Case, list[int]]], sweep_name: str) -> Iterator[Rows]:
    """The same on a Ray cluster; seeds of a task that ends its process are tried one by one."""
    again: list[tuple[Case, list[int]]] = []
    for some in (tasks, again):
        for (case, seeds, _), found in ray_engine.results(run_task, ((*task, sweep_name) for task in some)):
            if not isinstance(found, ray_engine.Poisoned):
                yield found
            elif len(seeds) > 1:
                again += [(case, [seed]) for seed in seeds]
            else:
                yield _points(case, seeds, sweep_name, found.reason), pl.DataFrame(schema=_schema.schema("results"))


def run_task(case: Case, seeds: Sequence[int], sweep_name: str) -> Rows:
    """Run a case with seeds; where a run fails, each seed alone, and the reason is in its row."""
    try:
        summaries = _summaries(case, seeds)
    except RuntimeError as error:
        if len(seeds) == 1:
            return _points(case, seeds, sweep_name, str(error)), pl.DataFrame(schema=_schema.schema("results"))
        points, results = zip(*(run_task(case, [seed], sweep_name) for seed in seeds), strict=True)
        return pl.concat(points), pl.concat(results)
    return _points(case, seeds, sweep_name, None), pl.concat(summaries)


def _summaries(case: Case, seeds: Sequence[int]) -> list[pl.DataFrame]:
    companions = [(KEPT_CONTROLLER_NAME, "corrected", "{}")] if case.has_companions else []
    runs = _core.replay("", case.world_json, [case.run], list(seeds), threads=1, companions=companions)
    schema = _schema.schema("results")
    rows = []
    for seed, run in zip(seeds, runs, strict=True):
        summary = pl.DataFrame(run.summary).with_columns(point=pl.lit(case.point(seed).name))
        rows.append(summary.select(pl.col(name).cast(dtype) for name, dtype in schema.items()))
    return rows


def _points(case: Case, seeds: Sequence[int], sweep_name: str, error: str | None) -> pl.DataFrame:
    name, value = varied(case.parameters)
    row: dict[str, Any] = {
        "sweep": sweep_name,
        "world": case.world,
        "controller": case.run.name,
        "mode": case.run.mode,
        "duration_ns": case.duration_ns,
        "parameters": json.dumps(case.parameters, sort_keys=True),
        "varied": name,
        "value": value,
        "error": error,
    }
    rows = [{**row, "point": case.point(seed).name, "seed": seed} for seed in seeds]
    return pl.DataFrame(rows, schema=_schema.schema("points"))


def _publish(there: Dataset, held: Sequence[Rows]) -> None:
    """Add parts with what was finished, named after their first point."""
    first = held[0][0]["point"][0][:12]  # 16 digits would be taken for the hash of the content
    with there.change("sweep") as change:
        change.keeps_history = False
        for table, frames in zip(TABLES, zip(*held, strict=True), strict=True):
            (change.folder / table).mkdir()
            dataset.write_part(pl.concat(frames), change.folder / table / f"from-{first}.parquet")


def _put_in_order(there: Dataset, names: Sequence[str], facts: dict[str, Any]) -> None:
    """Make one part of each table, its points in the order of the grid, others behind them by name."""
    tables = in_order({table: there.scan(table).collect() for table in TABLES}, names)
    with there.change("sweep") as change:
        change.keeps_history = False
        change.facts.update(facts)
        for table, rows in tables.items():
            change.replace(table, [rows])


def in_order(tables: dict[str, pl.DataFrame], names: Sequence[str]) -> dict[str, pl.DataFrame]:
    """The rows in the order of points by name, other points behind them; a point's rows keep their order."""
    place = pl.DataFrame({"point": names}).unique(maintain_order=True).with_row_index("place")
    return {
        table: rows.join(place, on="point", how="left", maintain_order="left")
        .sort("place", "point", nulls_last=True, maintain_order=True)
        .drop("place")
        for table, rows in tables.items()
    }
