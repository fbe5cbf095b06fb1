"""The report of a comparison: one page, the changes in words, then all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._findings.registry import findings_registry
from winf_analyzer._names import Names
from winf_analyzer._report import write_page
from winf_analyzer._report.labels import CLASSES, format_number, typeset
from winf_analyzer._report.page import document

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import polars as pl

NAMELESS = Names()

MAX_SENTENCES = 12
MAX_ROWS = 2000

_VERDICTS = {"new": "appeared", "gone": "disappeared", "more": "rose", "less": "fell"}


def write_document(
    target: Path,
    before: str,
    after: str,
    rows: pl.DataFrame,
    name: Names = NAMELESS,
    not_compared: Iterable[str] = (),
) -> None:
    """Write the page; `name` says what stations are called, `not_compared` in sentences what a side lacks.

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
        sentences=[typeset(sentence(row, name)) for row in changed.head(MAX_SENTENCES).iter_rows(named=True)],
        not_compared=[each.replace("`", "") for each in not_compared],
        rows=[_cells(row, name) for row in rows.head(MAX_ROWS).iter_rows(named=True)],
    )
    write_page(target, html)


def sentence(row: dict[str, Any], name: Names = NAMELESS) -> str:
    """A row whose verdict is a change, in words."""
    about, verdict, unit = _about(row, name), _VERDICTS[row["verdict"]], row["unit"]
    if row["verdict"] == "new":
        return f"{about} {verdict}: {row['quantity']} is {_number(row['after'], unit)}."
    if row["verdict"] == "gone":
        return f"{about} {verdict}: {row['quantity']} was {_number(row['before'], unit)}."
    low, high = (_change(row[name], unit) for name in ("change_low", "change_high"))
    return (
        f"{about}: {row['quantity']} {verdict} from {_number(row['before'], unit)} to {_number(row['after'], unit)}"
        f" (change {low} to {high})."
    )


def _about(row: dict[str, Any], name: Names) -> str:
    """What a row is about, at the start of a sentence; what is counted in a whole recording stands alone."""
    subject = _subject(row, name)
    if row["part"] == "recording":
        return subject[0].upper() + subject[1:]
    return f"{row['part'].capitalize()} {subject}"


def _subject(row: dict[str, Any], name: Names) -> str:
    """What a row is about: a finding by its title, stations by their names."""
    kind, colon, rest = row["subject"].partition(": ")
    if row["part"] == "finding" and colon and kind in findings_registry():
        return f'"{findings_registry()[kind].title}", {name.in_text(rest)}'
    return name.in_text(CLASSES.get(row["subject"], row["subject"]))


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "unknown"
    if unit == "1":
        return f"{100 * value:.3g} %"
    return f"{format_number(value / 1e6)} Mb/s"


def _change(value: float | None, unit: str) -> str:
    """A difference; that of two shares is no share."""
    return f"{100 * value:.3g} points" if unit == "1" and value is not None else _number(value, unit)


def _cells(row: dict[str, Any], name: Names) -> list[tuple[str, str | float]]:
    """Text and sort key of each cell."""

    def interval(side: str) -> tuple[str, str | float]:
        if row[side] is None:
            return "–", ""
        written = _change if side == "change" else _number
        value, low, high = (written(row[name], row["unit"]) for name in (side, f"{side}_low", f"{side}_high"))
        known = row[f"{side}_low"] is not None and row[f"{side}_high"] is not None
        return typeset(f"{value} ({low} to {high})" if known else value), row[side]

    part, subject, quantity, verdict = row["part"], _subject(row, name), row["quantity"], row["verdict"]
    texts = [(typeset(text), text) for text in (part, subject, quantity)]
    return [*texts, interval("before"), interval("after"), interval("change"), (verdict, verdict)]
