"""Ingestion of a growing recording, or of a folder of rotated recordings, into a growing dataset."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from winf_analyzer import _core
from winf_analyzer._dataset import dataset
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._ingest import appending
from winf_analyzer._ingest.incoming import POLL_S, Fate, IncomingFiles
from winf_analyzer._ingest.ingestion import provenance, write_derived_tables
from winf_analyzer._ingest.inputs import STANDARD_INPUT, InputFile, Paths, path_list
from winf_analyzer._ingest.pool import NATIVE_TABLES, write_warnings
from winf_analyzer._util import interrupts
from winf_analyzer._util.durations import parse_ns
from winf_analyzer._util.errors import DatasetError, InterruptedRun, UnusableInput, UsageError
from winf_analyzer._util.format import given_path, path_text
from winf_analyzer._util.progress import Progress

MAX_DERIVED_TIME_SHARE = 0.1
"""Maximum share of the time for tables that are recomputed from all parts."""

OVERWRITTEN = "overwritten_recording"
"""Code in `warnings` of a recording of which frames may be missing, because another one took its place."""

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

    A path whose file is replaced, or overwritten from its start, is a further recording with a number behind its name:
    ``cap0 (2)``. Where another recording took the place of one that was not read to its end, `warnings` has a row with
    the code ``overwritten_recording``.

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
    state = "is as it was" if os.path.lexists(target) else "was not created"
    with _stop_on_signal(stop) as is_stopped:
        incoming = IncomingFiles(patterns[0])
        run = _FollowRun(incoming, observer, seconds, most_frames, command, progress, is_stopped)
        try:
            with dataset.create(
                target, force=force, inputs=[*patterns, *incoming.queue], action="ingest --follow"
            ) as staged:
                for table in NATIVE_TABLES:
                    (staged / table).mkdir()
                if not run.next_part(staged):
                    raise InterruptedRun(f"interrupted before the first frame; {output} {state}")
                write_derived_tables(staged)
                dataset.write_metadata(staged, run.facts())
            grown, state = Dataset.open(target), "contains the parts added so far"
            while run.add_part(grown):
                pass
        except KeyboardInterrupt:
            raise InterruptedRun(f"interrupted; {output} {state}") from None
        except OSError as error:
            raise DatasetError(f"{output}: cannot be written: {error.strerror or error}.") from error
    return Dataset.open(output)


@dataclass(frozen=True)
class _OpenFile:
    """The file being read."""

    file: InputFile
    part: str
    follower: _core.Follower

    def octets(self) -> int:
        """How much of the file was read; 0 before the first frame."""
        summary = self.follower.summary()
        return 0 if summary is None else int(json.loads(summary)["bytes"])

    def reaches_beyond(self, octets: int) -> bool:
        """Whether the file that is there now is longer."""
        try:
            return self.file.path.stat().st_size > octets
        except OSError:
            return True


@dataclass
class _FollowRun:
    """The state of one run: the open file, and the facts about it and the files before it."""

    incoming: IncomingFiles
    observer: str | None
    seconds: float
    most_frames: int
    command: str | None
    progress: Progress | None
    is_stopped: Stop
    open_file: _OpenFile | None = None
    files: int = 0
    sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    skipped: list[dict[str, str]] = field(default_factory=list)
    names: dict[Path, list[str]] = field(default_factory=dict)
    losses: dict[str, list[str]] = field(default_factory=dict)
    derived_at: float = 0.0
    derived_seconds: float = 0.0

    def next_part(self, folder: Path) -> bool:
        """Wait for the next part and write it below ``folder``; False if there are no more."""
        while True:
            self.open_file = self.open_file or self._open_next()
            if self.open_file is None:
                if self.is_stopped():
                    return False
                time.sleep(POLL_S)
                continue
            try:
                frames, more = self._write(self.open_file, folder)
            except _core.UnusableRecording as error:
                self._skip(self.open_file, str(error))
                frames, more = 0, False
            self._write_losses(self.open_file, folder)
            if not more:
                self.open_file = None
                self.incoming.done()
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
        sources = [self._with_losses(entry) for entry in self.sources.values()]
        unread = [
            {"path": message.partition(": ")[0], "reason": message}
            for source, messages in self.losses.items()
            for message in messages
            if source not in self.sources
        ]
        return provenance(self.command, parameters, sources, [*self.skipped, *unread])

    def _with_losses(self, entry: dict[str, Any]) -> dict[str, Any]:
        lost = [
            {"radio": 0, "frame_no": None, "offset": None, "code": OVERWRITTEN, "damage": True, "message": message}
            for message in self.losses.get(entry["source"], [])
        ]
        return {**entry, "warnings": [*entry["warnings"], *lost], "damaged": entry["damaged"] or bool(lost)}

    def _open_next(self) -> _OpenFile | None:
        path = self.incoming.take()
        if path is None:
            return None
        file = InputFile(path, self._new_name(path), path_text(path))
        part = f"part-{self.files:05d}"
        self.files += 1
        if self.progress:
            self.progress(file.source, self.files, self.files + self.incoming.pending())
        if path in self.incoming.overwritten:
            self.incoming.overwritten.remove(path)
            self._lose(file, "the recording that was there before was overwritten before it could be read")
        return _OpenFile(file, part, _core.Follower(path, file.source, part, observer=self.observer))

    def _new_name(self, path: Path) -> str:
        """The file's name, or its path where another one has the name; with a number where its path comes again."""
        used = {name for names in self.names.values() for name in names}
        own = self.names.setdefault(path, [])
        base = own[0] if own else path_text(path if path_text(path.name) in used else path.name)
        number, name = len(own) + 1, base
        while name in used:
            name, number = f"{base} ({max(number, 2)})", number + 1
        own.append(name)
        return name

    def _write(self, open_file: _OpenFile, folder: Path) -> tuple[int, bool]:
        path, follower = open_file.file.path, open_file.follower
        fate = self.incoming.fate(path)
        if fate is Fate.OVERWRITTEN:
            return self._end(open_file, folder, more=True), False
        is_growing = fate is Fate.SAME and not (self.is_stopped() or self.incoming.pending())
        if not is_growing:
            follower.complete(self.is_stopped())

        def is_over() -> bool:
            next_is_there = self.incoming.pending(at_once=False) > 0
            return self.is_stopped() or next_is_there or self.incoming.fate(path) is not Fate.SAME

        before, octets = set(folder.glob("*/*.parquet")), open_file.octets()
        frames, more = follower.write_part(
            folder, self.seconds, self.most_frames, is_over if is_growing else _never_stop
        )
        if self.incoming.fate(path) is Fate.OVERWRITTEN:
            # Reading may have gone on in the middle of the other recording.
            if open_file.reaches_beyond(octets):
                for part in set(folder.glob("*/*.parquet")) - before:
                    part.unlink()
                frames, more = 0, False
            else:
                self._note(open_file)
            return frames + self._end(open_file, folder, more=more), False
        self._note(open_file)
        return frames, more

    def _end(self, open_file: _OpenFile, folder: Path, *, more: bool) -> int:
        """Leave a file that was overwritten; what was read of it is still written, if reading on finds nothing more."""
        self._lose(open_file.file, "was overwritten while it was read, so that frames of its end may be missing")
        frames, more = 0, more and not open_file.reaches_beyond(open_file.octets())
        open_file.follower.complete(False)
        while more:
            further, more = open_file.follower.write_part(folder, self.seconds, self.most_frames, _never_stop)
            self._note(open_file)
            frames += further
        return frames

    def _note(self, open_file: _OpenFile) -> None:
        """Keep the facts about what was read of a file."""
        if (summary := open_file.follower.summary()) is not None:
            self.sources[open_file.file.source] = {**open_file.file.provenance(open_file.part), **json.loads(summary)}

    def _lose(self, file: InputFile, what: str) -> None:
        self.losses.setdefault(file.source, []).append(f"{file.path}: {what}")

    def _write_losses(self, open_file: _OpenFile, folder: Path) -> None:
        """Rows of `warnings` about what may be missing, beside those of the decoder, which it replaces."""
        source = open_file.file.source
        if messages := self.losses.get(source):
            part = folder / "warnings" / f"{open_file.part}-overwritten.parquet"
            write_warnings(part, [(source, OVERWRITTEN, message) for message in messages])

    def _skip(self, open_file: _OpenFile, reason: str) -> None:
        if self.incoming.is_single and not self.sources:
            raise UnusableInput(reason)
        self.skipped.append({"path": str(open_file.file.path), "reason": reason})


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
