"""Sequence numbers that a recorder heard: what they say of frames that it missed, and of times it did not record."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from winf_analyzer import _core

if TYPE_CHECKING:
    from winf_analyzer._dataset.dataset import Dataset

_known: WeakKeyDictionary[Dataset, tuple[Hashable, _core.SequenceGaps]] = WeakKeyDictionary()
"""Of an open dataset what was heard, and in which parts: estimates and answers rest on the same."""


def heard_numbers(frames: Iterable[Path]) -> _core.SequenceGaps:
    """The numbers that were heard in parts of the `frames` table.

    Raises:
        OSError: a part cannot be read.
    """
    gaps = _core.SequenceGaps()
    for part in frames:
        gaps.add_part(part)
    return gaps


def heard_in(dataset: Dataset) -> _core.SequenceGaps:
    """The numbers that were heard in the `frames` table of a dataset, as it is now.

    Raises:
        OSError: a part cannot be read.
        DatasetError: a part is missing, or not the one that the manifest names.
    """
    parts = tuple(dataset.parts("frames"))
    known, gaps = _known.get(dataset, (None, None))
    if gaps is None or known != parts:
        gaps = heard_numbers(parts)
        _known[dataset] = parts, gaps
    return gaps
