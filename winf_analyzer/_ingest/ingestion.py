"""Ingestion of recordings into a dataset."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer import _core, _schema
from winf_analyzer._dataset import changes, dataset
from winf_analyzer._dataset.creating import sibling_of
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.neighbours import neighbours
from winf_analyzer._dataset.nodes import stations
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._ingest.decoding import Decoding, Tshark, check_observer, redact_keys
from winf_analyzer._ingest.finished_sources import FinishedSources
from winf_analyzer._ingest.inputs import InputFile, Paths, input_files, paths_of
from winf_analyzer._ingest.pool import NATIVE_TABLES, decode, number_of_jobs
from winf_analyzer._ingest.truth.writing import split_logs, write_truth
from winf_analyzer._util.code_identity import fingerprint
from winf_analyzer._util.durable import sha256
from winf_analyzer._util.errors import DatasetError, InterruptedRun, UnusableInput
from winf_analyzer._util.interrupts import leaving_nothing
from winf_analyzer._util.progress import Progress


def ingest(
    inputs: Paths,
    output: str | os.PathLike[str],
    *,
    observer: str | None = None,
    decoder: str | Tshark = "native",
    keys: Iterable[str] = (),
    force: bool = False,
    jobs: int | None = None,
    command: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Decode recordings, rebuild the exchanges and write the dataset.

    Args:
        inputs: files, folders, globs, or ``-`` for standard input; formats are detected from the content. Logs of iperf
            and FlowMonitor among them become the ``truth`` table.
        output: the dataset folder to create.
        observer: address of the capturing station (``aa:bb:cc:dd:ee:ff`` or ``node-3``), if it cannot be inferred.
        decoder: ``native``, or ``tshark`` for formats that only Wireshark reads; `Tshark` is the latter with options.
        keys: for encrypted frames, with tshark: ``wep:HEX``, ``wpa-psk:HEX`` or ``wpa-pwd:PASSPHRASE:SSID``.
        force: replace an existing dataset.
        jobs: recordings decoded at a time; by default one per core. The dataset is the same.
        command: command line for the provenance; by default that of the process.
        progress: called before each recording is read.

    Returns:
        The finished dataset. Damage and unusable recordings are listed in its ``warnings`` table, the latter also in
        ``metadata["skipped"]``.

    Raises:
        UnusableInput: no input is usable.
        UsageError: the observer is not an address, or a key is malformed.
        DecoderError: tshark is not installed, or too old.
        DatasetError: the output exists, or cannot be written (for example because the disk is full).
        InterruptedRun: interrupted by the user; no files are left behind.
    """
    check_output(Path(output), force=force, inputs=paths_of(inputs))
    sibling = sibling_of(Path(output))  # in which a new dataset is made, unlike one that is replaced
    decoding = Decoding.validated(decoder, keys)
    check_observer(observer)
    jobs = number_of_jobs(jobs)
    logs, captures = split_logs(inputs, decoder)
    if logs and not captures:
        raise UnusableInput(f"{logs[0]}: ground truth without a recording; name the recording it belongs to as well.")
    try:
        with (
            input_files(captures, decoder) as files,
            dataset.create(output, force=force, inputs=[*logs, *(file.path for file in files)]) as staged,
            leaving_nothing(sibling if staged.parent.name == sibling.name else staged),
        ):
            _write(files, logs, staged, decoding, observer=observer, jobs=jobs, command=command, progress=progress)
    except KeyboardInterrupt:
        raise InterruptedRun(f"interrupted; {output} was not created") from None
    except OSError as error:
        raise DatasetError(f"{output}: cannot be written: {error.strerror or error}.") from error
    return Dataset.open(output)


def _write(
    files: list[InputFile],
    logs: list[Path],
    staged: Path,
    decoding: Decoding,
    *,
    observer: str | None,
    jobs: int,
    command: str | None,
    progress: Progress | None,
) -> None:
    for table in NATIVE_TABLES:
        (staged / table).mkdir()
    making = changes.current(staged.parent)
    finished = FinishedSources(making.left if making else (), NATIVE_TABLES, decoding, observer)
    decoded = decode(files, staged, decoding, finished, observer=observer, jobs=jobs, progress=progress)
    sources, skipped = decoded.sources, decoded.skipped
    if not sources:
        raise UnusableInput("\n".join(entry["reason"] for entry in skipped))
    key = _key(files, {entry["path"]: entry["sha256"] for entry in sources}, logs, decoding, observer)
    truth, problems = write_truth(staged, sources, logs)
    skipped += [{"path": problem.partition(":")[0], "reason": problem} for problem in problems]
    write_derived_tables(staged)
    metadata = provenance(command, {**decoding.parameters(), "observer": observer}, sources, skipped)
    dataset.write_metadata(staged, metadata | {"truth": truth, "made": {"ingest": {"key": key}}})


def ingested(
    inputs: Paths, output: Path, *, observer: str | None, decoder: str | Tshark, keys: Iterable[str]
) -> Dataset | None:
    """The dataset at ``output`` if the same code made it of the same content with the same arguments, or None.

    Raises:
        UnusableInput, UsageError, DecoderError: as in `ingest`.
    """
    decoding = Decoding.validated(decoder, keys)
    logs, captures = split_logs(inputs, decoder)
    try:
        there = Dataset.open(output)
    except DatasetError:
        return None
    noted = there.metadata.get("made", {}).get("ingest", {}).get("key")
    with input_files(captures, decoder) as files:
        return there if noted is not None and noted == _key(files, {}, logs, decoding, observer) else None


def _key(
    files: list[InputFile], hashed: dict[str, str], logs: list[Path], decoding: Decoding, observer: str | None
) -> str:
    """A fingerprint of recordings, logs, arguments and code; ``hashed`` has the SHA-256 of some recordings by name."""
    contents = [(file.source, hashed.get(file.name) or sha256(file.path)) for file in files]
    contents += [(log.name, sha256(log)) for log in logs]
    return fingerprint({"contents": contents, "decoding": decoding, "observer": observer})


def write_derived_tables(
    folder: Path, neighbour_rows: pl.DataFrame | None = None, *, of: Dataset | None = None
) -> None:
    """Write ``nodes`` and ``neighbours``, and create missing tables of later steps without rows.

    Args:
        folder: the folder in which the dataset's new parts are made.
        neighbour_rows: the ``neighbours`` table; by default computed from ``frames``.
        of: the dataset that they are added to.
    """
    frames = [*(of.parts("frames") if of else ()), *sorted((folder / "frames").glob("*.parquet"))]
    derived = {
        "nodes": stations(frames),
        "neighbours": neighbours(frames) if neighbour_rows is None else neighbour_rows,
    }
    for table, rows in derived.items():
        (folder / table).mkdir()
        dataset.write_part(rows, folder / table / dataset.FIRST_PART)
    for table in (each.name for each in _schema.tables() if each.name not in derived):
        if not (folder / table).exists() and (of is None or table not in of.tables):
            (folder / table).mkdir()
            dataset.write_part(pl.DataFrame(schema=_schema.schema(table)), folder / table / dataset.FIRST_PART)


def provenance(
    command: str | None, parameters: dict[str, Any], sources: list[dict[str, Any]], skipped: list[dict[str, str]]
) -> dict[str, Any]:
    """The content of ``dataset.json``."""
    return {
        "format_version": _schema.FORMAT_VERSION,
        "tool_version": _core.__version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command or redact_keys(sys.argv),
        "parameters": parameters,
        "inputs": sources,
        "skipped": skipped,
    }
