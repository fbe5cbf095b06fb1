"""Series that are constant in windows of time, and their averages over other windows.

What an estimator, iperf or a replay says over time has one form here: a table of `t_ns`, `window_ns` and `value`.
"""

from typing import Any

import polars as pl

NS = 1e9
"""Nanoseconds per second."""


def averages(series: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """Average each series over windows that need not be its own.

    Args:
        series: `series` (which one), `t_ns` (start), `window_ns`, `value`. A null says nothing; where windows of a
            series overlap, their mean counts.
        windows: `series`, `t_ns`, `window_ns`: the windows asked for.

    Returns:
        `windows` with `value`, the mean over the part of the window that the series covers (null where it covers
        nothing), `cover`, that part (0 to 1), and `volume`, the integral of the sum over the window (value times s).

    The integral of the series up to t is a polygon with corners where windows begin or end. One sort and one merge
    join per edge: the cost does not depend on how many windows overlap.
    """
    known = series.filter(pl.col("value").is_finite(), pl.col("window_ns") > 0)
    corners = pl.concat(
        [
            known.select("series", "t_ns", slope="value", count=pl.lit(1, pl.Int64)),
            known.select(
                "series", pl.col("t_ns") + pl.col("window_ns"), slope=-pl.col("value"), count=pl.lit(-1, pl.Int64)
            ),
        ]
    )
    polygon = (
        corners.group_by("series", "t_ns")
        .agg(pl.col("slope", "count").sum())
        .sort("series", "t_ns")
        .with_columns(pl.col("slope", "count").cum_sum().over("series"))
        # What is left of a sum of floats where nothing is known is noise.
        .with_columns(pl.when(pl.col("count") > 0).then("slope").otherwise(0.0).alias("slope"))
        .with_columns(known=(pl.col("count") > 0).cast(pl.Int64), length=_since_last("t_ns").over("series"))
        .with_columns(
            (pl.col(name).shift(1, fill_value=0) * pl.col("length")).cum_sum().over("series").alias(f"{name}_area")
            for name in ("slope", "count", "known")
        )
    )
    asked = windows.with_row_index("place")
    edges = pl.concat(
        [
            asked.select("place", "series", "t_ns", sign=pl.lit(-1)),
            asked.select("place", "series", pl.col("t_ns") + pl.col("window_ns"), sign=pl.lit(1)),
        ]
    ).sort("series", "t_ns")
    corner_at = polygon.rename({"t_ns": "corner_ns"})
    at_edges = edges.join_asof(
        corner_at, left_on="t_ns", right_on="corner_ns", by="series", check_sortedness=False
    ).with_columns(beyond=pl.col("t_ns") - pl.col("corner_ns"))
    areas = at_edges.group_by("place").agg(
        (pl.col("sign") * (pl.col(f"{name}_area") + pl.col(name) * pl.col("beyond"))).sum().alias(name)
        for name in ("slope", "count", "known")
    )
    return (
        asked.join(areas, on="place", how="left", maintain_order="left")
        .with_columns(
            value=pl.when(pl.col("count") > 0).then(pl.col("slope") / pl.col("count")),
            cover=pl.col("known") / pl.col("window_ns"),
            volume=pl.col("slope") / NS,
        )
        .drop("place", "slope", "count", "known")
    )


def median_window_ns(series: pl.DataFrame) -> int:
    """The median length of a table's windows; 0 where it has none."""
    median: Any = series["window_ns"].median()
    return int(median or 0)


def _since_last(column: str) -> pl.Expr:
    return (pl.col(column) - pl.col(column).shift(1)).fill_null(0)
