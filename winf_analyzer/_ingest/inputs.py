"""Resolution of INPUT arguments: files, folders, globs, or ``-`` for standard input."""

from __future__ import annotations

import glob
import os
import re
import select
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from winf_analyzer import _core
from winf_analyzer._dataset.manifest import METADATA
from winf_analyzer._ingest import kismet
from winf_analyzer._ingest.decoding import Tshark, recognized
from winf_analyzer._util.durable import sha256
from winf_analyzer._util.errors import UnusableInput, UsageError
from winf_analyzer._util.format import given_path, path_text

STANDARD_INPUT = "-"

PIPE_PATIENCE_S = 10
"""How long a named pipe may hold nothing before it counts as unused."""

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""One path or several."""

RADIO_SUFFIX = "#[0-9]+$"
"""What the name of a recording's second, third ... radio ends with, as a regular expression of Polars and DuckDB."""

_RADIO = re.compile(r"#([0-9]+)\Z")

_NAME = re.compile(r"[.](pcap|pcapng|cap|kismet)([.](gz|zst|lz4|xz|bz2))?$", re.IGNORECASE)
"""Names that captures alone have. Of `.bz2` the reader says that it must be unpacked; `.tr`, which traces of ns-2 have,
is also that of files of numbers beside them."""

SIMULTANEOUS_NS = 1_000_000_000
"""Recordings that start within this time of each other are not a rotated set."""


@dataclass(frozen=True)
class InputFile:
    """A recording to read, and its name in the ``source`` columns."""

    path: Path
    source: str
    name: str
    """What the user calls it: its path, or ``-`` and the path of a pipe, whose content is read from elsewhere."""

    def provenance(self, part: str) -> dict[str, str | int]:
        """Its entry in ``dataset.json``, with the name of its parts."""
        return {"source": self.source, "path": self.name, **folder_of(self.name), "part": part}

    def content(self) -> dict[str, str | int]:
        """Length and SHA-256 of the present content, for decoders that do not hash what they read."""
        return {"bytes": self.path.stat().st_size, "sha256": sha256(self.path)}

    def state(self) -> tuple[int, int, int, int]:
        """What changes when the file is written or replaced."""
        status = self.path.stat()
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns

    def changed(self, state: tuple[int, ...]) -> dict[str, int]:
        """When a file was last changed, of its `state`; a pipe or a copy has no such time."""
        is_own = path_text(self.path) == self.name and state
        return {"mtime_ns": state[3]} if is_own else {}

    def content_if_there(self) -> dict[str, str | int]:
        """`content` and `changed` of a file that cannot be used, as far as it can be read."""
        try:
            return {**self.content(), **self.changed(self.state())}
        except OSError:
            return {}

    def said(self, error: Exception) -> str:
        """An error's message with the name that the user knows."""
        return str(error).replace(str(self.path), "standard input" if self.name == STANDARD_INPUT else self.name)


def folder_of(name: str) -> dict[str, str]:
    """`folder` of an entry about a file: where a relative path begins; nothing for others and for standard input."""
    return {} if name == STANDARD_INPUT or Path(name).is_absolute() else {"folder": path_text(Path.cwd())}


def source_of(source: str, radio: int) -> str:
    """The name of a recording's radio in the ``source`` columns; the first radio is number 0."""
    return f"{source}#{radio}" if radio else source


def recording_of(source: str) -> str:
    """The name of the recording, of a name that may be that of one of its radios."""
    return _RADIO.sub("", source)


def path_list(paths: Paths) -> list[str | os.PathLike[str]]:
    """The paths as a list; a single path is one element.

    Raises:
        UsageError: one is empty.
    """
    listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    for each in listed:
        given_path(each)
    return listed


def named_inputs(inputs: Paths) -> list[str | os.PathLike[str]]:
    """The inputs as a list, of anything that can be gone through once.

    Raises:
        UsageError: there is none, or one is empty.
    """
    if listed := path_list(inputs):
        return listed
    raise UsageError("no input is named. Name a file, a folder, a glob, or - for standard input.")


def paths_of(inputs: Paths) -> list[str | os.PathLike[str]]:
    """The inputs that are named by a path, which standard input is not."""
    return [given for given in path_list(inputs) if given != STANDARD_INPUT]


@contextmanager
def input_files(inputs: Paths, decoder: str | Tshark = "native") -> Iterator[list[InputFile]]:
    """The recordings that ``inputs`` name, with unique sources; those of a folder or glob sorted by `by_start_time`.

    A file that is named itself is always included, and refused later if it is not a recording. Of a folder or a glob
    only files in a format that the ``decoder`` knows, or with a capture's name, are included, since other files beside
    captures are no mistake.

    Raises:
        UnusableInput: an input does not exist, or contains no recording.
    """
    with ExitStack() as spools:
        paths: list[Path] = []
        for pattern in [os.fspath(given) for given in path_list(inputs)]:
            paths += [Path(pattern)] if pattern == STANDARD_INPUT else _expand_pattern(pattern, decoder)
        names = source_names([Path("stdin") if str(path) == STANDARD_INPUT else path for path in paths])
        yield [
            InputFile(spools.enter_context(_readable(path)), source, path_text(path))
            for path, source in zip(paths, names, strict=True)
        ]


