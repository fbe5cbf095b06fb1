"""Sums that stretches gathered, whole again where a cut went through a window."""

from collections.abc import Sequence

import polars as pl

from winf_analyzer.estimators import windows
from winf_analyzer.estimators.medium import Recording
from winf_analyzer.estimators.stretches import CELL_NS, Request


def sums(recording: Recording, request: Request, keys: Sequence[str]) -> pl.DataFrame:
    """One row per window and `keys` of a part that has one of each stretch; all other columns add up.

    The exchanges a row is about end in its window. Cuts lie at multiples of :data:`.stretches.CELL_NS`; windows that
    start and end there are in one stretch.
    """
    rows, settings = recording.gather(*request), recording.settings
    if settings.per_exchange or CELL_NS % (settings.step_ns or settings.window_ns) == 0:
        # What gathers from several chunks looks up the chunk of every value.
        return rows.rechunk()
    return windows.resummed(rows, keys)
