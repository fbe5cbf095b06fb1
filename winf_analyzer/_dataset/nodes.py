"""The ``nodes`` table: every station that sent a readable frame, and what it did.

Where several recorders heard a frame it counts once per recorder: the table describes what was recorded. In a
simulator's trace only what a node itself sent counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from winf_analyzer import _core
from winf_analyzer._dataset.radios import may_share, radios
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


def stations(counts: _core.FrameCounts, frames: Sequence[Path]) -> _core.ArrowTable:
    """The table ``nodes``: what was counted, which stations are one radio, and what the user and the IEEE call each.

    Args:
        counts: of all frames.
        frames: the parts that hold them.
    """
    addresses = counts.stations()
    given = aliases()
    return counts.nodes(
        {
            "vendor": {address: name for address in addresses if (name := vendor(address)) is not None},
            "alias": {address: given[address] for address in addresses if address in given},
            "radio": radios(frames) if may_share(addresses) else {},
        }
    )
