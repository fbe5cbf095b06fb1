"""What was recorded, how it was understood, and where the dataset comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._ingest.inspection import described
from winf_analyzer._report.labels import number

LISTED = 100
"""Recordings described one by one; a report on more names the rest by their number."""


@dataclass(frozen=True)
class Source:
    """A recording."""

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

    sources: list[Source]
    unlisted: int
    skipped: list[dict[str, str]]
    made_by: str
    command: str
    provenance: list[tuple[str, str]]
    """All of it, as label and text."""


def overview(dataset: Dataset, version: str) -> Overview:
    """Gather it from the dataset's metadata; ``version`` is that of the report's maker."""
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
    ]
    return Overview(
        sources=[_source(entry) for entry in inputs[:LISTED]],
        unlisted=max(len(inputs) - LISTED, 0),
        skipped=metadata.get("skipped", [])[:LISTED],
        made_by=made_by,
        command=command,
        provenance=provenance,
    )


def _source(entry: dict[str, Any]) -> Source:
    counts = entry["counts"]
    span_s = (counts["last_ns"] - counts["first_ns"]) / 1e9 if counts["frames"] else 0.0
    frames = f"{number(counts['frames'])} frame{'' if counts['frames'] == 1 else 's'}"
    observer = f", recorded by {entry['observer']}" if entry["observer"] else ""
    return Source(
        name=entry["source"],
        summary=f"{frames} in {number(span_s)} s{observer}",
        damaged=entry["damaged"],
        facts=described(entry),
        path=entry["path"],
        size=f"{number(entry['bytes'])} B",
        sha256=entry["sha256"],
    )
