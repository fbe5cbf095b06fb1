"""Exponential smoothing over the exchanges of a recording, carried from chunk to chunk."""

from collections.abc import Hashable, Sequence

import polars as pl

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
        rows: with floats in `columns`.
        columns: what is smoothed.
        by: columns whose values are the same in all chunks.
        weight: of the newest value.
        start: s before the first row; None: that of the first row.
    """
    before: pl.DataFrame = chunk.state.get(key, rows.select(*by, *columns).clear())
    if start is not None:
        new = rows.select(by).unique().join(before, on=by, how="anti")
        before = pl.concat([before, new.with_columns(pl.lit(start).alias(name) for name in columns)])
    # A smoothed value that stands before the others is where their smoothing goes on.
    both = pl.concat([before, rows], how="diagonal").with_columns(
        pl.col(columns).ewm_mean(alpha=weight, adjust=False).over(by)
    )
    chunk.state[key] = both.group_by(by).agg(pl.col(columns).last())
    return both.slice(before.height)
