"""Display texts of values, number formats, and one colour and dash per entity in all charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from winf_analyzer._recommended.reasons import sentences

DARK2 = ("#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d", "#666666")
"""ColorBrewer Dark2: eight distinguishable colours."""

DASHES = ("solid", "dash", "dot", "dashdot")
"""Line styles, so that lines can be told apart in greyscale."""

SYMBOLS = ("circle", "diamond", "square", "triangle-up")
"""Point symbols; the next one starts when all colours are used."""

KINDS = {
    "rts": ("RTS/CTS", 0),
    "basic": ("DATA/ACK", 2),
    "cts_self": ("CTS-to-self", 4),
    "broadcast": ("broadcast", 5),
    "rts_failed": ("RTS without answer", 1),
    "unknown": ("not readable", 7),
}
"""Kinds of exchange: display name and index in the palette."""

_UNKNOWN = {
    "observer": "anonymous sniffer",
    "node": "sniffer",
    "station": "unknown station",
    "transmitter": "unknown station",
    "sender": "unknown station",
    "receiver": "unknown station",
}
_SOURCE_CHARACTERS = 32


def display_text(column: str, value: Any, *, unknown: str = "unknown") -> str:
    """Display text of a value in a column of names or addresses."""
    if value is None:
        return _UNKNOWN.get(column, unknown)
    if column == "channel_mhz":
        return f"{value} MHz"
    if column == "kind" and value in KINDS:
        return KINDS[value][0]
    if column == "reasons":
        return " ".join(sentences(value))
    text = str(value)
    if column == "source" and len(text) > _SOURCE_CHARACTERS:
        half = _SOURCE_CHARACTERS // 2
        return f"{text[: half - 1]}…{text[-half:]}"
    return text


def format_number(value: float | None) -> str:
    """A number with four significant digits and thousands separators."""
    if value is None:
        return "unknown"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f")
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}".replace(",", "\u202f")


class Palette:
    """Assigns colours, dashes and symbols; an entity keeps the first ones it was assigned."""

    def __init__(self) -> None:
        self._indices: dict[str, int] = {}

    def colour(self, entity: str) -> str:
        """Colour of an entity."""
        return DARK2[self._index(entity) % len(DARK2)]

    def dash(self, entity: str) -> str:
        """Dash of an entity's lines."""
        return DASHES[self._index(entity) % len(DASHES)]

    def symbol(self, entity: str) -> str:
        """Symbol of an entity's points."""
        return SYMBOLS[self._index(entity) // len(DARK2) % len(SYMBOLS)]

    def _index(self, entity: str) -> int:
        return self._indices.setdefault(entity, len(self._indices))


def distinguishing_columns(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """Indices of the columns that a legend needs: one that is unique per row, else all that vary."""
    distinct = [len({row[index] for row in rows}) for index in range(len(columns))]
    if len(rows) in distinct:
        return [distinct.index(len(rows))]
    return [index for index, count in enumerate(distinct) if count > 1]
