"""The dataset: a folder with ``dataset.json`` and one folder of Parquet parts per table.

A dataset is made in a hidden sibling folder and renamed when it is whole, so a run that is
killed leaves nothing that looks finished. What may be replaced is in :mod:`winf_analyzer._dataset.overwriting`.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winf_analyzer._dataset import overwriting
from winf_analyzer._dataset.overwriting import METADATA, check_output, listing, manifest
from winf_analyzer._util.errors import DatasetError

if TYPE_CHECKING:
    import polars as pl

FORMAT_VERSION = 1
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
        return sorted(folder.name for folder in self.path.iterdir() if _is_table(folder))

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
        """`replace_table` with a part for each frame, one held at a time.

        Raises:
            DatasetError: the table's folder holds something that winf did not write.
        """
        with self.staging() as staging:
            staged = staging / table
            staged.mkdir()
            for number, frame in enumerate(frames):
                write_part(frame, staged / PART.format(number))
            new = {f"{table}/{name}": size for name, size in listing(staged).items()}
            with self._locked():
                metadata = manifest(self.path)
                overwriting.check_table(self.path, table, metadata)
                self._announce(metadata, new)
                overwriting.swap(staged, self.path / table, metadata, place=staging.parent, inside=f"{table}/")
                self._settle(new, {name for name in metadata["files"] if name.startswith(f"{table}/")})

    def put(self, staged: Path, removed: Iterable[str] = (), **facts: Any) -> None:
        """Move the files below ``staged`` to their places, each at once, and remove others.

        Args:
            staged: a folder from :meth:`staging`, with a folder for each table.
            removed: paths, relative to the dataset, of what they replace besides those of the same name.
            facts: what ``dataset.json`` says from then on.

        Raises:
            DatasetError: winf did not write a file that would be replaced or removed.
        """
        new, gone = listing(staged), set(removed)
        with self._locked():
            metadata = manifest(self.path)
            foreign = [name for name in sorted(gone | new.keys()) if overwriting.check_file(self.path, name, metadata)]
            self._announce(metadata, new)
            for name in foreign:
                overwriting.set_aside(self.path, name, place=staged.parent)
            for name in new:
                (self.path / name).parent.mkdir(exist_ok=True)
                (staged / name).replace(self.path / name)
            for name in gone - new.keys():
                (self.path / name).unlink(missing_ok=True)
            self._settle(new, gone, **facts)

    def check_tables(self, *tables: str, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
        """Refuse, before any work is done, to replace tables whose folders hold something else, or an input.

        Raises:
            DatasetError: with a sentence that says which file stands in the way.
        """
        metadata, given = manifest(self.path), list(inputs)
        for table in tables:
            overwriting.refuse_inputs(self.path / table, given)
            overwriting.check_table(self.path, table, metadata)

    def check_parts(self, names: Iterable[str]) -> None:
        """Refuse, before any work is done, to replace or remove files that winf did not write."""
        metadata = manifest(self.path)
        for name in names:
            overwriting.check_file(self.path, name, metadata)

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """A hidden folder for parts in the making, on the dataset's file system, gone afterwards."""
        with _staging_of(self.path) as staged:
            yield staged

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Let one process at a time change the list of files; the lock ends with its holder."""
        folder = os.open(self.path, os.O_RDONLY)
        try:
            with suppress(OSError):  # file systems without locks
                fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _announce(self, metadata: dict[str, Any], new: dict[str, int]) -> None:
        """List files before they arrive, so that being killed leaves none that is not listed."""
        if new:
            write_metadata(self.path, {**metadata, "incoming": new})

    def _settle(self, new: dict[str, int], gone: set[str], **facts: Any) -> None:
        """List what is there after ``new`` came and ``gone`` went."""
        metadata = manifest(self.path)
        files = {name: size for name, size in metadata["files"].items() if name not in gone} | new
        metadata |= {**facts, "files": files}
        write_metadata(self.path, metadata)
        self.metadata.clear()
        self.metadata.update(metadata)


def _is_table(folder: Path) -> bool:
    return not folder.name.startswith(".") and any(folder.glob("*.parquet"))


def write_part(frame: pl.DataFrame | pl.LazyFrame, path: Path) -> None:
    """Write one Parquet part, streaming where the frame is lazy."""
    if hasattr(frame, "sink_parquet"):
        frame.sink_parquet(path, compression="zstd", compression_level=1)
    else:
        frame.write_parquet(path, compression="zstd", compression_level=1)


@contextmanager
def create(
    path: str | os.PathLike[str], *, force: bool = False, inputs: Iterable[str | os.PathLike[str]] = ()
) -> Iterator[Path]:
    """A staging folder that becomes the dataset ``path`` when the block ends without an error.

    Every file in it is listed in its ``dataset.json`` as written by winf.

    Raises:
        DatasetError: ``path`` exists (with ``force``: and holds anything that winf does not list), one of ``inputs``
            lies in it, or it cannot be written.
    """
    target, read = Path(path), list(inputs)
    check_output(target, force=force, inputs=read)
    with _staging(target, target.parent) as staged:
        yield staged
        seal(staged)
        check_output(target, force=force, inputs=read)
        replaced = manifest(target) if target.exists() else {}
        overwriting.swap(staged, target, replaced, place=target.parent)


def seal(folder: Path) -> None:
    """Sign the ``dataset.json`` of a folder that winf has just made, and list every file in it."""
    metadata = json.loads((folder / METADATA).read_text(encoding="utf-8"))
    write_metadata(folder, {**metadata, **overwriting.identity(), "files": listing(folder)})


def write_metadata(folder: Path, metadata: dict[str, Any]) -> None:
    """Write ``dataset.json``; who reads it meanwhile sees the old or the new."""
    text = json.dumps(metadata, indent=1, ensure_ascii=False)
    with _staging_of(folder) as staged:
        unfinished = staged / METADATA
        unfinished.write_text(text + "\n", encoding="utf-8")
        unfinished.replace(folder / METADATA)


def _staging_of(folder: Path) -> AbstractContextManager[Path]:
    """A staging folder for files of ``folder``: beside it where possible, so that a killed run leaves nothing in it."""
    root = folder.resolve()
    is_beside = os.access(root.parent, os.W_OK | os.X_OK) and root.parent.stat().st_dev == root.stat().st_dev
    return _staging(root, root.parent if is_beside else root)


@contextmanager
def _staging(target: Path, place: Path) -> Iterator[Path]:
    """A fresh hidden folder in ``place`` (a rename must not cross file systems), gone afterwards."""
    try:
        staged = Path(tempfile.mkdtemp(prefix=f".{target.name.lstrip('.')}.partial-", dir=place))
    except OSError as error:
        raise DatasetError(f"{target}: cannot write there: {error.strerror or error}.") from error
    try:
        staged.chmod(0o777 & ~_umask())
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
