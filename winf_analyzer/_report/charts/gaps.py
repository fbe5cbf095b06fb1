"""Gaps in lines at windows without a row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Point = tuple[Any, ...]
"""The start of a window, then its values."""


def fill_gaps(points: Iterable[Point], step: float, missing: Point) -> list[Point]:
    """The points in order of their start, with ``missing`` values for each absent window of width ``step``.

    The result has one point per window of the span, so the caller must bound span / step.
    """
    gapless: list[Point] = []
    for point in sorted(points, key=lambda point: point[0]):
        while gapless and point[0] - gapless[-1][0] > 1.5 * step:
            gapless.append((gapless[-1][0] + step, *missing))
        gapless.append(point)
    return gapless
