"""Gaps in lines at windows without a row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Point = tuple[Any, ...]
"""The start of a window, then its values."""

MAX_WINDOWS = 10_000
"""Absent windows in a row that are all filled."""


def fill_gaps(points: Iterable[Point], step: float, missing: Point) -> list[Point]:
    """The points in order of their start, with ``missing`` values for each absent window of width ``step``.

    Of more than :data:`MAX_WINDOWS` absent windows in a row, between which a clock was set, only the first and the
    last are filled: a line looks the same.
    """
    gapless: list[Point] = []
    for point in sorted(points, key=lambda point: point[0]):
        if gapless and point[0] - gapless[-1][0] > MAX_WINDOWS * step:
            gapless += [(gapless[-1][0] + step, *missing), (point[0] - step, *missing)]
        else:
            while gapless and point[0] - gapless[-1][0] > 1.5 * step:
                gapless.append((gapless[-1][0] + step, *missing))
        gapless.append(point)
    return gapless
