"""One number in place of many columns to group or look up by."""

from collections.abc import Iterable

import polars as pl

from winf_analyzer import _core


def group_ids(rows: pl.DataFrame, names: Iterable[str]) -> pl.Series:
    """Numbers the combinations of values of the named columns from 0, in the order in which they first appear.

    Null is a value like others. Columns hold texts, flags or numbers; the series `number` has a UInt32 per row.
    """
    return pl.DataFrame(_core.GroupIds().number(rows.select(names))).to_series()
