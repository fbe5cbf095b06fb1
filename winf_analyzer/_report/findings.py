"""The findings of a dataset as the report shows them: rows of the table `findings`, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from winf_analyzer._report.labels import format_number

if TYPE_CHECKING:
    import polars as pl

MAX_FINDINGS = 20
"""Findings that are listed; more are counted."""


@dataclass(frozen=True)
class Finding:
    """A finding."""

    title: str
    text: str
    effect: str
    remedy: str
    facts: list[tuple[str, str]]
    """Label and text of the evidence: share of airtime, confidence, frames, display filter, SQL."""


def findings(rows: pl.DataFrame) -> list[Finding]:
    """The findings in order of their rank."""
    return [_finding(row) for row in rows.sort("rank").head(MAX_FINDINGS).iter_rows(named=True)]


def _finding(row: dict[str, Any]) -> Finding:
    evidence = [
        ("Airtime", None if row["airtime_share"] is None else f"{100 * row['airtime_share']:.3g} %"),
        ("Confidence", None if row["confidence"] is None else f"{100 * row['confidence']:.3g} %"),
        ("Frames", _numbers(row["frames"])),
        ("Display filter", row["display_filter"]),
        ("SQL", row["sql"]),
    ]
    return Finding(
        title=str(row.get("title") or row["name"].replace("_", " ").capitalize()),
        text=str(row.get("text") or row["subject"] or ""),
        effect=_effect(row),
        remedy=str(row["remedy"] or ""),
        facts=[(label, str(text)) for label, text in evidence if text not in (None, "")],
    )


def _numbers(frames: list[int] | str | None) -> str | None:
    return ", ".join(map(str, frames)) if isinstance(frames, list) else frames


def _effect(row: dict[str, Any]) -> str:
    """What removing the cause would bring, with its interval."""
    effect, low, high = (row[name] for name in ("effect_bps", "effect_low_bps", "effect_high_bps"))
    if effect is None:
        return "" if row["airtime_share"] is None else f"{100 * row['airtime_share']:.3g} % of the airtime"
    interval = ""
    if low is not None and high is not None:
        interval = f" (90 % interval {format_number(low / 1e6)} to {format_number(high / 1e6)})"
    return f"{format_number(effect / 1e6)} Mb/s regained{interval}"
