"""Recordings of shards of `ingest`: their parts as they are, and what follows from all frames."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._ingest.decoding import Decoding
from winf_analyzer._ingest.ingestion import content_key, provenance, write_derived_tables
from winf_analyzer._ingest.pool import NATIVE_TABLES
from winf_analyzer._ingest.tasks import number_of
from winf_analyzer._util.errors import DatasetError


def collected(shards: list[Dataset], staged: Path, command: str) -> dict[str, Any]:
    """Bring the parts of all shards into a folder; the facts for ``dataset.json``.

    Raises:
        DatasetError: shards were decoded otherwise, or hold the same recordings.
    """
    first = shards[0].metadata
    for shard in shards[1:]:
        for key in ("parameters", "tool_version"):
            if shard.metadata[key] != first[key]:
                raise DatasetError(f"{shard.path}: was made with other {key} than {shards[0].path}.")
    for table in (*NATIVE_TABLES, "truth"):
        (staged / table).mkdir()
        for shard in shards:
            if shard.metadata["inputs"] or shard.metadata["skipped"]:  # else there was nothing left for it
                _bring(shard, table, staged)
    inputs, skipped, truth = (
        sorted((entry for shard in shards for entry in shard.metadata[key]), key=_number)
        for key in ("inputs", "skipped", "truth")
    )
    write_derived_tables(staged)
    facts = provenance(command, first["parameters"], inputs, skipped) | {"truth": truth}
    if "keys" in first["parameters"]:  # which are not there to compare with those of another ingest
        return facts
    decoding, observer = Decoding(first["parameters"]["decoder"], []), first["parameters"]["observer"]
    return facts | {"made": {"ingest": {"key": content_key([*inputs, *skipped, *truth], decoding, observer)}}}


def _number(entry: dict[str, Any]) -> int:
    """Entries about recordings by their number, those about logs as they come."""
    return number_of(str(entry.get("part", "")))


def _bring(shard: Dataset, table: str, staged: Path) -> None:
    rows = {part.path: part.rows for part in manifest.parts(shard.metadata)}
    for path, file in zip(shard.paths(table), shard.parts(table), strict=True):
        if number_of(manifest.stem(path)) < 0 or (table == "truth" and not rows[path]):
            continue
        there = staged / table / f"{manifest.stem(path)}.parquet"
        if there.exists():
            raise DatasetError(f"{shard.path}: {path} is in another shard, too. Were the same recordings given to all?")
        try:
            os.link(file, there)  # parts never change
        except OSError:
            shutil.copyfile(file, there)
