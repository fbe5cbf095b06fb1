"""A dataset as a notebook shows it: where it is, what was recorded, which tables it has."""

from __future__ import annotations

from pathlib import Path

from winf_analyzer._dataset import manifest
from winf_analyzer._util import html
from winf_analyzer._util.clocks import date_text, has_date

LISTED = 12
"""Recordings that are named."""


def as_html(path: Path, metadata: manifest.Metadata) -> str:
    """The dataset at `path`, whose manifest has this `metadata`, as HTML."""
    inputs = metadata.get("inputs", [])
    recordings = [
        (entry["source"], _when(entry["counts"]), entry["counts"]["frames"], entry["counts"]["exchanges"])
        for entry in inputs[:LISTED]
    ]
    rows: dict[str, int] = {}
    for part in manifest.parts(metadata):
        rows[part.table] = rows.get(part.table, 0) + part.rows
    parts = [html.paragraph(f"Dataset {path}", bold=True)]
    if recordings:
        parts.append(html.table(("recording", "when", "frames", "exchanges"), recordings))
    if len(inputs) > LISTED:
        parts.append(html.paragraph(f"{len(inputs) - LISTED} more recordings"))
    if rows:
        parts.append(html.table(("table", "rows"), sorted(rows.items())))
    return "".join(parts)


def _when(counts: dict[str, int]) -> str:
    if not counts["frames"]:
        return "no frame"
    span_s = (counts["last_ns"] - counts["first_ns"]) / 1e9
    if not has_date(counts["first_ns"]):
        return f"{span_s:.3f} s, without date"
    return f"{date_text(counts['first_ns'])}, {span_s:.3f} s"
