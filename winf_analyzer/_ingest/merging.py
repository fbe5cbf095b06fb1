"""Merging of several recordings of one channel into one dataset with one clock and one row per transmission."""

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
from winf_analyzer._ingest.ingestion import provenance, write_derived_tables
from winf_analyzer._ingest.inputs import InputFile, Paths, input_files, named_inputs, paths_of, source_of
from winf_analyzer._ingest.pool import NATIVE_TABLES
from winf_analyzer._util.errors import DatasetError, InterruptedRun, UnusableInput
from winf_analyzer._util.format import given_path
from winf_analyzer._util.progress import Progress


def merge(
    inputs: Paths,
    output: str | os.PathLike[str],
    *,
    force: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Align the clocks of recordings of one channel, join their copies of each transmission, and write the dataset.

    The clock of the first recording becomes that of the dataset. The others are aligned with it by unique frames that
    they share, directly or through a third recording: offset, drift and jumps. Each radio of a capture with several is
    a recording of its own, named ``FILE``, ``FILE#1`` and so on. A transmission that several recordings contain becomes
    one row of ``frames`` (the copy with the best reception). ``hearings`` lists the recordings that contain it,
    ``neighbours`` the delivery ratios between stations. ``exchanges`` are rebuilt from the merged frames.

    Args:
        inputs: files, folders or globs with at least two radios in total; formats are detected from the content.
        output: the dataset folder to create.
        force: replace an existing dataset.
        command: command line for the provenance; by default that of the process.
        progress: called before each recording is read.

    Returns:
        The finished dataset. ``metadata["inputs"]`` has an ``alignment`` per recording: the offset of its clock ahead
        of the common one at its first frame (``offset_us``), its drift (``drift_ppm``, with its standard error), and
        the number of shared frames; further radios of a capture have theirs in its ``other_radios``. Recordings that
        cannot be read, and recordings and radios that share too few frames with the others, are in
        ``metadata["skipped"]``; their ``alignment`` is None.

    Raises:
        UsageError: no input is named.
        UnusableInput: fewer than two radios that can be aligned.
        DatasetError: the output exists, or cannot be written (for example because the disk is full).
        InterruptedRun: interrupted by the user; no files are left behind.
    """
    target, inputs = given_path(output), named_inputs(inputs)
    check_output(target, force=force, inputs=paths_of(inputs))
    state = "is as it was" if os.path.lexists(target) else "was not created"
    try:
        with (
            input_files(inputs) as files,
            dataset.create(output, force=force, inputs=[file.path for file in files], action="merge") as staged,
        ):
            _write(files, staged, command=command, progress=progress)
    except KeyboardInterrupt:
        raise InterruptedRun(f"interrupted; {output} {state}") from None
    except OSError as error:
        raise DatasetError(f"{output}: cannot be written: {error.strerror or error}.") from error
    return Dataset.open(output)


def _write(files: list[InputFile], staged: Path, *, command: str | None, progress: Progress | None) -> None:
    for table in (*NATIVE_TABLES, "hearings"):
        (staged / table).mkdir()
    parts = [f"part-{number:05d}" for number in range(len(files))]
    for number, recording in enumerate(files, start=1):
        if progress:
            progress(recording.source, number, len(files))
    inputs_of_merge = [(recording.path, recording.source, part) for recording, part in zip(files, parts, strict=True)]
    before = [recording.state() for recording in files]
    outcome = json.loads(_core.merge(inputs_of_merge, staged))
    for recording, state in zip(files, before, strict=True):
        if recording.state() != state:  # it is read twice: for its clock, then for its frames
            raise UnusableInput(f"{recording.name}: changed while it was read. Merge again once it is complete.")
    sources: list[dict[str, Any]] = []
    skipped: list[dict[str, str]] = []
    for recording, part, member in zip(files, parts, outcome["members"], strict=True):
        reasons = _rejection_reasons(recording, member)
        skipped += ({"path": recording.name, "reason": reason} for reason in reasons)
        if any(member.get("alignments", ())):
            sources.append({**recording.provenance(part), **_aligned_facts(member)})
    aligned = [radio for source in sources for radio in aligned_radios(source)]
    if len(aligned) < 2:
        too_few = (
            f"{files[0].name}: a merge needs at least two recordings or radios; this is one recording of one radio."
        )
        raise UnusableInput("\n".join(entry["reason"] for entry in skipped) or too_few)
    frames, hearings = (sorted((staged / table).glob("*.parquet")) for table in ("frames", "hearings"))
    write_derived_tables(staged, neighbour_rows=merged_neighbours(frames, hearings, spans_of(sources)))
    parameters = {"decoder": "native", "merged": outcome["merged"]["counts"]}
    dataset.write_metadata(staged, provenance(command, parameters, sources, skipped))


def spans_of(inputs: list[dict[str, Any]]) -> pl.DataFrame:
    """`source`, `first_ns` and `last_ns` of every aligned radio of a merged dataset's inputs, on the common clock."""
    aligned = [radio for entry in inputs for radio in aligned_radios(entry)]
    ends = ("first_ns", "last_ns")
    return pl.DataFrame(
        [{"source": radio["source"], **{end: radio["alignment"][end] for end in ends}} for radio in aligned]
    )


def aligned_radios(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The aligned radios of one of a merged dataset's inputs: ``source``, ``frames`` and ``alignment`` of each."""
    others = entry.get("other_radios", [])
    frames = entry["counts"]["frames"] - sum(other["frames"] for other in others)
    radios = [{"radio": 0, "frames": frames, "alignment": entry["alignment"]}, *others]
    return [
        {
            "source": source_of(entry["source"], radio["radio"]),
            "frames": radio["frames"],
            "alignment": radio["alignment"],
        }
        for radio in radios
        if radio["alignment"] is not None
    ]


def clock_alignments(dataset: Dataset) -> pl.DataFrame:
    """How the clock of each radio of a merged dataset was aligned with that of the first recording, a row per radio.

    Columns: `source`, `frames`, `offset_us` (ahead at its first frame), `drift_ppm`, `drift_error_ppm`, `spread_us`
    (residual spread of the shared frames), `shared_frames`, `pieces` (of the piecewise linear clock map).
    """
    names = ("offset_us", "drift_ppm", "drift_error_ppm", "spread_us", "shared_frames", "pieces")
    rows = [
        {"source": radio["source"], "frames": radio["frames"]} | {name: radio["alignment"][name] for name in names}
        for entry in dataset.metadata["inputs"]
        for radio in aligned_radios(entry)
    ]
    return pl.DataFrame(rows)


def _aligned_facts(member: dict[str, Any]) -> dict[str, Any]:
    """The facts about a recording, with the clock alignment of each of its radios."""
    first, *others = member["alignments"]
    facts = {**member["facts"], "alignment": first}
    for radio, alignment in zip(facts.get("other_radios", []), others, strict=True):
        radio["alignment"] = alignment
    return facts


def _rejection_reasons(recording: InputFile, member: dict[str, Any]) -> list[str]:
    """Why a recording, or some of its radios, cannot be merged."""
    if "error" in member:
        return [recording.said(UnusableInput(member["error"]))]
    path = recording.name
    return [
        f"{source_of(path, radio)}: shares too few frames with the others to align its clock."
        for radio, alignment in enumerate(member["alignments"])
        if alignment is None
    ]
