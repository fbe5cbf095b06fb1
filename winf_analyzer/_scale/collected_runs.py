"""Runs of shards of `replay` and `sweep`, in the order in which one process makes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer._dataset.dataset import FIRST_PART, Dataset, write_part
from winf_analyzer._ingest.ingestion import provenance
from winf_analyzer._replay.storing import TABLES, Parts, prefix
from winf_analyzer._scale import sweeping
from winf_analyzer._util.errors import DatasetError


def collected_replay(shards: list[Dataset], staged: Path, command: str) -> dict[str, Any]:
    """Bring the runs of a replay into a folder; the facts for ``dataset.json``.

    Raises:
        DatasetError: the shards are of different replays.
    """
    replays = _same(shards, "replays")
    ((replay_id, facts),) = replays.items()
    runs = {
        (controller["name"], controller["mode"], seed): number
        for number, (controller, seed) in enumerate(
            (controller, seed) for controller in facts["controllers"] for seed in facts["seeds"]
        )
    }
    order = pl.DataFrame(
        [(*run, number) for run, number in runs.items()],
        {"controller": pl.String, "mode": pl.String, "seed": pl.Int64, "run": pl.Int64},
        orient="row",
    )
    tables = {table: _joined(shards, table, order) for table in TABLES}
    parts = Parts(staged, prefix(replay_id))
    for number in range(len(runs)):
        parts.add({table: by_run.get((number,), rows) for table, (by_run, rows) in tables.items()})
    parts.finish()
    return provenance(command, {}, [], []) | {"replays": replays}


def _joined(
    shards: list[Dataset], table: str, order: pl.DataFrame
) -> tuple[dict[tuple[object, ...], pl.DataFrame], pl.DataFrame]:
    """The rows of a table by the number of their run, and a table without rows."""
    rows = pl.concat(shard.scan(table).collect() for shard in shards)
    keys = [pl.col(name).cast(pl.String) for name in ("controller", "mode")]
    numbered = rows.with_columns(keys).join(order, on=["controller", "mode", "seed"], how="left", maintain_order="left")
    by_run = numbered.partition_by("run", as_dict=True, include_key=False)
    return {key: frame.cast(rows.schema) for key, frame in by_run.items()}, rows.clear()


def collected_sweep(shards: list[Dataset], staged: Path, command: str) -> dict[str, Any]:
    """Bring the points of a sweep into a folder; the facts for ``dataset.json``.

    Shard ``i`` holds every ``n``-th point from the ``i``-th on, in the order of the grid.

    Raises:
        DatasetError: the shards are of different grids, or one has not come to its end.
    """
    for shard in shards:
        if not shard.metadata.get("sweep", {}).get("complete"):
            raise DatasetError(f"{shard.path}: has not come to its end. Give its command again.")
    facts = _same(shards, "sweep")
    own = [shard.scan("points").select("point").collect()["point"].to_list() for shard in shards]
    names = [names[place] for place in range(max(map(len, own))) for names in own if place < len(names)]
    tables = {table: pl.concat(shard.scan(table).collect() for shard in shards) for table in sweeping.TABLES}
    for table, rows in sweeping.in_order(tables, names).items():
        (staged / table).mkdir()
        write_part(rows, staged / table / FIRST_PART)
    return provenance(command, {}, [], []) | {"sweep": facts}


def _same(shards: list[Dataset], key: str) -> dict[str, Any]:
    """A fact that all shards have in common.

    Raises:
        DatasetError: they have not.
    """
    first: dict[str, Any] = shards[0].metadata.get(key, {})
    for shard in shards:
        if not first or shard.metadata.get(key) != first:
            raise DatasetError(f"{shard.path}: is of another {key.removesuffix('s')} than {shards[0].path}.")
    return first
