"""The findings of a dataset as the report shows them: rows of the table `findings`, in words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from winf_analyzer._report.labels import format_range, format_rate, typeset

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from winf_analyzer._names import Names

CLAIMED = 0.5
"""Confidence from which a finding is claimed; one below is shown as doubtful."""

UNFIT = "recording_unfit"
"""The finding that a recording is not fit for the question."""

MAX_FINDINGS = 20
"""Subjects of a kind of finding, or recordings with it, that are listed."""


@dataclass(frozen=True)
class ShownFinding:
    """A finding."""

    name: str
    title: str
    text: str
    effect: str
    doubtful: bool
    remedy: str
    """Empty where it is doubtful: that is not acted upon."""
    facts: list[tuple[str, str]]
    """Label and text of the evidence: share of airtime, confidence, frames, display filter, SQL."""
    others: list[ShownFinding] = field(default_factory=list)
    """The same about other subjects."""


def findings(rows: list[dict[str, Any]], name: Names) -> list[ShownFinding]:
    """The findings in order of their rank, with the names of stations, one for each kind: the others are with it."""
    ranked = sorted(rows, key=lambda row: row["rank"])
    if len({row.get("source") for row in ranked}) < 2:
        alike: dict[tuple[str, bool], list[ShownFinding]] = {}
        for row in ranked:
            finding = _finding(row, name)
            alike.setdefault((row["name"], finding.doubtful), []).append(finding)
        return [replace(first, others=others[:MAX_FINDINGS]) for first, *others in alike.values()]
    kinds: dict[str, list[dict[str, Any]]] = {}
    for row in ranked:
        if row["confidence"] is None or row["confidence"] >= CLAIMED:
            kinds.setdefault(row["name"], []).append(row)
    return [_kind(of_kind, name) for of_kind in kinds.values()]


def scope(looked_at: Sequence[str], not_looked_at: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """What was looked for and not `found` (titles by name), and what was not looked for, with the reason."""
    rest = [title for title in looked_at if title not in found.values()]
    asked = "Looked for and not found" if found else "Looked for"
    if UNFIT in found:
        asked += ", though a recording that is not fit cannot rule them out"
    lines = [f"{asked}: {'; '.join(rest)}."] if rest else []
    by_reason: dict[str, list[str]] = {}
    for title, reason in not_looked_at.items():
        by_reason.setdefault(reason, []).append(title)
    return lines + [f"Not looked for: {'; '.join(titles)} ({reason})." for reason, titles in by_reason.items()]


def _kind(rows: list[dict[str, Any]], name: Names) -> ShownFinding:
    """A kind of finding in several recordings: the first in rank, and which the others are."""
    sources = list(dict.fromkeys(str(row["source"]) for row in rows))
    first = _finding(rows[0], name)
    listed = ", ".join(sources[:MAX_FINDINGS])
    rest = len(sources) - MAX_FINDINGS
    more = f" and {rest} more" if rest > 0 else ""
    count = f"In {len(sources)} recordings, first of all in {sources[0]}" if len(sources) > 1 else f"In {sources[0]}"
    return replace(first, text=f"{count}: {first.text}", facts=[("Recordings", listed + more), *first.facts])


def _finding(row: dict[str, Any], name: Names) -> ShownFinding:
    doubtful = row["confidence"] is not None and row["confidence"] < CLAIMED
    evidence = [
        ("Airtime", None if row["airtime_share"] is None else f"{100 * row['airtime_share']:.3g} %"),
        ("Confidence", None if row["confidence"] is None else f"{100 * row['confidence']:.3g} %"),
        ("Frames", _numbers(row["frames"])),
        ("Display filter", row["display_filter"]),
        ("SQL", row["sql"]),
    ]
    return ShownFinding(
        name=str(row["name"]),
        title=title(row),
        text=name.in_text(typeset(str(row.get("text") or row["subject"] or ""))),
        effect=_effect(row),
        doubtful=doubtful,
        remedy="" if doubtful else str(row["remedy"] or ""),
        facts=[(label, str(text)) for label, text in evidence if text not in (None, "")],
    )


def title(row: Mapping[str, Any]) -> str:
    """What a finding is called; a dataset of an earlier version has its name alone."""
    return str(row.get("title") or row["name"].replace("_", " ").capitalize())


def _numbers(frames: list[int] | str | None) -> str | None:
    return ", ".join(map(str, frames)) if isinstance(frames, list) else frames


MIN_PERCENT = 0.1
"""Smaller shares of time are not told apart."""


def _effect(row: dict[str, Any]) -> str:
    """What removing the cause would bring, with its interval."""
    effect, low, high = (row[name] for name in ("effect_bps", "effect_low_bps", "effect_high_bps"))
    if effect is None:
        percent = 100 * (row["airtime_share"] or 0)
        shown = f"{percent:.2g}" if percent >= MIN_PERCENT else f"less than {MIN_PERCENT:g}"
        return "" if row["airtime_share"] is None else f"{shown} % of the time"
    interval = ""
    if low is not None and high is not None:
        interval = f" (90\u00a0% interval {format_range(low / 1e6, high / 1e6)})"
        if may_be_nothing(row):
            interval = f", or nothing{interval}"
    return f"{format_rate(effect / 1e6)} regained{interval}"


def may_be_nothing(row: Mapping[str, Any]) -> bool:
    """Whether the interval of what removing the cause would bring includes 0."""
    low, high = row["effect_low_bps"], row["effect_high_bps"]
    return low is not None and high is not None and low <= 0 <= high
