"""Ingestion of a growing recording, or of a folder of rotated recordings, into a growing dataset."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from winf_analyzer import _core
from winf_analyzer._dataset import dataset
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._ingest import appending
from winf_analyzer._ingest.ingestion import provenance, write_derived_tables
from winf_analyzer._ingest.inputs import STANDARD_INPUT, InputFile, Paths, by_start_time, matching_files, path_list
from winf_analyzer._ingest.pool import NATIVE_TABLES
from winf_analyzer._util import interrupts
from winf_analyzer._util.durations import parse_ns
from winf_analyzer._util.errors import DatasetError, InterruptedRun, UnusableInput, UsageError
from winf_analyzer._util.format import given_path, path_text
from winf_analyzer._util.progress import Progress

POLL_S = 0.2
"""Interval at which a folder is scanned while there is nothing to read."""

MAX_DERIVED_TIME_SHARE = 0.1
"""Maximum share of the time for tables that are recomputed from all parts."""

COMPRESSED_SUFFIXES = (".gz", ".zst", ".lz4", ".xz")
"""Suffixes that capture tools append to the name of a full file when they compress it."""

Stop = Callable[[], bool]


def follow(
    inputs: Paths,
    output: str | os.PathLike[str],
    *,
    observer: str | None = None,
    every: str | int = "5s",
    most_frames: int = 1 << 20,
    force: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Dataset:
    """Ingest one growing recording, or a folder (or glob) of rotated ones, until interrupted.

    The dataset is created with the first frames. Every part and ``dataset.json`` are replaced atomically, so that it
    can be read at any time. Tables that rest on all frames, such as `estimates`, are emptied when further frames come.
    A file of a rotated set is complete when the next one appears. The clock convention and the observer of a recording
    are decided from the frames before its first part.

    A file that is compressed while it grows (gzip, zstd or xz) is read as far as its writer has flushed it. lz4 is
    refused, because its decoder cannot stop inside a block. tshark cannot follow a file: it stops at its current end.

    Args:
        inputs: one file, folder or glob. Folders are watched for new recordings.
        output: the dataset folder to create.
        observer: address of the capturing station, if it cannot be inferred.
        every: interval between parts: a duration such as ``5s``, or nanoseconds.
        most_frames: a part ends early when it has this many frames.
        force: replace an existing dataset.
        command: command line for the provenance; by default that of the process.
        progress: called before each recording is read.
        stop: polled; true ends the run, like Ctrl-C and SIGTERM.

    Returns:
        The finished dataset, with everything that was written to the inputs before the end.

    Raises:
        UsageError: more than one input, standard input, or ``every`` is not a duration.
        UnusableInput: the input does not exist or is not a recording.
        DatasetError: the output exists, or cannot be written.
        InterruptedRun: stopped before the first frame, or twice. A dataset at ``output`` is complete up to that point.
    """
    patterns = [os.fspath(name) for name in path_list(inputs)]
    if len(patterns) != 1 or patterns[0] == STANDARD_INPUT:
        raise UsageError("--follow takes one file, folder or pattern.")
    try:
        seconds = parse_ns(every) / 1e9
    except ValueError as error:
        raise UsageError(str(error)) from None
    target = given_path(output)
    check_output(target, force=force, inputs=patterns)
    with _stop_on_signal(stop) as is_stopped:
        incoming = _IncomingFiles(patterns[0])
        run = _FollowRun(incoming, observer, seconds, most_frames, command, progress, is_stopped)
        try:
            with dataset.create(
                target, force=force, inputs=[*patterns, *incoming.queue], action="ingest --follow"
            ) as staged:
                for table in NATIVE_TABLES:
                    (staged / table).mkdir()
                if not run.next_part(staged):
                    raise InterruptedRun(f"interrupted before the first frame; {output} was not created")
                write_derived_tables(staged)
                dataset.write_metadata(staged, run.facts())
            grown = Dataset.open(target)
            while run.add_part(grown):
                pass
        except KeyboardInterrupt:
            raise InterruptedRun(f"interrupted; {output} contains the parts added so far") from None
        except OSError as error:
            raise DatasetError(f"{output}: cannot be written: {error.strerror or error}.") from error
    return Dataset.open(output)


@dataclass(frozen=True)
class _OpenFile:
    """The file being read."""

    file: InputFile
    part: str
    follower: _core.Follower


class _FollowRun:
    """The state of one run: the open file, and the facts about it and the files before it."""

    def __init__(
        self,
        incoming: _IncomingFiles,
        observer: str | None,
        seconds: float,
        most_frames: int,
        command: str | None,
        progress: Progress | None,
        is_stopped: Stop,
    ) -> None:
        self.incoming = incoming
        self.observer = observer
        self.seconds = seconds
        self.most_frames = most_frames
        self.command = command
        self.progress = progress
        self.is_stopped = is_stopped
        self.open_file: _OpenFile | None = None
        self.files = 0
        self.sources: dict[str, dict[str, Any]] = {}
        self.skipped: list[dict[str, str]] = []
        self.derived_at = 0.0
        self.derived_seconds = 0.0

    def next_part(self, folder: Path) -> bool:
        """Wait for the next part and write it below ``folder``; False if there are no more."""
        while True:
            self.open_file = self.open_file or self._open_next()
            if self.open_file is None:
                if self.is_stopped() or self.incoming.is_single:
                    return False
                time.sleep(POLL_S)
                continue
            try:
                frames, more = self._write(self.open_file, folder)
            except _core.UnusableRecording as error:
                self._skip(self.open_file, str(error))
                frames, more = 0, False
            if not more:
                self.open_file = None
            if frames or (self.sources and not more):
                return True

    def add_part(self, grown: Dataset) -> bool:
        """`next_part` of a dataset that exists, published with the facts and derived tables that include it.

        Other commands may write between two parts, and publishing waits for them.
        """
        with grown.change("ingest --follow", waits=True) as change:
            change.keeps_history = False
            for table in NATIVE_TABLES:
                (change.folder / table).mkdir()
            more = self.next_part(change.folder)
            if change.parts("frames"):
                appending.empty_tables_of_all(change)
            started = time.monotonic()
            if not more or (started - self.derived_at) * MAX_DERIVED_TIME_SHARE >= self.derived_seconds:
                write_derived_tables(change.folder, of=grown)
                self.derived_at = time.monotonic()
                self.derived_seconds = self.derived_at - started
            change.facts.update(self.facts())
        return more

    def facts(self) -> dict[str, Any]:
        """The content of ``dataset.json`` so far."""
        parameters = {"decoder": "native", "observer": self.observer, "follow": True}
        return provenance(self.command, parameters, list(self.sources.values()), self.skipped)

    def _open_next(self) -> _OpenFile | None:
        path = self.incoming.take()
        if path is None:
            return None
        whole, name = path_text(path), path_text(path.name)
        file = InputFile(path, whole if name in self.sources else name, whole)
        part = f"part-{self.files:05d}"
        self.files += 1
        if self.progress:
            self.progress(file.source, self.files, self.files + self.incoming.pending())
        return _OpenFile(file, part, _core.Follower(path, file.source, part, observer=self.observer))

    def _write(self, open_file: _OpenFile, folder: Path) -> tuple[int, bool]:
        is_growing = not (self.is_stopped() or self.incoming.pending())
        if not is_growing:
            open_file.follower.complete(self.is_stopped())
        stop = self.is_stopped if is_growing else _never_stop
        frames, more = open_file.follower.write_part(folder, self.seconds, self.most_frames, stop)
        summary = open_file.follower.summary()
        if summary is not None:
            self.sources[open_file.file.source] = {
                **open_file.file.provenance(open_file.part),
                **json.loads(summary),
            }
        return frames, more

    def _skip(self, open_file: _OpenFile, reason: str) -> None:
        if self.incoming.is_single:
            raise UnusableInput(reason)
        self.skipped.append({"path": str(open_file.file.path), "reason": reason})


class _IncomingFiles:
    """The recordings of an input: a single file, or those that appear in a folder."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.is_single = Path(pattern).is_file()
        self.queue = [Path(pattern)] if self.is_single else []
        self.known = set(self.queue)
        self._scan()  # raises if the input does not exist

    def take(self) -> Path | None:
        """The next recording in order of time, or None."""
        self._scan()
        return self.queue.pop(0) if self.queue else None

    def pending(self) -> int:
        """The number of recordings that were not taken yet."""
        self._scan()
        return len(self.queue)

    def _scan(self) -> None:
        if self.is_single:
            return
        new = [path for path in matching_files(self.pattern) if self._is_new(path) and _core.recognize(path)]
        if new:
            self.known.update(new)
            self.queue = by_start_time([*self.queue, *new])

    def _is_new(self, path: Path) -> bool:
        """False also for the compressed copy of a known recording: its name with a suffix."""
        is_compressed_copy = path.suffix in COMPRESSED_SUFFIXES and path.with_suffix("") in self.known
        return path not in self.known and not is_compressed_copy


@contextmanager
def _stop_on_signal(stop: Stop | None) -> Iterator[Stop]:
    """The first Ctrl-C or SIGTERM requests a regular end; the second one interrupts."""
    stop_requested = threading.Event()

    def handle(number: int, frame: object) -> None:
        del number, frame
        if stop_requested.is_set():
            raise KeyboardInterrupt
        stop_requested.set()

    in_main = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGTERM) if in_main else ()
    previous = {number: signal.signal(number, handle) for number in numbers}
    try:
        with interrupts.patient():
            yield lambda: stop_requested.is_set() or (stop is not None and stop())
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _never_stop() -> bool:
    return False
