"""Levels of load: windows in which a medium is about as busy, which are simulated together."""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._aggregate.windows import WINDOW

LEVELS = 5
"""From each fifth of the time to the next."""


def of_windows(links: pl.DataFrame) -> pl.DataFrame:
    """`medium window_start_ns level`, from sums per window and link."""
    busy = quotient(pl.col("air_ns").sum(), pl.col("covered_ns").first()).clip(0, 1)
    return links.group_by(WINDOW).agg(level=(busy * LEVELS).floor().clip(0, LEVELS - 1).cast(pl.Int64))
