"""The dataset: a folder with ``dataset.json`` and one folder of Parquet parts per table.

A :class:`Dataset` shows what its manifest names, and nothing else that lies in the folder. How it is changed is in
:mod:`winf_analyzer._dataset.changes`, how it is made in :mod:`winf_analyzer._dataset.creating`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._dataset import changes, locks, manifest
from winf_analyzer._dataset.alike import alike
from winf_analyzer._dataset.changes import FIRST_PART, PART, Change, seal, write_metadata, write_part
from winf_analyzer._dataset.creating import create
from winf_analyzer._dataset.manifest import HISTORY, Metadata, Part
from winf_analyzer._dataset.overwriting import check_table, check_writable
from winf_analyzer._schema import complete
from winf_analyzer._util import parquet
from winf_analyzer._util.durable import is_real_folder, is_regular
from winf_analyzer._util.errors import DatasetError
from winf_analyzer._util.format import given_path

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FIRST_PART", "PART", "Dataset", "create", "seal", "write_metadata", "write_part"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A finished dataset on disk: what its manifest named when it was opened, and what was written through it since."""

    path: Path
    metadata: Metadata = field(repr=False)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Dataset:
        """Open a dataset.

        Raises:
            DatasetError: the folder is missing, is no dataset, is damaged, or is of a newer format.
        """
        dataset = cls(given_path(path), {})
        locks.read(dataset.path, dataset)  # before the manifest: what it names now stays where it is
        dataset._show(manifest.load(dataset.path))
        return dataset

    def _show(self, metadata: Metadata) -> None:
        self.metadata.clear()
        self.metadata.update(metadata)

    @property
    def tables(self) -> list[str]:
        """Names of the tables that have at least one part, or have lost one, sorted."""
        return sorted({*self._named(), *(path.partition("/")[0] for path in manifest.lost(self.metadata))})

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from winf_analyzer._dataset.display import as_html

        return as_html(self.path, self.metadata)

    def paths(self, table: str) -> list[str]:
        """The table's parts as the manifest names them, relative to the dataset."""
        return list(self._named().get(table, {}))

    def parts(self, table: str) -> list[Path]:
        """The table's Parquet parts, in the order of their sources; empty when there is no such table.

        Raises:
            DatasetError: a part is missing or lost, has another size than the manifest says, or is a symbolic link.
        """
        return [file for file, _ in self.fingerprinted(table)]

    def fingerprinted(self, table: str) -> list[tuple[Path, str]]:
        """`parts`, each with the fingerprint of its schema; an empty one where the manifest does not say it."""
        making = changes.current(self.path)
        if making is not None and table in making.replaced:
            return [(file, "") for file in making.parts(table)]
        for path in manifest.lost(self.metadata):
            if path.partition("/")[0] == table:  # without it answers would be others than those of all recordings
                raise DatasetError(f"{self.path / path}: {manifest.LOST} {CHECK}")
        return [
            (self._file(path, part.bytes if part else None), part.schema if part else "")
            for path, part in self._named().get(table, {}).items()
        ]

    def scan(self, table: str) -> pl.LazyFrame:
        """The table as a lazy frame, read in bounded memory; columns added since the dataset was made are there, too.

        Keep the `Dataset` until the frame is collected, and collect it before this process writes the table again:
        otherwise its parts may be moved into the history meanwhile.

        Raises:
            DatasetError: the dataset has no such table, or it cannot be read.
        """
        import polars as pl

        groups = alike(self.fingerprinted(table))
        if not groups:
            raise DatasetError(f"{self.path}: no table {table!r}; it has {', '.join(self.tables)}.")
        try:
            frames = [complete(parquet.scan(parts), table) for parts in groups]
            return frames[0] if len(frames) == 1 else pl.concat(frames, how="diagonal")
        except pl.exceptions.PolarsError as error:
            raise DatasetError(damaged(self.path, table, error)) from None

    def change(self, action: str, *, waits: bool = False) -> AbstractContextManager[Change]:
        """Make a change of several tables that is published at once, see :func:`.changes.change`."""
        return changes.change(self.path, action, published=self._show, waits=waits)

    def replace_table(self, table: str, frame: pl.DataFrame | pl.LazyFrame) -> None:
        """Write a table in one part, in place of what it held; a reader sees the old or the new."""
        self.replace_parts(table, [frame])

    def replace_parts(self, table: str, frames: Iterable[pl.DataFrame | pl.LazyFrame]) -> None:
        """`replace_table` with a part for each frame, one held at a time.

        Raises:
            DatasetError: another process is writing, or the table cannot be written.
        """
        with self.change(table) as change:
            change.replace(table, frames)

    def check_tables(self, *tables: str) -> None:
        """Refuse, before any work is done, to write tables where that is not possible.

        Raises:
            DatasetError: with a sentence that says what stands in the way.
        """
        check_writable(self.path, self.path)
        for table in tables:
            check_table(self.path, table)

    def _named(self) -> dict[str, dict[str, Part | None]]:
        """By table and path every part, and what the manifest says of it if it names parts."""
        named: dict[str, dict[str, Part | None]] = {}
        if manifest.is_former(self.metadata):
            for path in manifest.visible_parts(self.path):
                named.setdefault(path.partition("/")[0], {})[path] = None
        for part in manifest.parts(self.metadata):
            named.setdefault(part.table, {})[part.path] = part
        return named

    def _file(self, path: str, size: int | None) -> Path:
        for root in (self.path, self.path / HISTORY):
            file = root / path
            if is_real_folder(file.parent) and is_regular(file, size):
                return file
        state = "is not as winf wrote it" if os.path.lexists(self.path / path) else "is missing"
        raise DatasetError(f"{self.path / path}: {state}. {CHECK}")


CHECK = "`winf check` names every damaged part, `winf repair` rebuilds what can be rebuilt."


def damaged(root: Path, table: str, error: Exception) -> str:
    """A sentence about a table that cannot be read; the library's words may be many lines."""
    reason = str(error).strip().splitlines() or [type(error).__name__]
    return f"{root}: the table {table!r} cannot be read ({ascii(reason[0][:200])[1:-1]}). {CHECK}"
