"""Gaps in lines at windows without a row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Point = tuple[Any, ...]
"""The start of a window, then its values."""

MOST = 10_000
"""Absent windows in a row that are all filled."""


def fill_gaps(points: Iterable[Point], step: float, missing: Point) -> list[Point]:
    """The points in order of their start, with ``missing`` values for each absent window of width ``step``.

    Of more than :data:`MOST` absent windows in a row, between which a clock was set, only the first and the last are
    filled: to a line this is the same.
    """
    gapless: list[Point] = []
    for point in sorted(points, key=lambda point: point[0]):
        if gapless and point[0] - gapless[-1][0] > MOST * step:
            gapless += [(gapless[-1][0] + step, *missing), (point[0] - step, *missing)]
        else:
            while gapless and point[0] - gapless[-1][0] > 1.5 * step:
                gapless.append((gapless[-1][0] + step, *missing))
        gapless.append(point)
    return gapless
