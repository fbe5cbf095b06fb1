"""The dataset: a folder with ``dataset.json`` and one folder of Parquet parts per table.

A dataset is made in a hidden sibling folder and renamed when it is whole, so a run that is
killed leaves nothing that looks finished.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winf_analyzer._util.errors import DatasetError

if TYPE_CHECKING:
    import polars as pl

FORMAT_VERSION = 1
METADATA = "dataset.json"
PART = "part-{:05}.parquet"
FIRST_PART = PART.format(0)


@dataclass(frozen=True)
class Dataset:
    """A finished dataset on disk."""

    path: Path
    metadata: dict[str, Any]

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Dataset:
        """Open a dataset.

        Raises:
            DatasetError: the folder is missing, is no dataset, or is of a newer format.
        """
        root = Path(path)
        try:
            metadata = json.loads((root / METADATA).read_text(encoding="utf-8"))
            version = metadata["format_version"]
        except (FileNotFoundError, NotADirectoryError):
            raise DatasetError(f"{root}: not a dataset (no {METADATA} in it). Make one with `winf ingest`.") from None
        except (ValueError, KeyError, TypeError) as error:
            raise DatasetError(f"{root / METADATA}: damaged ({error}). Ingest the recordings again.") from error
        if version > FORMAT_VERSION:
            raise DatasetError(f"{root}: made by a newer winf (format {version}, this one reads {FORMAT_VERSION}).")
        return cls(root, metadata)

    @property
    def tables(self) -> list[str]:
        """Names of the tables that have at least one part, sorted."""
        return sorted(folder.name for folder in self.path.iterdir() if any(folder.glob("*.parquet")))

    def parts(self, table: str) -> list[Path]:
        """The table's Parquet parts, in the order of their sources; empty when there is no such table."""
        return sorted((self.path / table).glob("*.parquet"))

    def scan(self, table: str) -> pl.LazyFrame:
        """The table as a lazy frame, read in bounded memory.

        Raises:
            DatasetError: the dataset has no such table.
        """
        import polars as pl

        if not self.parts(table):
            raise DatasetError(f"{self.path}: no table {table!r}; it has {', '.join(self.tables)}.")
        return pl.scan_parquet(self.parts(table))

    def replace_table(self, table: str, frame: pl.DataFrame | pl.LazyFrame) -> None:
        """Write a table in one part, in place of what it held; a reader sees the old or the new."""
        self.replace_parts(table, [frame])

    def replace_parts(self, table: str, frames: Iterable[pl.DataFrame | pl.LazyFrame]) -> None:
        """`replace_table` with a part for each frame, one held at a time."""
        with _staging(self.path / table) as staged:
            for number, frame in enumerate(frames):
                write_part(frame, staged / PART.format(number))
            _swap(staged, self.path / table)

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """A hidden folder inside the dataset for parts in the making, gone afterwards."""
        with _staging(self.path / "parts") as staged:
            yield staged


def write_part(frame: pl.DataFrame | pl.LazyFrame, path: Path) -> None:
    """Write one Parquet part, streaming where the frame is lazy."""
    if hasattr(frame, "sink_parquet"):
        frame.sink_parquet(path, compression="zstd", compression_level=1)
    else:
        frame.write_parquet(path, compression="zstd", compression_level=1)


def replace_part(frame: pl.DataFrame | pl.LazyFrame, path: Path) -> None:
    """Write one Parquet part in place of another; who reads it meanwhile sees the old or the new."""
    unfinished = path.with_suffix(".partial")
    write_part(frame, unfinished)
    unfinished.replace(path)


@contextmanager
def create(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """A staging folder that becomes the dataset ``path`` when the block ends without an error.

    Raises:
        DatasetError: ``path`` exists (with ``force``: and is no dataset), or cannot be written.
    """
    target = Path(path)
    check_output(target, force=force)
    with _staging(target) as staged:
        yield staged
        _swap(staged, target)


def check_output(target: Path, *, force: bool) -> None:
    """Refuse an output that exists, before any work is done.

    With ``force`` only a dataset is ever replaced, never a folder that holds something else.
    """
    if not (target.exists() or target.is_symlink()):
        return
    if not force:
        raise DatasetError(f"{target}: exists already. Choose another output or pass --force to replace it.")
    if not (target / METADATA).is_file():
        raise DatasetError(f"{target}: exists and is not a dataset, so --force does not replace it.")


def write_metadata(folder: Path, metadata: dict[str, Any]) -> None:
    """Write ``dataset.json``; who reads it meanwhile sees the old or the new."""
    text = json.dumps(metadata, indent=1, ensure_ascii=False)
    unfinished = folder / f"{METADATA}.partial"
    unfinished.write_text(text + "\n", encoding="utf-8")
    unfinished.replace(folder / METADATA)


@contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """A fresh folder beside ``target`` (a rename must not cross file systems), gone afterwards."""
    try:
        staged = Path(tempfile.mkdtemp(prefix=f".{target.name}.partial-", dir=target.parent))
    except OSError as error:
        raise DatasetError(f"{target}: cannot write there: {error.strerror or error}.") from error
    try:
        staged.chmod(0o777 & ~_umask())
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _swap(staged: Path, target: Path) -> None:
    """Put ``staged`` in the place of ``target``."""
    if target.exists():
        retired = staged.with_name(staged.name + "-old")
        target.rename(retired)
        staged.rename(target)
        shutil.rmtree(retired)
    else:
        staged.rename(target)


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
