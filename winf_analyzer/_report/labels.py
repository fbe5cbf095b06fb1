"""Display texts of values, number formats, and one colour and dash per entity in all charts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from winf_analyzer import _core
from winf_analyzer._ingest.description import AUDITED
from winf_analyzer._recommended.reasons import sentences

DARK2 = ("#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#5f9a1c", "#b58900", "#a6761d", "#828282")
"""After ColorBrewer's Dark2: eight distinguishable colours, each with a contrast of 3 on white and on the dark page."""

DASHES = ("solid", "dash", "dot", "dashdot")
"""Line styles, so that lines can be told apart in greyscale."""

SYMBOLS = ("circle", "diamond", "square", "triangle-up")
"""Point symbols, so that points can be told apart in greyscale."""

KINDS = {
    "rts": ("RTS/CTS", 0),
    "basic": ("DATA/ACK", 2),
    "cts_self": ("CTS-to-self", 4),
    "broadcast": ("broadcast", 5),
    "rts_failed": ("RTS without answer", 1),
    "unknown": ("not readable", 7),
}
"""Kinds of exchange: display name and index in the palette."""

CLASSES = {
    "data": "data",
    "data_again": "data sent again",
    "beacon": "beacons",
    "probe": "probe requests and responses",
    "management": "other management",
    "null_data": "data without payload",
    "control": "control frames alone",
    "data_unheard": "unheard data (only its RTS, CTS or ACK)",
    "unreadable": "frames that were not readable",
}
"""Classes of the query `airtime`: display name."""

_CLASS_COLOURS = {
    "data": DARK2[0],
    "data_again": DARK2[1],
    "beacon": DARK2[5],
    "probe": DARK2[2],
    "management": DARK2[3],
    "null_data": DARK2[4],
    "control": "#7a4a21",
    "data_unheard": "#3f87b8",
    "unreadable": DARK2[7],
}


def class_colour(name: str) -> str:
    """Colour of a class of the query `airtime`, the same in every figure."""
    return _CLASS_COLOURS.get(name, DARK2[-1])


_UNKNOWN = {
    "observer": "anonymous sniffer",
    "node": "sniffer",
    "station": "unknown station",
    "transmitter": "unknown station",
    "sender": "unknown station",
    "receiver": "unknown station",
}
STATIONS = {"sender", "receiver", "transmitter", "station", "hidden_from", "observer", "node"}
"""Columns of addresses that are shown with the station's name."""

HIDDEN_NAME = "hidden"
"""A network name that was announced as empty, or as zeros."""

_SOURCE_CHARACTERS = 32


def display_text(column: str, value: Any, *, unknown: str = "unknown") -> str:
    """Display text of a value in a column of names or addresses."""
    if value is None:
        return _UNKNOWN.get(column, unknown)
    if column == "channel_mhz":
        return f"{value} MHz"
    if column == "kind" and value in KINDS:
        return KINDS[value][0]
    if column == "class":
        return CLASSES.get(value, str(value))
    if column == "check":
        return AUDITED.get(value, str(value))
    if column == "reasons":
        return units_kept(" ".join(sentences(value)))
    text = str(value)
    if column == "ssid" and not text.strip("\0"):
        return HIDDEN_NAME
    if column == "source" and len(text) > _SOURCE_CHARACTERS:
        half = _SOURCE_CHARACTERS // 2
        return f"{text[: half - 1]}…{text[-half:]}"
    return text


def format_number(value: float | None, digits: int = 4) -> str:
    """A number with so many significant digits and thousands separators."""
    if value is None:
        return "unknown"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f")
    text = f"{value:.{digits}g}"
    return text if abs(float(text)) < 1000 else f"{value:,.0f}".replace(",", "\u202f")


def format_rate(mbps: float) -> str:
    """A rate in a sentence: three significant digits, as `winf why` writes it; no estimate is known better."""
    if 0 < abs(mbps) < 0.1:
        return f"{1000 * mbps:.3g}\u00a0kb/s"
    return f"{mbps:.3g}\u00a0Mb/s" if abs(mbps) < 100 else f"{mbps:,.0f}\u00a0Mb/s".replace(",", "\u202f")


def format_range(low_mbps: float, high_mbps: float) -> str:
    """An interval of rates in a sentence: the unit once where both ends have it, and no unit at 0."""
    low, high = (format_rate(mbps).replace("-", "\u2212") for mbps in (low_mbps, high_mbps))
    number, unit = low.split("\u00a0")
    is_shared = low_mbps == 0 or unit == high.split("\u00a0")[1]
    return f"{number if is_shared else low} to {high}"


_UNIT = re.compile(r"(?<=\d) (?=%|[kMG]?b/s|ms|dBm|dB|s\b)")


def typeset(text: str) -> str:
    """A text of the terminal for the page: links with arrows, and no line break before a unit."""
    return units_kept(text.replace(" > ", " → "))


def units_kept(text: str) -> str:
    """A text in which no line is broken between a number and its unit."""
    return _UNIT.sub("\u00a0", text)


STEP = 27
"""From one controller of the registry to the next: three colours on, and as many dashes and symbols as it takes for no
three of the six that `winf analyze` replays to share one. Odd, so that 32 controllers differ."""


class Palette:
    """Assigns colours, dashes and symbols; an entity keeps the first ones it was assigned.

    Controllers have theirs by their place in the registry, so that they look alike in every report. Colours repeat
    after eight entities; dashes and symbols are then others, so that 32 entities differ.
    """

    def __init__(self) -> None:
        self._controllers = {row[0]: STEP * place for place, row in enumerate(_core.controllers())}
        self._indices: dict[str, int] = {}

    def colour(self, entity: str) -> str:
        """Colour of an entity."""
        return DARK2[self._index(entity) % len(DARK2)]

    def dash(self, entity: str) -> str:
        """Dash of an entity's lines."""
        return DASHES[self._variant(entity) % len(DASHES)]

    def symbol(self, entity: str) -> str:
        """Symbol of an entity's points."""
        return SYMBOLS[self._variant(entity) % len(SYMBOLS)]

    def _index(self, entity: str) -> int:
        if entity in self._controllers:
            return self._controllers[entity]
        return self._indices.setdefault(entity, len(self._indices))

    def _variant(self, entity: str) -> int:
        index = self._index(entity)
        return index + index // len(DARK2)


def distinguishing_columns(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """Indices of the columns that a legend needs: one that is unique per row, else all that vary."""
    distinct = [len({row[index] for row in rows}) for index in range(len(columns))]
    if len(rows) in distinct:
        return [distinct.index(len(rows))]
    return [index for index, count in enumerate(distinct) if count > 1]
