"""Ground truth into a dataset: the logs among what a user names, and what simulators' traces say themselves."""

from __future__ import annotations

import glob
import hashlib
import os
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer import _core
from winf_analyzer._dataset import dataset
from winf_analyzer._ingest.inputs import Paths, candidates, named
from winf_analyzer._ingest.truth import read_log, recognize
from winf_analyzer._ingest.truth.receive_events import receive_events
from winf_analyzer._ingest.truth.table import TRUTH_SCHEMA
from winf_analyzer._util.errors import UnusableInput

TOOLS = ("ns-2", "ns-3")
"""Simulators, as the container's format of a recording begins."""


def separate(inputs: Paths, decoder: str = "native") -> tuple[list[Path], list[str | os.PathLike[str]]]:
    """The logs that ``inputs`` name or hold, and the inputs that are left for recordings.

    A folder or a glob is left out when it holds logs and no recording that the ``decoder`` knows. What does not exist
    is left in: whoever opens it has the words.
    """
    logs: list[Path] = []
    left: list[str | os.PathLike[str]] = []
    for given in named(inputs):
        files, is_single = _files(os.fspath(given))
        found = [path for path in files if recognize(path)]
        logs += found
        others = () if is_single else (path for path in files if path not in found)
        has_recordings = any(_core.recognize(path, decoder=decoder) for path in others)
        if not found or has_recordings:
            left.append(given)
    return list(dict.fromkeys(logs)), left


def gather(staged: Path, recordings: list[dict[str, Any]], logs: list[Path]) -> tuple[list[dict[str, Any]], list[str]]:
    """Write the table's parts, one per source, into a dataset that is being made.

    Args:
        staged: the dataset's folder.
        recordings: the entries of its ``inputs``.
        logs: files to read.

    Returns:
        What was read, for ``dataset.json``, and sentences about damage.
    """
    entries: list[dict[str, Any]] = []
    problems: list[str] = []
    parts = [pl.DataFrame(schema=TRUTH_SCHEMA)]
    for recording in recordings:
        if tool := next((tool for tool in TOOLS if recording["container"].get("format", "").startswith(tool)), None):
            frames = pl.scan_parquet(staged / "frames" / f"{recording['part']}.parquet")
            parts.append(receive_events(frames, tool=tool))
    names = [path.name for path in logs]
    for path in logs:
        source = path.name if names.count(path.name) == 1 else str(path)
        log = recognize(path)
        try:
            if log is None:
                raise UnusableInput(f"{path}: changed while it was read.")
            truth = read_log(path, log, source)
        except UnusableInput as error:
            problems.append(str(error))
            continue
        problems += [f"{path}: {damage}." for damage in truth.damage]
        parts.append(truth.rows)
        octets = path.read_bytes()
        entries.append(
            {
                "source": source,
                "path": str(path),
                "format": log.name,
                "bytes": len(octets),
                "sha256": hashlib.sha256(octets).hexdigest(),
                "rows": truth.rows.height,
            }
        )
    folder = staged / "truth"
    folder.mkdir()
    filled = [rows for rows in parts if rows.height] or parts[:1]
    for number, rows in enumerate(filled):
        dataset.write_part(rows, folder / f"part-{number:05d}.parquet")
    return entries, problems


def _files(given: str) -> tuple[list[Path], bool]:
    """The files that an input names, and whether it names just that one."""
    path = Path(given)
    if path.is_file():
        return [path], True
    return (candidates(given) if path.is_dir() or glob.has_magic(given) else []), False
