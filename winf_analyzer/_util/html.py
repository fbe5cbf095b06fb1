"""HTML for notebooks: small tables of text that comes from recordings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from winf_analyzer._util.format import format_value, printable


def text(value: Any) -> str:
    """A value as text of an HTML document: control characters and markup are shown, not obeyed."""
    return escape(format_value(value))


def paragraph(words: str, *, bold: bool = False) -> str:
    """A paragraph."""
    inner = escape(printable(words))
    return f"<p><b>{inner}</b></p>" if bold else f"<p>{inner}</p>"


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a heading per column."""
    head = "".join(f"<th>{text(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{text(value)}</td>' for value in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
