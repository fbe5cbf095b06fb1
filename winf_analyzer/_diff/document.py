"""The report of a comparison: one page, the changes in words, then all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report import write_page
from winf_analyzer._report.labels import CLASSES, format_number
from winf_analyzer._report.page import document

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

MAX_SENTENCES = 12
MAX_ROWS = 2000

_VERDICTS = {"new": "appeared", "gone": "disappeared", "more": "rose", "less": "fell"}


def write_document(target: Path, before: str, after: str, rows: pl.DataFrame) -> None:
    """Write the page.

    Raises:
        WinfError: the target is no report of winf, or cannot be written.
    """
    changed = rows.filter(rows["verdict"].is_in(list(_VERDICTS)))
    html = document(
        "diff.html.j2",
        before=before,
        after=after,
        counts={name: rows.filter(verdict=name).height for name in (*_VERDICTS, "noise", "unknown")},
        compared=rows.height,
        sentences=[sentence(row) for row in changed.head(MAX_SENTENCES).iter_rows(named=True)],
        rows=[_cells(row) for row in rows.head(MAX_ROWS).iter_rows(named=True)],
    )
    write_page(target, html)


def sentence(row: dict[str, Any]) -> str:
    """A row whose verdict is a change, in words."""
    subject = CLASSES.get(row["subject"], row["subject"])
    text = f"{row['part'].capitalize()} {subject}: {row['quantity']} {_VERDICTS[row['verdict']]}"
    if row["verdict"] == "new":
        return f"{text}, now {_number(row['after'], row['unit'])}."
    if row["verdict"] == "gone":
        return f"{text}, before {_number(row['before'], row['unit'])}."
    low, high = (_number(row[name], row["unit"]) for name in ("change_low", "change_high"))
    return (
        f"{text} from {_number(row['before'], row['unit'])} to {_number(row['after'], row['unit'])}"
        f" (change {low} to {high})."
    )


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "unknown"
    if unit == "1":
        return f"{100 * value:.3g} %"
    return f"{format_number(value / 1e6)} Mb/s"


def _cells(row: dict[str, Any]) -> dict[str, str]:
    def interval(side: str) -> str:
        value, low, high = (_number(row[name], row["unit"]) for name in (side, f"{side}_low", f"{side}_high"))
        return value if row[f"{side}_low"] is None or row[f"{side}_high"] is None else f"{value} ({low} to {high})"

    return {
        "part": row["part"],
        "subject": CLASSES.get(row["subject"], row["subject"]),
        "quantity": row["quantity"],
        "before": interval("before"),
        "after": interval("after"),
        "change": interval("change"),
        "verdict": row["verdict"],
    }
