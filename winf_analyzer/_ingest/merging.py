"""Several recordings of one channel into one dataset, on one clock, each transmission once."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer import _core
from winf_analyzer._dataset import dataset
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.neighbours import merged_neighbours
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._ingest.ingestion import NATIVE_TABLES, Progress, provenance, write_derived
from winf_analyzer._ingest.inputs import Paths, Recording, paths_of, recordings, source_of
from winf_analyzer._util.errors import DatasetError, InterruptedRun, UnusableInput


def merge(
    inputs: Paths,
    output: str | os.PathLike[str],
    *,
    force: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Align the clocks of recordings of one channel, join what several of them heard, and write the dataset.

    The clock of the first recording becomes that of the dataset. The others are aligned with it on unique frames they
    share, directly or by way of one another: offset, drift and jumps. Each radio of a capture of several is a recording
    of its own, named ``FILE``, ``FILE#1`` and so on. A transmission that several recorded becomes
    one row of ``frames`` (the best heard copy), ``hearings`` says who heard it, ``neighbours`` how well each hears
    each, and ``exchanges`` are rebuilt from the merged frames.

    Args:
        inputs: files, folders or globs with at least two radios in all; the format is told by content.
        output: the dataset folder to make.
        force: replace an existing dataset.
        command: recorded as provenance; the process's own command line by default.
        progress: told about each recording before it is read.

    Returns:
        The finished dataset. ``metadata["inputs"]`` has an ``alignment`` per recording: how far its clock is ahead
        of the common one at its first frame (``offset_us``), how much faster it runs (``drift_ppm``, with its
        standard error), and on how many shared frames that rests; further radios of a capture have theirs in its
        ``other_radios``. Recordings that cannot be read, and recordings and radios that share too few frames with the
        others, are in ``metadata["skipped"]``; their ``alignment`` is None.

    Raises:
        UnusableInput: fewer than two radios that can be brought together.
        DatasetError: the output exists, or cannot be written (for instance a full disk).
        InterruptedRun: stopped by the user. Nothing is left behind.
    """
    check_output(Path(output), force=force, inputs=paths_of(inputs))
    try:
        with (
            recordings(inputs) as found,
            dataset.create(output, force=force, inputs=[each.path for each in found]) as staged,
        ):
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
        reasons = _refusals(recording, member)
        skipped += ({"path": str(recording.path), "reason": reason} for reason in reasons)
        if any(member.get("alignments", ())):
            sources.append({**recording.provenance(part), **_facts(member)})
    aligned = [radio for source in sources for radio in radios(source)]
    if len(aligned) < 2:
        alone = f"{found[0].path}: one recording of one radio is nothing to merge. Name at least two."
        raise UnusableInput("\n".join(entry["reason"] for entry in skipped) or alone)
    frames, hearings = (sorted((staged / table).glob("*.parquet")) for table in ("frames", "hearings"))
    spans = [{"source": r["source"], **{end: r["alignment"][end] for end in ("first_ns", "last_ns")}} for r in aligned]
    write_derived(staged, merged_neighbours(frames, hearings, pl.DataFrame(spans)))
    parameters = {"decoder": "native", "merged": outcome["merged"]["counts"]}
    dataset.write_metadata(staged, provenance(command, parameters, sources, skipped))


def radios(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The aligned radios of one of a merged dataset's inputs: ``source``, ``frames`` and ``alignment`` of each."""
    others = entry.get("other_radios", [])
    frames = entry["counts"]["frames"] - sum(other["frames"] for other in others)
    every = [{"radio": 0, "frames": frames, "alignment": entry["alignment"]}, *others]
    return [
        {
            "source": source_of(entry["source"], radio["radio"]),
            "frames": radio["frames"],
            "alignment": radio["alignment"],
        }
        for radio in every
        if radio["alignment"] is not None
    ]


def _facts(member: dict[str, Any]) -> dict[str, Any]:
    """What is known about a recording, and how the clock of each of its radios was aligned."""
    first, *others = member["alignments"]
    facts = {**member["facts"], "alignment": first}
    for radio, alignment in zip(facts.get("other_radios", []), others, strict=True):
        radio["alignment"] = alignment
    return facts


def _refusals(recording: Recording, member: dict[str, Any]) -> list[str]:
    """Why a recording, or some of its radios, cannot take part."""
    if "error" in member:
        return [str(member["error"])]
    path = str(recording.path)
    return [
        f"{source_of(path, radio)}: shares too few frames with the others to bring its clock onto theirs."
        for radio, alignment in enumerate(member["alignments"])
        if alignment is None
    ]
