"""Whether a dataset is what its manifest says, octet by octet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.manifest import HISTORY, Part
from winf_analyzer._util.durable import is_real_folder, is_regular
from winf_analyzer._util.errors import DatasetError

if TYPE_CHECKING:
    import polars as pl

LOST = "was lost before the manifest was rebuilt. Ingest the dataset's recordings again, with --force."


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

    root = dataset.path if isinstance(dataset, Dataset) else Path(dataset)
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
    for part in named.values():
        if fault := fault_of(root, part):
            yield part.path, fault
    stems = {(part.table, part.stem) for part in named.values()}
    for path in metadata.get("lost", []):
        if (path.partition("/")[0], manifest.stem(path)) not in stems:
            yield path, LOST
    for path in manifest.visible_parts(root):
        if path not in named and path not in {**metadata.get("superseded", {}), **metadata.get("obsolete", {})}:
            yield path, "is named by no manifest. Move it away, or add it by ingesting its recording."
        elif path not in named:
            yield path, "belongs to an earlier version. The next command that writes moves it into the history."


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
        found = pl.read_parquet_schema(file)
    except pl.exceptions.PolarsError:
        return "has a schema that cannot be read."
    for name, dtype in found.items():
        if name in stated and dtype not in (stated[name], pl.Categorical(), pl.Null()):
            return f"has {name!r} as {dtype}, which is {stated[name]} in this table."
    return None
