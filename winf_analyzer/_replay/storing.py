"""Storage of replay tables in an existing or a new dataset."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer import _core
from winf_analyzer._dataset.dataset import Dataset, create, write_metadata, write_part

TABLES = ("replay_flows", "replay_links", "replay_summary")
"""The replay tables: over time per flow and per link, and over the whole run per flow."""

PART_ROWS = 1_000_000
"""Rows per Parquet part."""

Tables = dict[str, pl.DataFrame]
"""Rows by the name of their table."""

Add = Callable[[Tables], None]
"""Adds the rows of one run."""


def tables_of(run: _core.ReplayRun) -> Tables:
    """The rows of a run."""
    return dict(zip(TABLES, map(pl.DataFrame, (run.flows, run.links, run.summary)), strict=True))


@contextmanager
def into_dataset(dataset: Dataset, replay_id: str, facts: dict[str, Any], key: str) -> Iterator[Add]:
    """Collect runs into a dataset, in place of those of the last replay of that name.

    They are there when the block ends without an error, and none before.

    Args:
        dataset: the dataset.
        replay_id: name of the replay.
        facts: what ``dataset.json`` keeps of it under ``replays``.
        key: fingerprint of what it is made of.
    """
    with dataset.change("replay") as change:
        parts = Parts(change.folder, prefix(replay_id))
        yield parts.add
        parts.finish()
        former = (path for table in TABLES for path in dataset.paths(table) if is_of(path, replay_id))
        change.removed.update(former)
        change.made[f"replay {replay_id}"] = {"key": key}
        change.facts["replays"] = {**dataset.metadata.get("replays", {}), replay_id: facts}


def is_of(path: str, replay_id: str) -> bool:
    """Whether a part holds rows of the replay of that name."""
    return path.rpartition("/")[2].startswith(prefix(replay_id))


@contextmanager
def into_new_dataset(
    output: str | os.PathLike[str],
    replay_id: str,
    facts: dict[str, Any],
    dataset_facts: dict[str, Any],
    *,
    force: bool,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> Iterator[Add]:
    """Collect runs into a dataset that is made when the block ends without an error.

    Raises:
        DatasetError: ``output`` exists (with ``force``: and is no dataset), or cannot be written.
    """
    from winf_analyzer._ingest.ingestion import provenance  # most replays need none of what it imports

    with create(output, force=force, inputs=inputs, action="replay") as staged:
        parts = Parts(staged, prefix(replay_id))
        yield parts.add
        parts.finish()
        write_metadata(staged, provenance(None, {}, [], []) | {"replays": {replay_id: facts}} | dataset_facts)


class Parts:
    """Rows on their way into Parquet parts."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder = folder
        self._prefix = prefix
        self._held: dict[str, list[pl.DataFrame]] = {table: [] for table in TABLES}
        self._parts = dict.fromkeys(TABLES, 0)
        for table in TABLES:
            (folder / table).mkdir()

    def add(self, tables: Tables) -> None:
        for table, rows in tables.items():
            self._held[table].append(rows)
            if sum(frame.height for frame in self._held[table]) >= PART_ROWS:
                self._write(table)

    def finish(self) -> None:
        for table in TABLES:
            if self._held[table]:
                self._write(table)

    def _write(self, table: str) -> None:
        part = self._folder / table / f"{self._prefix}{self._parts[table]:05d}.parquet"
        write_part(pl.concat(self._held[table]), part)
        self._held[table] = []
        self._parts[table] += 1


def prefix(replay_id: str) -> str:
    """Prefix of the names of a replay's parts: readable, unique per replay, and begun as a part's name may begin."""
    digest = hashlib.sha256(replay_id.encode()).hexdigest()[:8]
    readable = re.sub("[^A-Za-z0-9]+", "-", replay_id).lstrip("-")[:40] or "replay"
    return f"{readable}-{digest}-"