@contextmanager
def _readable(path: Path) -> Iterator[Path]:
    """A path of a capture that can be opened several times.

    Of a pipe, whose content comes once, that of an anonymous copy; of a database, that of the capture in it.

    The copy has no name, so that nothing is left of it when the process ends, however it ends.
    """
    is_file = str(path) != STANDARD_INPUT and path.is_file()
    if is_file and not kismet.is_database(path):
        yield path
        return
    with tempfile.TemporaryFile() as spool:
        if is_file:
            kismet.write_capture(path, spool)
        else:
            with _stream(path) as stream:
                shutil.copyfileobj(stream, spool)
        spool.flush()
        yield Path(f"/proc/{os.getpid()}/fd/{spool.fileno()}")


@contextmanager
def _stream(path: Path) -> Iterator[BinaryIO]:
    if str(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise UnusableInput("-: standard input is closed.")
        yield sys.stdin.buffer
        return
    if not path.is_fifo():
        raise UnusableInput(f"{path}: is no file and no pipe.")
    # Opening a pipe to which nobody writes would wait forever.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        if not poll.poll(PIPE_PATIENCE_S * 1000):
            raise UnusableInput(f"{path}: nothing was written to this pipe within {PIPE_PATIENCE_S} s.")
        os.set_blocking(descriptor, True)
        yield stream


def by_start_time(paths: Iterable[Path]) -> list[Path]:
    """Recordings in order of their first time stamp, so that the files of a rotated set are in sequence.

    Those that start within a second of each other (the nodes of one experiment) are in natural order of their names.
    """
    stamped = sorted((_start_ns(path), _natural_key(path), path) for path in paths)
    groups: list[list[tuple[list[str | int], Path]]] = []
    previous_ns = float("-inf")
    for ns, name, path in stamped:
        if not groups or ns - previous_ns > SIMULTANEOUS_NS:
            groups.append([])
        groups[-1].append((name, path))
        previous_ns = ns
    return [path for group in groups for _, path in sorted(group)]


def _start_ns(path: Path) -> float:
    """The first time stamp; infinite if there is none."""
    first = _core.first_ns(path)
    return float("inf") if first is None else first


def _natural_key(path: Path) -> list[str | int]:
    """Sort key of a path in natural order: text and numbers alternate, text first."""
    parts = re.split(r"(\d+)", str(path))
    return [int(piece) if index % 2 else piece for index, piece in enumerate(parts)]


def matching_files(pattern: str) -> list[Path]:
    """The files that currently match ``pattern``, a folder or glob.

    Raises:
        UnusableInput: it is neither.
    """
    path = Path(pattern)
    if path.is_dir():
        return _sorted(entry for entry in path.rglob("*") if entry.is_file() and ".partial" not in str(entry))
    if glob.has_magic(pattern):
        return _sorted(path for path in map(Path, glob.glob(pattern, recursive=True)) if path.is_file())  # noqa: PTH207
    raise UnusableInput(f"{pattern}: no such file or folder.")


def _sorted(paths: Iterable[Path]) -> list[Path]:
    """As `sorted` has them, with the parts of each path looked up once instead of at every comparison."""
    return sorted(paths, key=lambda path: path.parts)


def _expand_pattern(pattern: str, decoder: str | Tshark) -> list[Path]:
    path = Path(pattern)
    if path.exists() and not path.is_dir():
        return [path]
    return _recognized_files(
        pattern, matching_files(pattern), "the folder" if path.is_dir() else "the pattern", decoder
    )


def _recognized_files(pattern: str, files: list[Path], kind: str, decoder: str | Tshark) -> list[Path]:
    recordings = [path for path in files if recognized(path, decoder) or kismet.is_database(path) or _is_named_so(path)]
    if not recordings:
        if (Path(pattern) / METADATA).is_file():
            raise UnusableInput(
                f"{pattern}: is a dataset, and recordings are expected here. `winf estimate`, `winf why` and "
                "`winf report` read datasets, each without recordings beside it."
            )
        raise UnusableInput(f"{pattern}: no recordings in {kind} ({len(files)} files checked).")
    return by_start_time(recordings)


def _is_named_so(path: Path) -> bool:
    """Whether a file has the name of a capture, compressed or not: one that is none is empty or damaged."""
    return bool(_NAME.search(path_text(path.name)))


def source_names(paths: list[Path]) -> list[str]:
    r"""The shortest unique names of recordings: file names, or paths relative to the common folder.

    None reads like the name of a radio: the file ``a#1`` is ``a\x231``, because ``a#1`` is the second radio of ``a``.
    """
    names = [_source_name(path.name) for path in paths]
    if len(set(names)) == len(names):
        return names
    common = Path(os.path.commonpath([path.resolve().parent for path in paths]))
    names = [_source_name(path.resolve().relative_to(common)) for path in paths]
    if len(set(names)) < len(names):
        duplicate = next(name for name in names if names.count(name) > 1)
        raise UnusableInput(f"{duplicate}: given twice. Name each recording once.")
    return names


def _source_name(path: str | os.PathLike[str]) -> str:
    return _RADIO.sub(lambda radio: rf"\x23{radio[1]}", path_text(path))
