"""A recording that is still being written, or a folder in which rotated ones appear, into a dataset that grows."""

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
from winf_analyzer._ingest.ingestion import NATIVE_TABLES, Progress, provenance, write_derived
from winf_analyzer._ingest.inputs import STANDARD_INPUT, Paths, Recording, candidates, in_time_order, named
from winf_analyzer._util.durations import parse_ns
from winf_analyzer._util.errors import DatasetError, InterruptedRun, UnusableInput, UsageError

POLL_S = 0.2
"""How often a folder without a recording to read is looked at."""

DERIVED_SHARE = 0.1
"""Share of the time that may go into tables which are made anew from all parts."""

PACKED_SUFFIXES = (".gz", ".zst", ".lz4", ".xz")
"""What capture tools append to the name of a file that they compress once it is full."""

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

    The dataset appears with the first frames. Every part and ``dataset.json`` are replaced atomically, so that it can
    be read at any time. A file of a rotated set is done with when the next one appears. How a recording is understood
    (its clock, its recorder) is decided from what comes before its first part.

    A file that is compressed while it grows (gzip, zstd or xz) is followed as far as its writer has flushed it; lz4 is
    refused, because its decoder cannot stop inside a block. tshark cannot follow: it ends where a file ends at present.

    Args:
        inputs: one file, folder or glob. Folders are followed for new recordings.
        output: the dataset folder to make.
        observer: whose radio recorded it, where the recording does not tell.
        every: how often a part is added: a duration such as ``5s``, or nanoseconds.
        most_frames: a part is ended early when it holds this many.
        force: replace an existing dataset.
        command: recorded as provenance; the process's own command line by default.
        progress: told about each recording before it is read.
        stop: asked all the time; true ends the following, as Ctrl-C and SIGTERM do.

    Returns:
        The finished dataset, with everything that was written to the inputs before the end.

    Raises:
        UsageError: more than one input, standard input, or ``every`` is no duration.
        UnusableInput: the input does not exist or is no recording.
        DatasetError: the output exists, or cannot be written.
        InterruptedRun: stopped before the first frame, or twice. What has appeared at ``output`` is whole.
    """
    given = [os.fspath(name) for name in named(inputs)]
    if len(given) != 1 or given[0] == STANDARD_INPUT:
        raise UsageError("--follow takes one file, folder or pattern.")
    try:
        seconds = parse_ns(every) / 1e9
    except ValueError as error:
        raise UsageError(str(error)) from None
    target = Path(output)
    check_output(target, force=force, inputs=given)
    with _stopping(stop) as stopped:
        arrivals = _Arrivals(given[0])
        run = _Run(arrivals, observer, seconds, most_frames, command, progress, stopped)
        try:
            with dataset.create(target, force=force, inputs=[*given, *arrivals.queue]) as staged:
                for table in NATIVE_TABLES:
                    (staged / table).mkdir()
                if not run.next_part(staged):
                    raise InterruptedRun(f"interrupted before the first frame; {output} was not made")
                write_derived(staged)
                dataset.write_metadata(staged, run.facts())
            grown = Dataset.open(target)
            while run.add_part(grown):
                run.publish(grown)
            run.publish(grown, last=True)
        except KeyboardInterrupt:
            raise InterruptedRun(f"interrupted; {output} holds what was added before") from None
        except OSError as error:
            raise DatasetError(f"{output}: cannot be written: {error.strerror or error}.") from error
    return Dataset.open(output)


@dataclass(frozen=True)
class _Current:
    """The file being read."""

    recording: Recording
    part: str
    follower: _core.Follower


class _Run:
    """The state of one following: the file being read, and what is known about it and those before it."""

    def __init__(
        self,
        arrivals: _Arrivals,
        observer: str | None,
        seconds: float,
        most_frames: int,
        command: str | None,
        progress: Progress | None,
        stopped: Stop,
    ) -> None:
        self.arrivals = arrivals
        self.observer = observer
        self.seconds = seconds
        self.most_frames = most_frames
        self.command = command
        self.progress = progress
        self.stopped = stopped
        self.current: _Current | None = None
        self.files = 0
        self.sources: dict[str, dict[str, Any]] = {}
        self.skipped: list[dict[str, str]] = []
        self.derived_at = 0.0
        self.derived_seconds = 0.0

    def next_part(self, folder: Path) -> bool:
        """Wait for the next part and write it below ``folder``; False when there are no more."""
        while True:
            self.current = self.current or self._open_next()
            if self.current is None:
                if self.stopped() or self.arrivals.is_single:
                    return False
                time.sleep(POLL_S)
                continue
            try:
                frames, more = self._write(self.current, folder)
            except _core.UnusableRecording as error:
                self._skip(self.current, str(error))
                frames, more = 0, False
            if not more:
                self.current = None
            if frames or (self.sources and not more):
                return True

    def add_part(self, grown: Dataset) -> bool:
        """`next_part` of a dataset that exists; files appear in it when they are whole."""
        with grown.staging() as staged:
            for table in NATIVE_TABLES:
                (staged / table).mkdir()
            more = self.next_part(staged)
            grown.put(staged)
        return more

    def publish(self, grown: Dataset, *, last: bool = False) -> None:
        """Bring ``dataset.json`` and the derived tables up to the parts."""
        started = time.monotonic()
        with grown.staging() as staged:
            if last or (started - self.derived_at) * DERIVED_SHARE >= self.derived_seconds:
                write_derived(grown.path, into=staged)
                self.derived_at = time.monotonic()
                self.derived_seconds = self.derived_at - started
            grown.put(staged, **self.facts())

    def facts(self) -> dict[str, Any]:
        """What ``dataset.json`` says by now."""
        parameters = {"decoder": "native", "observer": self.observer, "follow": True}
        return provenance(self.command, parameters, list(self.sources.values()), self.skipped)

    def _open_next(self) -> _Current | None:
        path = self.arrivals.take()
        if path is None:
            return None
        recording = Recording(path, str(path) if path.name in self.sources else path.name)
        part = f"part-{self.files:05d}"
        self.files += 1
        if self.progress:
            self.progress(recording.source, self.files, self.files + self.arrivals.waiting())
        return _Current(recording, part, _core.Follower(path, recording.source, part, observer=self.observer))

    def _write(self, current: _Current, folder: Path) -> tuple[int, bool]:
        is_growing = not (self.stopped() or self.arrivals.waiting())
        if not is_growing:
            current.follower.complete(self.stopped())
        stop = self.stopped if is_growing else _never
        frames, more = current.follower.write_part(folder, self.seconds, self.most_frames, stop)
        facts = current.follower.summary()
        if facts is not None:
            path = current.recording.path
            self.sources[current.recording.source] = {
                "source": current.recording.source,
                "path": str(path),
                "bytes": path.stat().st_size,
                "sha256": None if more else current.recording.sha256(),
                "part": current.part,
                **json.loads(facts),
            }
        return frames, more

    def _skip(self, current: _Current, reason: str) -> None:
        if self.arrivals.is_single:
            raise UnusableInput(reason)
        self.skipped.append({"path": str(current.recording.path), "reason": reason})


class _Arrivals:
    """The recordings of an input, as they appear."""

    def __init__(self, given: str) -> None:
        self.given = given
        self.is_single = Path(given).is_file()
        self.queue = [Path(given)] if self.is_single else []
        self.seen = set(self.queue)
        self._look()  # refuses what does not exist

    def take(self) -> Path | None:
        """The next recording in time, if there is one."""
        self._look()
        return self.queue.pop(0) if self.queue else None

    def waiting(self) -> int:
        """How many have appeared that were not taken."""
        self._look()
        return len(self.queue)

    def _look(self) -> None:
        if self.is_single:
            return
        new = [path for path in candidates(self.given) if self._is_new(path) and _core.recognize(path)]
        if new:
            self.seen.update(new)
            self.queue = in_time_order([*self.queue, *new])

    def _is_new(self, path: Path) -> bool:
        """A recording that was read already may be compressed later, under its name and a suffix."""
        is_packed_copy = path.suffix in PACKED_SUFFIXES and path.with_suffix("") in self.seen
        return path not in self.seen and not is_packed_copy


@contextmanager
def _stopping(stop: Stop | None) -> Iterator[Stop]:
    """Ctrl-C and SIGTERM ask for an end; the second time they interrupt."""
    asked = threading.Event()

    def handle(number: int, frame: object) -> None:
        del number, frame
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    in_main = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGTERM) if in_main else ()
    previous = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield lambda: asked.is_set() or (stop is not None and stop())
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _never() -> bool:
    return False
