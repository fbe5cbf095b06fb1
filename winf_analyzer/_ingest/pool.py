"""Recordings decoded side by side into the parts of a dataset."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from winf_analyzer import _core, _schema
from winf_analyzer._dataset import dataset
from winf_analyzer._ingest.decoding import Decoding
from winf_analyzer._ingest.finished_sources import FinishedSources
from winf_analyzer._ingest.inputs import InputFile
from winf_analyzer._util.errors import UnusableInput, UsageError
from winf_analyzer._util.memory import memory_limit
from winf_analyzer._util.progress import Progress

NATIVE_TABLES = ("frames", "exchanges", "capabilities", "audit", "warnings")

BYTES_PER_JOB = 192 * 2**20
"""What decoding one recording takes at most, whatever its length."""

UNUSABLE = "unusable_recording"
"""Code of the row of `warnings` about a recording that was skipped."""


@dataclass
class Decoded:
    """What became of the recordings, in their order."""

    sources: list[dict[str, Any]] = field(default_factory=list)
    """Provenance and facts of each that could be read."""
    skipped: list[dict[str, str]] = field(default_factory=list)
    """Path and reason of the others."""
    counts: _core.FrameCounts = field(default_factory=_core.FrameCounts)
    """What stations sent in those that could be read."""


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
    files: Sequence[InputFile],
    folder: Path,
    decoding: Decoding,
    finished: FinishedSources,
    *,
    observer: str | None,
    jobs: int,
    progress: Progress | None = None,
    first_part: int = 0,
) -> Decoded:
    """Write the parts of every recording below `folder`; the same octets whatever the number of jobs.

    A recording that cannot be used leaves a row in `warnings`, and the others are kept.

    Args:
        files: recordings; each has the part of its position.
        folder: with a folder for each of :data:`NATIVE_TABLES`.
        decoding: decoder and keys.
        finished: what killed runs left, and the place for what this one leaves if it is killed.
        observer: address of the capturing station, if it cannot be inferred.
        jobs: recordings decoded at a time.
        progress: called before each recording is read.
        first_part: number of the part of the first recording.

    Raises:
        KeyboardInterrupt: interrupted.
        OSError: a part cannot be written.
    """
    stop, started = threading.Event(), threading.Lock()
    begun = 0
    decoded = Decoded()

    def one(number: int, recording: InputFile) -> dict[str, Any] | str:
        nonlocal begun
        if progress:
            with started:
                begun += 1
                progress(recording.source, begun, len(files))
        part = dataset.PART.format(first_part + number).removesuffix(".parquet")
        arguments = {"observer": observer, **decoding.arguments()}
        if facts := finished.take(recording, folder, part):
            decoded.counts.add_part(folder / "frames" / f"{part}.parquet")
            return {**recording.provenance(part), **facts}
        before, counts = recording.state(), _core.FrameCounts()
        arguments |= {"stop": stop.is_set, "counts": counts}
        try:
            text = _core.ingest(recording.path, recording.source, folder, part, **arguments)
            facts = json.loads(text)
            content = _content(recording, facts, before)
        except (_core.UnusableRecording, UnusableInput) as error:
            reason = recording.said(error)
            _quarantine(folder, recording, part, reason)
            return reason
        decoded.counts.add(counts)
        if len(files) > 1 and not decoding.keys:
            finished.note(recording, {**content, **facts}, folder, part)
        return {**recording.provenance(part), **content, **facts}

    executor = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="winf-ingest")
    try:
        results = list(executor.map(one, range(len(files)), files))
    except BaseException:
        stop.set()
        raise
    finally:
        executor.shutdown(cancel_futures=True)
    for recording, result in zip(files, results, strict=True):
        if isinstance(result, dict):
            decoded.sources.append(result)
        else:
            decoded.skipped.append({"path": recording.name, "reason": result})
    return decoded


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
    import polars as pl

    row = {"source": [recording.source], "code": [UNUSABLE], "message": [reason]}
    schema = _schema.schema("warnings")
    rows = pl.DataFrame(row).select(
        (pl.col(name) if name in row else pl.lit(None)).cast(dtype).alias(name) for name, dtype in schema.items()
    )
    dataset.write_part(rows, folder / "warnings" / f"{part}.parquet")
