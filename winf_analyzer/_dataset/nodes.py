"""The ``nodes`` table: every station that sent a readable frame, and what it did.

Where several recorders heard a frame it counts once per recorder: the table describes what was recorded. In a
simulator's trace only what a node itself sent counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from winf_analyzer import _core
from winf_analyzer._names import aliases, vendor


def counted(frames: Iterable[Path]) -> _core.FrameCounts:
    """The frames of these parts by station, and by who heard them: what `nodes` and `neighbours` are made of.

    Raises:
        OSError: a part cannot be read.
    """
    counts = _core.FrameCounts()
    for part in frames:
        counts.add_part(part)
    return counts


def stations(counts: _core.FrameCounts) -> _core.ArrowTable:
    """The table ``nodes``: what was counted, and what the user and the IEEE call each station."""
    addresses = counts.stations()
    given = aliases()
    vendors = {address: name for address in addresses if (name := vendor(address)) is not None}
    return counts.nodes(
        {"vendor": vendors, "alias": {address: given[address] for address in addresses if address in given}}
    )
