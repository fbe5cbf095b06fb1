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

from winf_analyzer import _core, dataset
from winf_analyzer.dataset import FORMAT_VERSION, Dataset
from winf_analyzer.decoding import Decoding, without_keys
from winf_analyzer.errors import DatasetError, InterruptedRun, UnusableInput, UsageError
from winf_analyzer.estimators import ESTIMATES_SCHEMA
from winf_analyzer.inputs import Recording, recordings
from winf_analyzer.stations import stations

NATIVE_TABLES = ("frames", "exchanges", "warnings")

Progress = Callable[[str, int, int], None]
"""Called before each recording with its source name, its 1-based number and how many there are."""


def ingest(
    inputs: Iterable[str | os.PathLike[str]],
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
        inputs: files, folders, globs, or ``-`` for standard input; the format is told by content.
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
    dataset.check_output(Path(output), force=force)
    decoding = Decoding.checked(decoder, keys)
    try:
        with recordings(inputs) as found, dataset.create(output, force=force) as staged:
            _write(found, staged, decoding, observer=observer, command=command, progress=progress)
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
        size = recording.path.stat().st_size
        sources.append(
            {
                "source": recording.source,
                "path": str(recording.path),
                "bytes": size,
                "sha256": recording.sha256(),
                "part": part,
                **facts,
            }
        )
    if not sources:
        raise UnusableInput("\n".join(entry["reason"] for entry in skipped))
    frames = sorted((staged / "frames").glob("*.parquet"))
    for table, rows in (("nodes", stations(frames)), ("estimates", pl.DataFrame(schema=ESTIMATES_SCHEMA))):
        (staged / table).mkdir()
        dataset.write_part(rows, staged / table / dataset.FIRST_PART)
    dataset.write_metadata(
        staged,
        {
            "format_version": FORMAT_VERSION,
            "tool_version": _core.__version__,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": command or without_keys(sys.argv),
            "parameters": {**decoding.parameters(), "observer": observer},
            "inputs": sources,
            "skipped": skipped,
        },
    )
