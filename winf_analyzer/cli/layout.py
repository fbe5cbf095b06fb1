"""Which columns of a table a terminal has room for, and how wide each is.

Where a table is too wide, headings are broken at their underscores and texts at their spaces; where that is not enough,
columns are left out: first those that the caller can do without, then from the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

GAP = 3
"""Characters between two columns."""

EDGE = 2
"""Characters at both edges of the table together."""

MAX_WORD = 24
"""Longer words are broken where there is no room."""


class TableColumn(NamedTuple):
    """A column as text."""

    name: str
    cells: Sequence[str]
    breaks: bool
    """Its cells may be broken at spaces."""

    def heading(self, width: int) -> str:
        """The name, broken at underscores into lines of this width."""
        lines = [""]
        for part in _parts(self.name):
            if lines[-1] and len(lines[-1]) + len(part) > width:
                lines.append("")
            lines[-1] += part
        return "\n".join(lines)

    @property
    def width(self) -> int:
        """The width at which nothing is broken."""
        return max(map(len, [self.name, *self.cells]), default=0)

    @property
    def least_width(self) -> int:
        """The width at which everything that may be broken is."""
        words = [word for cell in self.cells for word in (cell.split() if self.breaks else [cell])]
        longest = max(map(len, words), default=0)
        heading = max(map(len, _parts(self.name)))
        return max(heading, min(longest, MAX_WORD) if self.breaks else longest)


class Layout(NamedTuple):
    """The columns that are shown, in order, with their widths, and the names of the others."""

    widths: dict[str, int]
    hidden: list[str]


def fit(columns: Sequence[TableColumn], width: int, least: Sequence[str] = ()) -> Layout:
    """Lay out a table in a width.

    Args:
        columns: all columns; the first is always shown.
        width: characters of a line.
        least: names of columns that are left out first, in this order.
    """
    shown = list(columns)
    order = [name for name in least if any(column.name == name for column in columns[1:])]
    order += [column.name for column in reversed(columns[1:]) if column.name not in order]
    hidden = []
    while _needed([column.least_width for column in shown]) > width and len(shown) > 1:
        name = order.pop(0)
        hidden.append(name)
        shown = [column for column in shown if column.name != name]
    widths = {column.name: column.least_width for column in shown}
    room = width - _needed(list(widths.values()))
    for column in shown:  # what is left goes to those that are broken, from the left
        more = max(0, min(room, column.width - widths[column.name]))
        widths[column.name] += more
        room -= more
    return Layout(widths, [column.name for column in columns if column.name in hidden])


def _parts(name: str) -> list[str]:
    *first, last = name.split("_")
    return [*(f"{part}_" for part in first), last]


def _needed(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1) + EDGE
