"""Exponential smoothing over the exchanges of a recording, carried from chunk to chunk."""

from collections.abc import Hashable, Sequence

import polars as pl

from winf_analyzer import _core
from winf_analyzer._aggregate.chunks import Chunk


def smoothed(
    chunk: Chunk,
    key: Hashable,
    rows: pl.DataFrame,
    columns: Sequence[str],
    by: Sequence[str],
    *,
    weight: float,
    start: float | None = None,
) -> pl.DataFrame:
    """`rows`, in their order, with the columns smoothed: s <- s + weight (x - s), among rows alike in `by`.

    Args:
        chunk: what the rows are of.
        key: of the state that is carried.
        rows: with floats in `columns`, none of which is null.
        columns: what is smoothed.
        by: columns whose values are the same in all chunks.
        weight: of the newest value.
        start: s before the first row; None: that of the first row.
    """
    passed = chunk.state.setdefault(key, _core.Smoothing(weight, start))
    found = pl.DataFrame(passed.follow(rows.select(by), rows.select(columns)))
    return rows.with_columns(found)
