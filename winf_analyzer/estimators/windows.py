"""Tumbling windows, and how much of each a set of intervals fills."""

import polars as pl


def window_start(t_ns: pl.Expr, window_ns: int) -> pl.Expr:
    """Start of the window `t_ns` falls into: a multiple of the window's length on the epoch, so that sources join."""
    return t_ns // window_ns * window_ns


def covered_ns(window_ns: int) -> pl.Expr:
    """The part of a window that its source covers (`first_ns` to `last_ns`), nanoseconds.

    A recording that begins or ends inside a window says nothing about the rest of it: idle time is a share of this.
    """
    start = pl.col("window_start_ns")
    return pl.min_horizontal(start + window_ns, "last_ns") - pl.max_horizontal(start, "first_ns")


def busy_ns(intervals: pl.DataFrame, windows: pl.DataFrame, window_ns: int) -> pl.DataFrame:
    """Measure of the union of `intervals` inside each of `windows`.

    Args:
        intervals: `medium`, `start_ns`, `end_ns`; they may overlap and may reach over any number of windows.
        windows: `medium`, `window_start_ns`, the windows asked for.
        window_ns: length of a window.

    Returns:
        `windows` with `busy_ns`.

    With the intervals sorted by start, let reach(i) be the latest end among the first i, and filled(i) the measure of
    their union. Of the intervals that start by t, the part after t is exactly [t, reach], so the measure of the union
    up to t is filled - max(0, reach - t). One sort and one merge join: the cost does not depend on how many
    windows an interval spans.
    """
    reach, before = pl.col("end_ns").cum_max().over("medium"), pl.col("reach").shift(1).over("medium")
    novel = (pl.col("end_ns") - pl.max_horizontal("start_ns", before)).clip(lower_bound=0)
    filled = (
        intervals.select("medium", "start_ns", end_ns=pl.max_horizontal("start_ns", "end_ns"))
        .sort("medium", "start_ns")
        .with_columns(reach=reach)
        .with_columns(filled=novel.cum_sum().over("medium"))
        .select("medium", "start_ns", "reach", "filled")
    )
    edges = pl.concat(
        [
            windows.select("medium", "window_start_ns", edge_ns="window_start_ns", sign=pl.lit(-1)),
            windows.select("medium", "window_start_ns", edge_ns=pl.col("window_start_ns") + window_ns, sign=pl.lit(1)),
        ]
    ).sort("medium", "edge_ns")
    beyond = (pl.col("reach") - pl.col("edge_ns")).clip(lower_bound=0)
    return (
        edges.join_asof(filled, left_on="edge_ns", right_on="start_ns", by="medium", check_sortedness=False)
        .group_by("medium", "window_start_ns")
        .agg(busy_ns=(pl.col("sign") * (pl.col("filled") - beyond)).sum())
    )
