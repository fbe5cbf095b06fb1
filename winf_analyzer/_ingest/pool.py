"""Recordings decoded side by side into the parts of a dataset."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from winf_analyzer import _core, _schema
from winf_analyzer._dataset import dataset, manifest
from winf_analyzer._dataset.manifest import Part
from winf_analyzer._ingest.decoding import Decoding
from winf_analyzer._ingest.finished_sources import FinishedSources
from winf_analyzer._ingest.inputs import InputFile
from winf_analyzer._ingest.tasks import DecodingTask, number_of
from winf_analyzer._util.errors import UnusableInput, UsageError
from winf_analyzer._util.memory import memory_limit
from winf_analyzer._util.progress import Progress

NATIVE_TABLES = ("frames", "exchanges", "capabilities", "audit", "warnings")

BYTES_PER_JOB = 192 * 2**20
"""What decoding one recording takes at most, whatever its length."""

UNUSABLE = "unusable_recording"
"""Code of the row of `warnings` about a recording that was skipped."""


Spread = Callable[[Callable[..., Any], list[tuple[Any, ...]]], Iterator[tuple[tuple[Any, ...], Any]]]
"""Calls a function with the arguments of every task, elsewhere; gives arguments and result, or a `reason`, of each."""


@dataclass
class Decoded:
    """What became of the recordings, in their order."""

    sources: list[dict[str, Any]] = field(default_factory=list)
    """Provenance and facts of each that could be read."""
    skipped: list[dict[str, Any]] = field(default_factory=list)
    """Of the others: path, reason, and what tells whether the file is the same another time."""
    counts: _core.FrameCounts | None = None
    """What stations sent in those that could be read; None where parts have to be read for that."""


def number_of_jobs(jobs: int | None) -> int:
    """As many as asked for, one per core by default, and no more than the memory limit allows.

    Raises:
        UsageError: less than one.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs {jobs}: at least 1.")
    wanted = len(os.sched_getaffinity(0)) if jobs is None and hasattr(os, "sched_getaffinity") else jobs
    return max(1, min(wanted or os.cpu_count() or 1, memory_limit() // BYTES_PER_JOB))


def decode(
    work: Sequence[DecodingTask],
    folder: Path,
    decoding: Decoding,
    finished: FinishedSources,
    *,
    observer: str | None,
    jobs: int,
    finish: Callable[[Path], Part],
    progress: Progress | None = None,
    spread: Spread | None = None,
) -> Decoded:
    """Write the parts of every recording below `folder`; the same octets whatever the number of jobs.

    A recording that cannot be used leaves a row in `warnings`, and the others are kept.

    Args:
        work: what is decoded at a time.
        folder: with a folder for each of :data:`NATIVE_TABLES`.
        decoding: decoder and keys.
        finished: what killed runs left, and the place for what this one leaves if it is killed.
        observer: address of the capturing station, if it cannot be inferred.
        jobs: tasks at a time.
        finish: called with every part of frames and exchanges once it is written, by the thread that wrote it; tasks
            that run elsewhere leave it to the caller to bring them to the disk.
        progress: called before each recording is read.
        spread: runs the tasks elsewhere, in processes that share the file system.

    Raises:
        KeyboardInterrupt: interrupted.
        OSError: a part cannot be written.
    """
    if spread is not None:
        return _decoded(_spread(spread, work, folder, decoding, observer, progress))
    stop = threading.Event()
    total = sum(len(task.recordings) for task in work)
    run = _Run(folder, decoding, finished, observer, stop.is_set, progress, total, finish)
    executor = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="winf-ingest")
    try:
        results = [result for found in executor.map(run.task, work) for result in found]
    except BaseException:
        stop.set()
        raise
    finally:
        executor.shutdown(cancel_futures=True)
    return _decoded(results, run.counts)


def _decoded(results: Iterable[dict[str, Any]], counts: _core.FrameCounts | None = None) -> Decoded:
    decoded = Decoded(counts=counts)
    for result in sorted(results, key=lambda result: number_of(result["part"])):
        (decoded.skipped if "reason" in result else decoded.sources).append(result)
    return decoded


def _spread(
    spread: Spread,
    work: Sequence[DecodingTask],
    folder: Path,
    decoding: Decoding,
    observer: str | None,
    progress: Progress | None,
) -> Iterator[dict[str, Any]]:
    """The results of tasks that run elsewhere; recordings of a task that ends its process are tried one by one."""
    total, done = sum(len(task.recordings) for task in work), 0
    again: list[DecodingTask] = []
    for tasks in (work, again):
        for (task, *_), result in spread(decode_task, [(task, folder, decoding, observer) for task in tasks]):
            if not isinstance(result, list):
                if len(task.recordings) > 1:
                    again += task.apart()
                    continue
                (recording,) = task.recordings
                reason = f"{recording.name}: {result.reason}. It may need more memory than a node has."
                _quarantine(folder, recording, task.part, reason)
                result = [{**recording.provenance(task.part), **recording.content_if_there(), "reason": reason}]
            done += len(task.recordings)
            if progress:
                progress(task.recordings[-1].source, done, total)
            yield from result


def decode_task(task: DecodingTask, folder: Path, decoding: Decoding, observer: str | None) -> list[dict[str, Any]]:
    """Write the parts of a task's recordings below `folder`; entries of ``inputs`` or ``skipped``."""
    nothing = FinishedSources((), NATIVE_TABLES, decoding, observer)
    run = _Run(folder, decoding, nothing, observer, lambda: False, None, len(task.recordings), described)
    return run.task(task)


def described(file: Path) -> Part:
    """What a manifest says of a part."""
    return manifest.describe(file, file.parent.name)


@dataclass
class _Run:
    """What all tasks have in common."""

    folder: Path
    decoding: Decoding
    finished: FinishedSources
    observer: str | None
    stopped: Callable[[], bool]
    progress: Progress | None
    total: int
    finish: Callable[[Path], Part]
    begun: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    counts: _core.FrameCounts | None = field(default_factory=_core.FrameCounts)
    """None once recordings were not counted while they were decoded."""

    def task(self, task: DecodingTask) -> list[dict[str, Any]]:
        """Entries of ``inputs`` or ``skipped`` of a task's recordings."""
        if self.progress:
            with self.lock:
                for recording in task.recordings:
                    self.begun += 1
                    self.progress(recording.source, self.begun, self.total)
        if len(task.recordings) > 1:
            return self._together(task)
        return [self._alone(task.part, task.recordings[0])]

    def _alone(self, part: str, recording: InputFile) -> dict[str, Any]:
        if facts := self.finished.take((recording,), self.folder, part):
            self.counts = None
            return {**recording.provenance(part), **facts[0]}
        own = _core.FrameCounts()
        try:
            before = recording.state()
            text = _core.ingest(
                recording.path,
                recording.source,
                self.folder,
                part,
                observer=self.observer,
                stop=self.stopped,
                counts=own,
                **self.decoding.arguments(),
            )
            facts = json.loads(text)
            content = _content(recording, facts, before)
        except (_core.UnusableRecording, UnusableInput) as error:
            return self._quarantined(part, recording, recording.said(error))
        except OSError as error:
            if error.errno is None:  # of a part, not of the recording
                raise
            return self._quarantined(part, recording, recording.said(error))
        if self.counts is not None:
            self.counts.add(own)
        entry = {**content, **facts, **recording.changed(before)}
        self._finish((recording,), [entry], part)
        return {**recording.provenance(part), **entry}

    def _together(self, task: DecodingTask) -> list[dict[str, Any]]:
        """Short recordings into shared parts; one that is not short after all gets its own."""
        if facts := self.finished.take(task.recordings, self.folder, task.part):
            self.counts = None
            return [
                {**recording.provenance(task.part), **each}
                for recording, each in zip(task.recordings, facts, strict=True)
            ]
        before = [_state(recording) for recording in task.recordings]
        named = [(recording.path, recording.source) for recording in task.recordings]
        own = _core.FrameCounts()
        texts = _core.ingest_together(
            named, self.folder, task.part, observer=self.observer, stop=self.stopped, counts=own
        )
        if self.counts is not None:
            self.counts.add(own)
        found, shared = [], []
        for (own_part, recording), state, text in zip(task.numbered(), before, texts, strict=True):
            facts = json.loads(text)
            if "long" in facts:
                found.append(self._alone(own_part, recording))
            elif "error" in facts:
                reason = recording.said(UnusableInput(facts["error"]))
                found.append(self._quarantined(own_part, recording, reason))
            else:
                shared.append({**facts, **recording.changed(state)})
                found.append({**recording.provenance(task.part), **shared[-1]})
        if not shared:
            for table in NATIVE_TABLES:
                (self.folder / table / f"{task.part}.parquet").unlink()
            return found
        self._finish(task.recordings if len(shared) == len(found) else (), shared, task.part)
        return found

    def _finish(self, recordings: Sequence[InputFile], facts: Sequence[dict[str, Any]], part: str) -> None:
        """Parts are complete; a note says what is in them where these recordings are all of it."""
        finished = {table: self.finish(self.folder / table / f"{part}.parquet").sha256 for table in NATIVE_TABLES}
        if recordings and self.total > 1 and not self.decoding.keys:
            self.finished.note(recordings, facts, self.folder, part, finished)

    def _quarantined(self, part: str, recording: InputFile, reason: str) -> dict[str, Any]:
        _quarantine(self.folder, recording, part, reason)
        return {**recording.provenance(part), **recording.content_if_there(), "reason": reason}


def _state(recording: InputFile) -> tuple[int, ...]:
    try:
        return recording.state()
    except OSError:  # decoding says what is wrong
        return ()


def _content(recording: InputFile, facts: dict[str, Any], before: tuple[int, ...]) -> dict[str, Any]:
    """Length and SHA-256 of what was decoded; of a decoder that does not hash it, of a file that did not change.

    Raises:
        UnusableInput: the file changed meanwhile, so that nothing tells what was decoded.
    """
    if "sha256" in facts:
        return {}
    content = recording.content()
    if recording.state() != before:
        raise UnusableInput(f"{recording.path}: changed while tshark read it. Ingest it again once it is complete.")
    return content


def _quarantine(folder: Path, recording: InputFile, part: str, reason: str) -> None:
    """Leave nothing of the recording but the reason why."""
    for table in NATIVE_TABLES:
        (folder / table / f"{part}.parquet").unlink(missing_ok=True)
    write_warnings(folder / "warnings" / f"{part}.parquet", [(recording.source, UNUSABLE, reason)])


def write_warnings(part: Path, rows: Sequence[tuple[str, str, str]]) -> None:
    """Write a part of `warnings` about recordings as a whole: source, code and message of each row."""
    import polars as pl

    told = ["source", "code", "message"]
    table = pl.DataFrame(rows, schema=told, orient="row").select(
        (pl.col(name) if name in told else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in _schema.schema("warnings").items()
    )
    dataset.write_part(table, part)
