"""Windows without a row: a line must not bridge them as if it knew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Point = tuple[Any, ...]
"""The start of a window, then its values."""


def filled(points: Iterable[Point], step: float, missing: Point) -> list[Point]:
    """Return the points in order of their start, with ``missing`` values wherever a window of width ``step`` is absent.

    What is returned is as long as the span has windows, which whoever chose the width has bounded.
    """
    whole: list[Point] = []
    for point in sorted(points, key=lambda point: point[0]):
        while whole and point[0] - whole[-1][0] > 1.5 * step:
            whole.append((whole[-1][0] + step, *missing))
        whole.append(point)
    return whole
