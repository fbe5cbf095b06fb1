"""The ``truth`` table of a new dataset, from the logs among its inputs and from simulator traces."""

from __future__ import annotations

import glob
import hashlib
import os
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer._dataset import dataset
from winf_analyzer._ingest.decoding import Tshark, recognized
from winf_analyzer._ingest.inputs import Paths, matching_files, path_list
from winf_analyzer._ingest.truth import read_log, recognize
from winf_analyzer._ingest.truth.received_goodput import received_goodput
from winf_analyzer._schema import schema
from winf_analyzer._util.errors import UnusableInput

SIMULATOR_TOOLS = ("ns-2", "ns-3")
"""Prefixes of a recording's container format if it is a simulator trace."""


def split_logs(inputs: Paths, decoder: str | Tshark = "native") -> tuple[list[Path], list[str | os.PathLike[str]]]:
    """The logs that ``inputs`` name or contain, and the remaining inputs, which contain recordings.

    A folder or glob with logs but no recording that the ``decoder`` knows is not among the remaining inputs. One that
    does not exist is, so that opening it reports the error.
    """
    logs: list[Path] = []
    remaining: list[str | os.PathLike[str]] = []
    for pattern in path_list(inputs):
        files, is_single = _named_files(os.fspath(pattern))
        logs_here = [path for path in files if recognize(path)]
        logs += logs_here
        others = () if is_single else (path for path in files if path not in logs_here)
        has_recordings = any(recognized(path, decoder) for path in others)
        if not logs_here or has_recordings:
            remaining.append(pattern)
    return list(dict.fromkeys(logs)), remaining


def write_truth(
    staged: Path, recordings: list[dict[str, Any]], logs: list[Path]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Write the table's parts, one per source, into a dataset that is being created.

    Args:
        staged: the dataset's folder.
        recordings: the entries of its ``inputs``.
        logs: files to read.

    Returns:
        Entries for ``dataset.json`` about the logs read, and messages about damage.
    """
    entries: list[dict[str, Any]] = []
    problems: list[str] = []
    parts = [pl.DataFrame(schema=schema("truth"))]
    for recording in recordings:
        if tool := next(
            (tool for tool in SIMULATOR_TOOLS if recording["container"].get("format", "").startswith(tool)), None
        ):
            frames = pl.scan_parquet(staged / "frames" / f"{recording['part']}.parquet")
            parts.append(received_goodput(frames, tool=tool))
    file_names = [path.name for path in logs]
    for path in logs:
        source = path.name if file_names.count(path.name) == 1 else str(path)
        log_format = recognize(path)
        try:
            if log_format is None:
                raise UnusableInput(f"{path}: changed while it was being read.")
            parsed = read_log(path, log_format, source)
        except UnusableInput as error:
            problems.append(str(error))
            continue
        problems += [f"{path}: {damage}." for damage in parsed.damage]
        parts.append(parsed.rows)
        content = path.read_bytes()
        entries.append(
            {
                "source": source,
                "path": str(path),
                "format": log_format.name,
                "bytes": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
                "rows": parsed.rows.height,
            }
        )
    folder = staged / "truth"
    folder.mkdir()
    nonempty = [rows for rows in parts if rows.height] or parts[:1]
    for number, rows in enumerate(nonempty):
        dataset.write_part(rows, folder / f"part-{number:05d}.parquet")
    return entries, problems


def _named_files(pattern: str) -> tuple[list[Path], bool]:
    """The files of an input, and whether it is a single file."""
    path = Path(pattern)
    if path.is_file():
        return [path], True
    return (matching_files(pattern) if path.is_dir() or glob.has_magic(pattern) else []), False
