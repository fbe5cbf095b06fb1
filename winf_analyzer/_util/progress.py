"""How far a long run is: callbacks per recording or run, and the work of a stage for whoever displays it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Progress = Callable[[str, int, int], None]
"""Called for each recording (before it is read) or run (when it is finished): name, 1-based number, total number."""


class Work(NamedTuple):
    """How much of a stage is done."""

    stage: str
    done: float
    total: float
    unit: str
    """What is counted, in the plural."""


_listener: Callable[[Work], None] | None = None


def listen(listener: Callable[[Work], None] | None) -> None:
    """Let a display hear of the work of this process; None: nobody."""
    global _listener  # one process, one terminal
    _listener = listener


def advance(stage: str, done: float, total: float, unit: str) -> None:
    """Say how much of a stage is done; free of cost where nobody listens."""
    if _listener is not None:
        _listener(Work(stage, done, total, unit))


def enter(stage: str) -> None:
    """Say that a stage begins of which nobody knows how long it takes."""
    advance(stage, 0, 0, "")
