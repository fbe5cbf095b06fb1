"""What a user names as INPUT: files, folders, globs, or ``-`` for standard input."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from winf_analyzer import _core
from winf_analyzer._util.errors import UnusableInput

STANDARD_INPUT = "-"

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""One path or several."""

SIMULTANEOUS_NS = 1_000_000_000
"""Recordings that begin this close together are no rotated set."""


@dataclass(frozen=True)
class Recording:
    """One recording to read, and the name it has in the ``source`` columns."""

    path: Path
    source: str

    def provenance(self, part: str) -> dict[str, str | int]:
        """What ``dataset.json`` keeps about it, with the name of its parts."""
        size = self.path.stat().st_size
        path = str(self.path)
        return {"source": self.source, "path": path, "bytes": size, "sha256": self.sha256(), "part": part}

    def sha256(self) -> str:
        """The content's SHA-256, in hexadecimal."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def source_of(source: str, radio: int) -> str:
    """The name in the ``source`` columns of what one of a recording's radios recorded: the first is number 0."""
    return f"{source}#{radio}" if radio else source


def named(paths: Paths) -> list[str | os.PathLike[str]]:
    """The paths one by one; a single one is not a row of letters."""
    return [paths] if isinstance(paths, str | os.PathLike) else list(paths)


def paths_of(inputs: Paths) -> list[str | os.PathLike[str]]:
    """The inputs that are named by a path, which standard input is not."""
    return [given for given in named(inputs) if given != STANDARD_INPUT]


@contextmanager
def recordings(inputs: Paths, decoder: str = "native") -> Iterator[list[Recording]]:
    """The recordings that ``inputs`` name, sources unique, folders and globs in the order of `in_time_order`.

    A file named directly is taken as it is, and refused later when it is no recording. Of a folder or a glob only
    files whose content is of a format that the ``decoder`` knows are taken: logs and notes beside captures are
    nobody's mistake.

    Raises:
        UnusableInput: an input does not exist, or nothing in it is a recording.
    """
    paths: list[Path] = []
    with tempfile.TemporaryDirectory(prefix="winf-stdin-") as spool:
        for given in named(inputs):
            paths += [_spooled(Path(spool))] if given == STANDARD_INPUT else _expand(os.fspath(given), decoder)
        yield [Recording(path, source) for path, source in zip(paths, _sources(paths), strict=True)]


def in_time_order(paths: Iterable[Path]) -> list[Path]:
    """Recordings in the order in which they begin: the files of a rotated set follow one another, whatever their names.

    Those that begin within a second of one another (the nodes of one experiment) are in the order of their names, with
    numbers in names as numbers.
    """
    stamped = sorted((_first_ns(path), _natural(path), path) for path in paths)
    groups: list[list[tuple[list[str | int], Path]]] = []
    previous_ns = float("-inf")
    for ns, name, path in stamped:
        if not groups or ns - previous_ns > SIMULTANEOUS_NS:
            groups.append([])
        groups[-1].append((name, path))
        previous_ns = ns
    return [path for group in groups for _, path in sorted(group)]


def _first_ns(path: Path) -> float:
    """Recordings that do not tell come last."""
    first = _core.first_ns(path)
    return float("inf") if first is None else first


def _natural(path: Path) -> list[str | int]:
    """The path for sorting; text and numbers alternate, text first."""
    pieces = re.split(r"(\d+)", str(path))
    return [int(piece) if place % 2 else piece for place, piece in enumerate(pieces)]


def candidates(given: str) -> list[Path]:
    """The files that ``given``, a folder or glob, names at present.

    Raises:
        UnusableInput: it is neither.
    """
    path = Path(given)
    if path.is_dir():
        return sorted(entry for entry in path.rglob("*") if entry.is_file() and ".partial-" not in str(entry))
    if glob.has_magic(given):
        return sorted(path for path in map(Path, glob.glob(given, recursive=True)) if path.is_file())  # noqa: PTH207
    raise UnusableInput(f"{given}: no such file or folder.")


def _expand(given: str, decoder: str) -> list[Path]:
    path = Path(given)
    if path.exists() and not path.is_dir():
        return [path]
    return _recognized(given, candidates(given), "the folder" if path.is_dir() else "the pattern", decoder)


def _recognized(given: str, files: list[Path], what: str, decoder: str) -> list[Path]:
    known = [path for path in files if _core.recognize(path, decoder=decoder)]
    if not known:
        raise UnusableInput(f"{given}: no recordings in {what} ({len(files)} files looked at).")
    return in_time_order(known)


def _spooled(folder: Path) -> Path:
    path = folder / "stdin"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path


def _sources(paths: list[Path]) -> list[str]:
    """The shortest names that tell the recordings apart: file names, or paths from what they share."""
    names = [path.name for path in paths]
    if len(set(names)) == len(names):
        return names
    shared = Path(os.path.commonpath([path.resolve().parent for path in paths]))
    names = [str(path.resolve().relative_to(shared)) for path in paths]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise UnusableInput(f"{repeated}: named twice. Name each recording once.")
    return names
