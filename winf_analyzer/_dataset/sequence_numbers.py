"""Sequence numbers that a recorder heard: what they say of frames that it missed, and of times it did not record."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from winf_analyzer import _core


def heard_numbers(frames: Iterable[Path]) -> _core.SequenceGaps:
    """The numbers that were heard in parts of the `frames` table.

    Raises:
        OSError: a part cannot be read.
    """
    gaps = _core.SequenceGaps()
    for part in frames:
        gaps.add_part(part)
    return gaps
