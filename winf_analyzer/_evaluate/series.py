"""Averages of piecewise constant time series over other windows.

A series of an estimator, iperf or a replay is a table of `t_ns`, `window_ns` and `value`.
"""

from typing import Any

import polars as pl

NS = 1e9
"""Nanoseconds per second."""


def averages(series: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """Average each series over given windows.

    Args:
        series: `series` (identifier), `t_ns` (start), `window_ns`, `value`. Null values do not count; overlapping
            windows of a series are averaged.
        windows: `series`, `t_ns`, `window_ns`: the windows of the result.

    Returns:
        `windows` with `value`, the mean over the covered part of the window (null if nothing is covered), `cover`, the
        covered share (0 to 1), and `volume`, the integral of the sum over the window (value times s).

    The integral of the series up to t is piecewise linear with corners at the ends of windows. It takes one sort and
    one merge join per edge, so the cost does not depend on the number of overlapping windows.
    """
    valid = series.filter(pl.col("value").is_finite(), pl.col("window_ns") > 0)
    corners = pl.concat(
        [
            valid.select("series", "t_ns", slope="value", count=pl.lit(1, pl.Int64)),
            valid.select(
                "series", pl.col("t_ns") + pl.col("window_ns"), slope=-pl.col("value"), count=pl.lit(-1, pl.Int64)
            ),
        ]
    )
    polygon = (
        corners.group_by("series", "t_ns")
        .agg(pl.col("slope", "count").sum())
        .sort("series", "t_ns")
        .with_columns(pl.col("slope", "count").cum_sum().over("series"))
        # Without a known value, a nonzero sum is rounding noise.
        .with_columns(pl.when(pl.col("count") > 0).then("slope").otherwise(0.0).alias("slope"))
        .with_columns(known=(pl.col("count") > 0).cast(pl.Int64), length=_since_last("t_ns").over("series"))
        .with_columns(
            (pl.col(name).shift(1, fill_value=0) * pl.col("length")).cum_sum().over("series").alias(f"{name}_area")
            for name in ("slope", "count", "known")
        )
    )
    indexed = windows.with_row_index("index")
    edges = pl.concat(
        [
            indexed.select("index", "series", "t_ns", sign=pl.lit(-1)),
            indexed.select("index", "series", pl.col("t_ns") + pl.col("window_ns"), sign=pl.lit(1)),
        ]
    ).sort("series", "t_ns")
    corner_at = polygon.rename({"t_ns": "corner_ns"})
    edge_areas = edges.join_asof(
        corner_at, left_on="t_ns", right_on="corner_ns", by="series", check_sortedness=False
    ).with_columns(beyond=pl.col("t_ns") - pl.col("corner_ns"))
    areas = edge_areas.group_by("index").agg(
        (pl.col("sign") * (pl.col(f"{name}_area") + pl.col(name) * pl.col("beyond"))).sum().alias(name)
        for name in ("slope", "count", "known")
    )
    return (
        indexed.join(areas, on="index", how="left", maintain_order="left")
        .with_columns(
            value=pl.when(pl.col("count") > 0).then(pl.col("slope") / pl.col("count")),
            cover=pl.col("known") / pl.col("window_ns"),
            volume=pl.col("slope") / NS,
        )
        .drop("index", "slope", "count", "known")
    )


def median_window_ns(series: pl.DataFrame) -> int:
    """The median window length; 0 for an empty table."""
    median: Any = series["window_ns"].median()
    return int(median or 0)


def _since_last(column: str) -> pl.Expr:
    return (pl.col(column) - pl.col(column).shift(1)).fill_null(0)
