"""Several recordings of one channel into one dataset, on one clock, each transmission once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer import _core, dataset
from winf_analyzer.dataset import Dataset
from winf_analyzer.errors import DatasetError, InterruptedRun, UnusableInput
from winf_analyzer.ingestion import NATIVE_TABLES, Progress, provenance, write_derived
from winf_analyzer.inputs import Recording, recordings
from winf_analyzer.neighbours import merged_neighbours


def merge(
    inputs: Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    force: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Align the clocks of recordings of one channel, join what several of them heard, and write the dataset.

    The clock of the first recording becomes that of the dataset. The others are aligned with it on unique frames they
    share, directly or by way of one another: offset, drift and jumps. A transmission that several recorded becomes
    one row of ``frames`` (the best heard copy), ``hearings`` says who heard it, ``neighbours`` how well each hears
    each, and ``exchanges`` are rebuilt from the merged frames.

    Args:
        inputs: files, folders or globs, at least two recordings; the format is told by content.
        output: the dataset folder to make.
        force: replace an existing dataset.
        command: recorded as provenance; the process's own command line by default.
        progress: told about each recording before it is read.

    Returns:
        The finished dataset. ``metadata["inputs"]`` has an ``alignment`` per recording: how far its clock is ahead
        of the common one at its first frame (``offset_us``), how much faster it runs (``drift_ppm``, with its
        standard error), and on how many shared frames that rests. Recordings that cannot be read, or that share too
        few frames with the others, are in ``metadata["skipped"]``.

    Raises:
        UnusableInput: fewer than two recordings that can be brought together.
        DatasetError: the output exists, or cannot be written (for instance a full disk).
        InterruptedRun: stopped by the user. Nothing is left behind.
    """
    dataset.check_output(Path(output), force=force)
    try:
        with recordings(inputs) as found, dataset.create(output, force=force) as staged:
            if len(found) < 2:
                raise UnusableInput(f"{found[0].path}: one recording is nothing to merge. Name at least two.")
            _write(found, staged, command=command, progress=progress)
    except KeyboardInterrupt:
        raise InterruptedRun(f"interrupted; {output} was not made") from None
    except OSError as error:
        raise DatasetError(
            f"{output}: cannot be written: {error.strerror or error}. Nothing was left there."
        ) from error
    return Dataset.open(output)


def _write(found: list[Recording], staged: Path, *, command: str | None, progress: Progress | None) -> None:
    for table in (*NATIVE_TABLES, "hearings"):
        (staged / table).mkdir()
    parts = [f"part-{number:05d}" for number in range(len(found))]
    for number, recording in enumerate(found, start=1):
        if progress:
            progress(recording.source, number, len(found))
    members = [(recording.path, recording.source, part) for recording, part in zip(found, parts, strict=True)]
    outcome = json.loads(_core.merge(members, staged))
    sources: list[dict[str, Any]] = []
    skipped: list[dict[str, str]] = []
    for recording, part, member in zip(found, parts, outcome["members"], strict=True):
        if reason := _refusal(recording, member):
            skipped.append({"path": str(recording.path), "reason": reason})
        else:
            sources.append({**recording.provenance(part), **member["facts"], "alignment": member["alignment"]})
    if len(sources) < 2:
        raise UnusableInput("\n".join(entry["reason"] for entry in skipped))
    frames, hearings = (sorted((staged / table).glob("*.parquet")) for table in ("frames", "hearings"))
    spans = [{"source": s["source"], **{end: s["alignment"][end] for end in ("first_ns", "last_ns")}} for s in sources]
    write_derived(staged, merged_neighbours(frames, hearings, pl.DataFrame(spans)))
    parameters = {"decoder": "native", "merged": outcome["merged"]["counts"]}
    dataset.write_metadata(staged, provenance(command, parameters, sources, skipped))


def _refusal(recording: Recording, member: dict[str, Any]) -> str | None:
    if "error" in member:
        return str(member["error"])
    if member["alignment"] is None:
        return f"{recording.path}: shares too few frames with the others to bring its clock onto theirs."
    return None
