"""Values as people read them, and one colour and dash per entity, the same wherever it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

DARK2 = ("#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d", "#666666")
"""ColorBrewer Dark2: eight colours that stay apart for most eyes."""

DASHES = ("solid", "dash", "dot", "dashdot")
"""So that lines stay apart in grey, too."""

SYMBOLS = ("circle", "diamond", "square", "triangle-up")
"""Of points, when the colours are used up."""

KINDS = {
    "rts": ("RTS/CTS", 0),
    "basic": ("DATA/ACK", 2),
    "cts_self": ("CTS-to-self", 4),
    "broadcast": ("broadcast", 5),
    "rts_failed": ("RTS without answer", 1),
    "unknown": ("not readable", 7),
}
"""Kinds of exchange: the name shown and the place in the palette."""

_UNKNOWN = {
    "observer": "anonymous sniffer",
    "node": "sniffer",
    "station": "unknown station",
    "transmitter": "unknown station",
    "sender": "unknown station",
    "receiver": "unknown station",
}
_SOURCE_CHARACTERS = 32


def worded(column: str, value: Any, *, unknown: str = "unknown") -> str:
    """Say a value of a column that names something."""
    if value is None:
        return _UNKNOWN.get(column, unknown)
    if column == "channel_mhz":
        return f"{value} MHz"
    if column == "kind" and value in KINDS:
        return KINDS[value][0]
    text = str(value)
    if column == "source" and len(text) > _SOURCE_CHARACTERS:
        half = _SOURCE_CHARACTERS // 2
        return f"{text[: half - 1]}…{text[-half:]}"
    return text


def number(value: float | None) -> str:
    """Say a number: four digits, thousands kept apart."""
    if value is None:
        return "unknown"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f")
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}".replace(",", "\u202f")


class Palette:
    """Hands out colours; an entity keeps the one it got first."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def colour(self, entity: str) -> str:
        """Colour of an entity."""
        return DARK2[self._place(entity) % len(DARK2)]

    def dash(self, entity: str) -> str:
        """Dash of an entity's lines."""
        return DASHES[self._place(entity) % len(DASHES)]

    def symbol(self, entity: str) -> str:
        """Symbol of an entity's points."""
        return SYMBOLS[self._place(entity) // len(DARK2) % len(SYMBOLS)]

    def _place(self, entity: str) -> int:
        return self._places.setdefault(entity, len(self._places))


def varying(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """Return the places of the columns a legend has to say: one that tells all rows apart, else those that differ."""
    distinct = [len({row[place] for row in rows}) for place in range(len(columns))]
    if len(rows) in distinct:
        return [distinct.index(len(rows))]
    return [place for place, count in enumerate(distinct) if count > 1]
