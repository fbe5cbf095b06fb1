"""What stretches gathered, as estimators go on with it: windows whole again, texts as numbers.

Names of stations, recordings and states are categories up to the table of estimates: tables are joined, grouped and
sorted by them several times.
"""

from collections.abc import Sequence

import polars as pl

from winf_analyzer.estimators import stretches, windows
from winf_analyzer.estimators.medium import Recording
from winf_analyzer.estimators.stretches import Request


def sums(recording: Recording, request: Request, keys: Sequence[str]) -> pl.DataFrame:
    """One row per window and `keys` of a part that has one of each stretch; all other columns add up.

    The exchanges a row is about end in its window. Cuts lie at multiples of :data:`.stretches.CELL_NS`; windows that
    start and end there are in one stretch.
    """
    found, settings = rows(recording, request), recording.settings
    if settings.per_exchange or stretches.CELL_NS % (settings.step_ns or settings.window_ns) == 0:
        return found
    return windows.resummed(found, keys)


def rows(recording: Recording, request: Request) -> pl.DataFrame:
    """The rows of a part."""
    # What gathers from several chunks looks up the chunk of every value.
    return recording.gather_categories(*request).rechunk()


def media(recording: Recording) -> pl.DataFrame:
    """`medium source observer` of :attr:`.Recording.media`."""
    return categorised(recording.media.select("medium", "source", "observer"))


def categorised(table: pl.DataFrame) -> pl.DataFrame:
    """With every text as a category."""
    return table.with_columns(pl.col(pl.String).cast(pl.Categorical))
