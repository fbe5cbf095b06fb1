"""Recordings into a dataset."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer import _core
from winf_analyzer._dataset import dataset
from winf_analyzer._dataset.dataset import FORMAT_VERSION, Dataset
from winf_analyzer._dataset.neighbours import neighbours
from winf_analyzer._dataset.nodes import stations
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._evaluate.schema import COMPARISON_SCHEMA, SCORES_SCHEMA
from winf_analyzer._hidden import HIDDEN_PAIRS_SCHEMA
from winf_analyzer._ingest.decoding import Decoding, without_keys
from winf_analyzer._ingest.inputs import Paths, Recording, paths_of, recordings
from winf_analyzer._ingest.truth.gathering import gather as gather_truth
from winf_analyzer._ingest.truth.gathering import separate as truth_logs
from winf_analyzer._ingest.truth.table import TRUTH_SCHEMA
from winf_analyzer._mac import MAC_PARAMETERS_SCHEMA
from winf_analyzer._schema import native_schema
from winf_analyzer._schema.conditions import CONDITIONS_SCHEMA
from winf_analyzer._schema.estimates import ESTIMATES_SCHEMA
from winf_analyzer._util.errors import DatasetError, InterruptedRun, UnusableInput, UsageError

NATIVE_TABLES = ("frames", "exchanges", "capabilities", "warnings")

NATIVE_AND_LATER = ("hearings", "replay_flows", "replay_links", "replay_summary")
"""Native tables that other commands fill."""

Progress = Callable[[str, int, int], None]
"""Called before each recording with its source name, its 1-based number and how many there are."""


def ingest(
    inputs: Paths,
    output: str | os.PathLike[str],
    *,
    observer: str | None = None,
    decoder: str = "native",
    keys: Iterable[str] = (),
    force: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Decode recordings, rebuild the exchanges and write the dataset.

    Args:
        inputs: files, folders, globs, or ``-`` for standard input; the format is told by content. Logs of iperf and
            FlowMonitor among them become the ``truth`` table.
        output: the dataset folder to make.
        observer: whose radio recorded them (``aa:bb:cc:dd:ee:ff`` or ``node-3``), where the recordings do not tell.
        decoder: ``native``, or ``tshark`` for captures that only Wireshark reads.
        keys: for encrypted frames, with tshark: ``wep:HEX``, ``wpa-psk:HEX`` or ``wpa-pwd:PASSPHRASE:SSID``.
        force: replace an existing dataset.
        command: recorded as provenance; the process's own command line by default.
        progress: told about each recording before it is read.

    Returns:
        The finished dataset. Damage that did not stop it is in its ``warnings`` table; recordings that could not be
        used at all are in ``metadata["skipped"]``.

    Raises:
        UnusableInput: nothing usable in any input.
        UsageError: the observer is no address, or a key none.
        DecoderError: tshark is not installed, or too old.
        DatasetError: the output exists, or cannot be written (for instance a full disk).
        InterruptedRun: stopped by the user. Nothing is left behind.
    """
    check_output(Path(output), force=force, inputs=paths_of(inputs))
    decoding = Decoding.checked(decoder, keys)
    logs, captures = truth_logs(inputs, decoder)
    if logs and not captures:
        raise UnusableInput(f"{logs[0]}: ground truth alone; name the recording it belongs to as well.")
    try:
        with (
            recordings(captures, decoder) as found,
            dataset.create(output, force=force, inputs=[*logs, *(each.path for each in found)]) as staged,
        ):
            _write(found, logs, staged, decoding, observer=observer, command=command, progress=progress)
    except KeyboardInterrupt:
        raise InterruptedRun(f"interrupted; {output} was not made") from None
    except ValueError as error:  # the observer is no address
        raise UsageError(str(error)) from None
    except OSError as error:
        raise DatasetError(
            f"{output}: cannot be written: {error.strerror or error}. Nothing was left there."
        ) from error
    return Dataset.open(output)


def _write(
    found: list[Recording],
    logs: list[Path],
    staged: Path,
    decoding: Decoding,
    *,
    observer: str | None,
    command: str | None,
    progress: Progress | None,
) -> None:
    for table in NATIVE_TABLES:
        (staged / table).mkdir()
    sources: list[dict[str, Any]] = []
    skipped: list[dict[str, str]] = []
    for number, recording in enumerate(found, start=1):
        if progress:
            progress(recording.source, number, len(found))
        part = f"part-{number - 1:05d}"
        try:
            arguments = {"observer": observer, **decoding.arguments()}
            facts = json.loads(_core.ingest(recording.path, recording.source, staged, part, **arguments))
        except _core.UnusableRecording as error:
            for table in NATIVE_TABLES:
                (staged / table / f"{part}.parquet").unlink(missing_ok=True)
            skipped.append({"path": str(recording.path), "reason": str(error)})
            continue
        sources.append({**recording.provenance(part), **facts})
    if not sources:
        raise UnusableInput("\n".join(entry["reason"] for entry in skipped))
    truth, problems = gather_truth(staged, sources, logs)
    skipped += [{"path": problem.partition(":")[0], "reason": problem} for problem in problems]
    write_derived(staged)
    metadata = provenance(command, {**decoding.parameters(), "observer": observer}, sources, skipped)
    dataset.write_metadata(staged, metadata | {"truth": truth})


def write_derived(folder: Path, heard: pl.DataFrame | None = None, *, into: Path | None = None) -> None:
    """Write the tables that follow from those of the recordings: ``nodes``, and ``neighbours`` unless they are given.

    Tables that are filled later or by others are made empty, where there are none. What is written goes to ``into``,
    by default ``folder`` itself.
    """
    into = into or folder
    frames = sorted((folder / "frames").glob("*.parquet"))
    for table, rows in (("nodes", stations(frames)), ("neighbours", neighbours(frames) if heard is None else heard)):
        (into / table).mkdir()
        dataset.write_part(rows, into / table / dataset.FIRST_PART)
    later = {
        **{
            table: native_schema.schema(table)
            for table in ("hearings", "replay_flows", "replay_links", "replay_summary")
        },
        "estimates": ESTIMATES_SCHEMA,
        "hidden_pairs": HIDDEN_PAIRS_SCHEMA,
        "conditions": CONDITIONS_SCHEMA,
        "mac_parameters": MAC_PARAMETERS_SCHEMA,
        "truth": TRUTH_SCHEMA,
        "comparison": COMPARISON_SCHEMA,
        "scores": SCORES_SCHEMA,
    }
    for table, schema in later.items():
        if not (folder / table).exists():
            (into / table).mkdir()
            dataset.write_part(pl.DataFrame(schema=schema), into / table / dataset.FIRST_PART)


def provenance(
    command: str | None, parameters: dict[str, Any], sources: list[dict[str, Any]], skipped: list[dict[str, str]]
) -> dict[str, Any]:
    """What ``dataset.json`` says."""
    return {
        "format_version": FORMAT_VERSION,
        "tool_version": _core.__version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command or without_keys(sys.argv),
        "parameters": parameters,
        "inputs": sources,
        "skipped": skipped,
    }
