"""Whether a dataset is what its manifest says, octet by octet."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.manifest import HISTORY, Metadata, Part
from winf_analyzer._dataset.staging import left_in_tables
from winf_analyzer._util import parquet
from winf_analyzer._util.durable import is_real_folder, is_regular
from winf_analyzer._util.errors import DatasetError
from winf_analyzer._util.format import given_path

if TYPE_CHECKING:
    import polars as pl

RECORDED = ("frames", "exchanges", "capabilities", "audit", "warnings", "hearings", "truth")
"""Tables that only the recordings and logs can give again."""

FROM_FRAMES = ("nodes", "neighbours")
"""Tables that follow from whole `frames` and `hearings`."""


def check(dataset: Dataset | str | os.PathLike[str]) -> pl.DataFrame:
    """Verify every part of a dataset: it is there, and has the size, SHA-256, rows and columns that the manifest says.

    A part that no manifest names is a fault, too: winf passes over it, and other readers of ``TABLE/*.parquet`` do not.

    Args:
        dataset: a dataset or its path.

    Returns:
        A row per fault: `path` in the dataset, and `fault`, a sentence; without rows the dataset is whole.

    Raises:
        DatasetError: there is no dataset at this path, or its manifest is damaged.
    """
    import polars as pl

    root = dataset.path if isinstance(dataset, Dataset) else given_path(dataset)
    return pl.DataFrame(list(faults(root)), {"path": pl.String, "fault": pl.String}, orient="row")


def faults(root: Path) -> Iterator[tuple[str, str]]:
    """Path and sentence of every fault.

    Raises:
        DatasetError: there is no manifest, or it is damaged.
    """
    metadata = manifest.load(root)
    if manifest.is_former(metadata):
        yield manifest.METADATA, "names no parts: it is of an older winf. The next command that writes converts it."
        return
    named = {part.path: part for part in manifest.parts(metadata)}
    bad = [(part, fault) for part in named.values() if (fault := fault_of(root, part))]
    lost = manifest.lost(metadata)
    tables = {part.table for part, _ in bad} | {path.partition("/")[0] for path in lost}
    beyond_repair = {*RECORDED, *([] if tables.isdisjoint(("frames", "hearings")) else FROM_FRAMES)}
    for part, fault in bad:
        yield part.path, f"{fault} {_remedy(root, part, metadata, beyond_repair)}".rstrip()
    for path in lost:
        yield path, f"{manifest.LOST} {_again(metadata)}"
    known, left = {*named, *waiting(root, metadata)}, left_in_tables(root)
    for path in manifest.visible_parts(root):
        if path not in named and path in left:
            yield path, "was left by a killed command. The next one that writes removes it."
        elif path not in known:
            yield path, "is named by no manifest. Move it away, or add it by ingesting its recording."


def waiting(root: Path, metadata: Metadata) -> list[str]:
    """Parts of earlier versions that are still in their places, because somebody read them when they were replaced.

    That is no fault: the next command that writes moves them into the history. Before a dataset is published it is one.
    """
    earlier = {**metadata.get("superseded", {}), **metadata.get("obsolete", {})}
    named = {part.path for part in manifest.parts(metadata)}
    return [path for path in manifest.visible_parts(root) if path in earlier and path not in named]


def _remedy(root: Path, part: Part, metadata: Metadata, beyond_repair: Collection[str]) -> str:
    """What helps against the fault of a part; empty where this winf does not know its table."""
    from winf_analyzer import _schema

    if not fault_of(root / HISTORY, part):
        return "`winf repair` takes it from the history."
    if part.table in beyond_repair:
        # --force refuses a file that is not as winf wrote it.
        return _again(metadata, "Move the file away, and " if os.path.lexists(root / part.path) else "")
    is_known = part.table in {table.name for table in _schema.tables()}
    return "`winf repair` computes the table again, or empties it." if is_known else ""


def _again(metadata: Metadata, first: str = "") -> str:
    verb = "merge" if "merged" in metadata.get("parameters", {}) else "ingest"
    return f"{first}{verb if first else verb.capitalize()} the dataset's recordings again, with --force."


def fault_of(root: Path, part: Part) -> str | None:
    """What is wrong with a part, as a sentence; None if nothing is."""
    file = root / part.path
    if not is_real_folder(file.parent) or not is_regular(file):
        is_kept = is_regular(root / HISTORY / part.path, part.bytes)
        return f"is missing{'; the history has it' if is_kept else ''}."
    try:
        found = manifest.describe(file, part.table, file.name)
    except DatasetError:
        return "is no Parquet file."
    for what, is_equal in {
        f"has {found.bytes} octets, and the manifest says {part.bytes}": found.bytes == part.bytes,
        "has another content (SHA-256) than the manifest says": found.sha256 == part.sha256,
        f"has {found.rows} rows, and the manifest says {part.rows}": found.rows == part.rows,
        "has other columns than the manifest says": found.schema == part.schema,
    }.items():
        if not is_equal:
            return f"{what}."
    return _fault_of_types(file, part.table)


def _fault_of_types(file: Path, table: str) -> str | None:
    """A column of a known table that has another type than every winf gives it."""
    import polars as pl

    from winf_analyzer import _schema

    if table not in {each.name for each in _schema.tables()}:
        return None
    stated = _schema.schema(table)
    try:
        found = parquet.scan(file).collect_schema()
    except pl.exceptions.PolarsError:
        return "has a schema that cannot be read."
    for name, dtype in found.items():
        if name in stated and dtype not in (stated[name], pl.Categorical(), pl.Null()):
            return f"has {name!r} as {dtype}, which is {stated[name]} in this table."
    return None
