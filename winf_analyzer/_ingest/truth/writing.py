"""The ``truth`` table of a new dataset, from the logs among its inputs and from simulator traces."""

from __future__ import annotations

import glob
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winf_analyzer._dataset import dataset
from winf_analyzer._ingest.decoding import Tshark, recognized
from winf_analyzer._ingest.inputs import Paths, folder_of, matching_files, path_list
from winf_analyzer._ingest.truth import read_log, recognize
from winf_analyzer._util import parquet
from winf_analyzer._util.errors import UnusableInput
from winf_analyzer._util.format import path_text

if TYPE_CHECKING:
    import polars as pl

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
    staged: Path, recordings: list[dict[str, Any]], logs: list[Path], first_log: int = 0
) -> tuple[list[dict[str, Any]], list[str]]:
    """Write the table's parts, by recording and by log, into a dataset that is being created or added to.

    Args:
        staged: the folder of its new parts; without rows `truth` has none.
        recordings: entries of ``inputs`` that are new.
        logs: files to read.
        first_log: number of the first log in the dataset.

    Returns:
        Entries for ``dataset.json`` about the logs read, and messages about damage.
    """
    simulated = any(recording["container"].get("format", "").startswith(SIMULATOR_TOOLS) for recording in recordings)
    if not logs and not simulated:
        return [], []

    entries: list[dict[str, Any]] = []
    problems: list[str] = []
    folder = staged / "truth"
    folder.mkdir()
    for part, rows in _of_simulators(staged, recordings).items():
        dataset.write_part(rows, folder / f"{part}.parquet")
    file_names = [path_text(path.name) for path in logs]
    for number, path in enumerate(logs, first_log):
        name, whole = path_text(path.name), path_text(path)
        source = name if file_names.count(name) == 1 else whole
        log_format = recognize(path)
        try:
            if log_format is None:
                raise UnusableInput(f"{path}: changed while it was being read.")
            parsed = read_log(path, log_format, source)
        except UnusableInput as error:
            problems.append(str(error))
            continue
        problems += [f"{path}: {damage}." for damage in parsed.damage]
        if parsed.rows.height:
            dataset.write_part(parsed.rows, folder / f"tool-{number:05d}.parquet")
        content = path.read_bytes()
        entries.append(
            {
                "source": source,
                "path": whole,
                **folder_of(whole),
                "part": f"tool-{number:05d}",
                "format": log_format.name,
                "bytes": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
                "rows": parsed.rows.height,
            }
        )
    return entries, problems


def _of_simulators(staged: Path, recordings: list[dict[str, Any]]) -> dict[str, pl.DataFrame]:
    """Rows of simulators' traces, by the part that their frames are in."""
    import polars as pl

    from winf_analyzer._ingest.truth.received_goodput import received_goodput

    found: dict[str, list[pl.DataFrame]] = {}
    for recording in recordings:
        if tool := next(
            (tool for tool in SIMULATOR_TOOLS if recording["container"].get("format", "").startswith(tool)), None
        ):
            frames = parquet.scan(staged / "frames" / f"{recording['part']}.parquet")
            rows = received_goodput(frames.filter(pl.col("source") == recording["source"]), tool=tool)
            found.setdefault(recording["part"], []).append(rows)
    joined = {part: pl.concat(rows) for part, rows in found.items()}
    return {part: rows for part, rows in joined.items() if rows.height}


def _named_files(pattern: str) -> tuple[list[Path], bool]:
    """The files of an input, and whether it is a single file."""
    path = Path(pattern)
    if path.is_file():
        return [path], True
    return (matching_files(pattern) if path.is_dir() or glob.has_magic(pattern) else []), False
