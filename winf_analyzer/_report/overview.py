"""The recordings of a dataset, how they were interpreted, and the dataset's provenance."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._ingest.description import describe
from winf_analyzer._names import vendor_list
from winf_analyzer._report.labels import format_number
from winf_analyzer._sql.datasets import Collection
from winf_analyzer._util.errors import DatasetError

MAX_RECORDINGS = 100
"""Recordings that are described one by one; the others are counted."""

UNKNOWN = "unknown"
"""Of the file of a recording that was published."""


@dataclass(frozen=True)
class RecordingSummary:
    """What the report says about a recording."""

    name: str
    summary: str
    damaged: bool
    facts: list[tuple[str, str]]
    path: str
    size: str
    sha256: str


@dataclass(frozen=True)
class Overview:
    """The recordings and the run that read them."""

    sources: list[RecordingSummary]
    unlisted: int
    skipped: list[dict[str, str]]
    made_by: str
    command: str
    provenance: list[tuple[str, str]]
    """Label and text of each entry."""


def overview(dataset: Dataset | Collection, version: str) -> Overview:
    """Read the overview from the dataset's metadata; ``version`` is the version that writes the report."""
    metadata = dataset.metadata
    inputs = metadata.get("inputs", [])
    parameters = metadata.get("parameters", {})
    made_by = f"winf {metadata.get('tool_version', 'unknown')}, format {metadata['format_version']}"
    command = str(metadata.get("command", "unknown"))
    provenance = [
        ("Dataset", str(dataset.path)),
        ("Made by", made_by),
        ("Made at", str(metadata.get("created", "unknown"))),
        ("Command", command),
        ("Parameters", ", ".join(f"{name}: {value or 'none'}" for name, value in parameters.items()) or "none"),
        ("Report by", f"winf {version}"),
        ("Vendor names", f"{vendor_list().source}, {vendor_list().date}"),
    ]
    return Overview(
        sources=[_checked_summary(dataset, entry) for entry in inputs[:MAX_RECORDINGS]],
        unlisted=max(len(inputs) - MAX_RECORDINGS, 0),
        skipped=metadata.get("skipped", [])[:MAX_RECORDINGS],
        made_by=made_by,
        command=command,
        provenance=provenance,
    )


def _checked_summary(dataset: Dataset | Collection, entry: dict[str, Any]) -> RecordingSummary:
    with facts_checked(dataset):
        return _recording_summary(entry)


@contextmanager
def facts_checked(dataset: Dataset | Collection) -> Iterator[None]:
    """Read facts about recordings, which may come from anywhere.

    Raises:
        DatasetError: they are not of the form that winf writes.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise DatasetError(
            f"{dataset.path}: the facts about an input are damaged ({type(error).__name__}: {str(error)[:100]!a}). "
            "`winf undo` goes back to an earlier version."
        ) from None


def _recording_summary(entry: dict[str, Any]) -> RecordingSummary:
    counts = entry["counts"]
    span_s = (counts["last_ns"] - counts["first_ns"]) / 1e9 if counts["frames"] else 0.0
    frames = f"{format_number(counts['frames'])} frame{'' if counts['frames'] == 1 else 's'}"
    observer = f", recorded by {entry['observer']}" if entry["observer"] else ""
    return RecordingSummary(
        name=entry["source"],
        summary=f"{frames} in {format_number(span_s)} s{observer}",
        damaged=entry["damaged"],
        facts=describe(entry),
        path=entry["path"] or UNKNOWN,
        size=UNKNOWN if entry["bytes"] is None else f"{format_number(entry['bytes'])} B",
        sha256=entry["sha256"] or UNKNOWN,
    )
