"""The recordings of an input that is followed: a single file, or those that appear in a folder.

Tools that rotate files use names again: they rename a file and make another one, or write over it (`tcpdump -W`). What
is under a path is therefore known by its inode and its beginning, and may only grow.
"""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from winf_analyzer import _core
from winf_analyzer._ingest.inputs import by_start_time, matching_files

POLL_S = 0.2
"""Interval at which a folder is scanned while there is nothing to read."""

MAX_SCANNING_SHARE = 0.1
"""Maximum share of the time for scans of a large folder while a recording is read."""

COMPRESSED_SUFFIXES = (".gz", ".zst", ".lz4", ".xz")
"""Suffixes that capture tools append to the name of a full file when they compress it."""

HEAD_BYTES, HEADER_BYTES = 4096, 24
"""The beginning of a file that tells recordings apart, behind a header that all of one recorder share."""

Inode = tuple[int, int]


class Fate(Enum):
    """What became of a file that is being read."""

    SAME = "it is there, and may have grown"
    ELSEWHERE = "another file has its path; it can still be read to its end"
    OVERWRITTEN = "it holds something else"


@dataclass(frozen=True)
class Look:
    """What was seen of a file."""

    inode: Inode
    size: int
    mtime_ns: int
    head: bytes


class IncomingFiles:
    """The recordings that are there, in order of time; those that were taken come again only with other content."""

    def __init__(self, pattern: str) -> None:
        self.overwritten: set[Path] = set()
        """Paths in the queue whose recordings were overwritten before they were taken."""
        self._pattern = pattern
        self.is_single = Path(pattern).is_file()
        self._queue: list[Path] = []
        self._known: dict[Path, Look] = {}
        self._taken: Path | None = None
        self._due = 0.0
        self._scan()  # raises if the input does not exist

    @property
    def queue(self) -> list[Path]:
        """The recordings that were not taken yet, of the last scan."""
        return [*self._queue]

    def take(self) -> Path | None:
        """The next recording in order of time, or None. It is read until `done`."""
        self._scan()
        self._taken = self._queue.pop(0) if self._queue else None
        return self._taken

    def done(self) -> None:
        """What was taken is read. Something else under its path is a further recording."""
        self._taken = None

    def pending(self, *, at_once: bool = True) -> int:
        """The number of recordings that were not taken yet; unless `at_once`, of a scan that may be a little old."""
        if at_once or time.monotonic() >= self._due:
            self._scan()
        return len(self._queue)

    def fate(self, path: Path) -> Fate:
        """What became of the file that was taken."""
        before = self._known[path]
        now = _look(path, before)
        if now is None or now is before:
            return Fate.SAME
        if now.inode != before.inode:
            return Fate.ELSEWHERE
        if _is_other(before, now):
            return Fate.OVERWRITTEN
        self._known[path] = now
        return Fate.SAME

    def _scan(self) -> None:
        began = time.monotonic()
        paths = [Path(self._pattern)] if self.is_single else matching_files(self._pattern)
        by_inode = {look.inode: (path, look) for path, look in self._known.items()}
        new = []
        for path in paths:
            before = self._known.get(path)
            if path == self._taken or self._is_compressed_copy(path):
                continue
            now = _look(path, before)
            if now is None or now is before:
                continue
            # One that had no record when it was read has some now, or is another one; it is taken again in both cases.
            has_begun = before is not None and not before.head and path not in self._queue
            if before is None or has_begun or _is_other(before, now):
                if self._is_renamed(path, now, *by_inode.get(now.inode, (path, None))):
                    continue
                if not (self.is_single or _core.recognize(path)):
                    continue
                if path in self._queue:
                    self.overwritten.add(path)
                else:
                    new.append(path)
            self._known[path] = now
        if new:
            self._queue = by_start_time([*self._queue, *new]) if self._queue or new[1:] else new
        ended = time.monotonic()
        self._due = ended + max(POLL_S, (ended - began) / MAX_SCANNING_SHARE)

    def _is_renamed(self, path: Path, now: Look, former: Path, before: Look | None) -> bool:
        """Whether a new path has a file that is known under another one, which it no longer has."""
        if before is None or not before.head or former == path or _is_other(before, now):
            return False
        if (there := _look(former, before)) is not None and there.inode == now.inode:
            return False  # two names of one file
        self._known[path] = now
        self._queue = [path if each == former else each for each in self._queue]
        return True

    def _is_compressed_copy(self, path: Path) -> bool:
        """The name of a known recording with a suffix."""
        return path.suffix in COMPRESSED_SUFFIXES and path.with_suffix("") in self._known


def _look(path: Path, before: Look | None) -> Look | None:
    """What is there now, the same object if nothing has changed; None if no file is there that can be read."""
    try:
        status = path.stat()
        state = (status.st_dev, status.st_ino), status.st_size, status.st_mtime_ns
        if not stat.S_ISREG(status.st_mode):
            return None
        if before is not None and state == (before.inode, before.size, before.mtime_ns):
            return before
        with path.open("rb") as file:
            return Look(*state, os.pread(file.fileno(), HEAD_BYTES, 0)[HEADER_BYTES:])
    except OSError:
        return None


def _is_other(before: Look, now: Look) -> bool:
    """Whether a file is not the former one, perhaps grown."""
    return now.inode != before.inode or now.size < before.size or not now.head.startswith(before.head)
