"""Estimates of the time in which nothing but Wi-Fi holds the medium, as estimates of all of it.

See :mod:`.blackouts`.
"""

import polars as pl

from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation.interval.refusals import MEDIUM_BLOCKED
from winf_analyzer._models.saturation.waits.blackouts import VALUES
from winf_analyzer._util.student import NORMAL_90

MENTIONED = 0.02
"""Share of the time that must be blocked to be said."""

_USED = ("exchange_s", "aggregates")


def applied(rows: pl.DataFrame, blocked: pl.DataFrame) -> pl.DataFrame:
    """`rows` of the time that is left as of all of it, with :data:`.refusals.MEDIUM_BLOCKED`.

    A frame that is on the air when it ends is lost; of an aggregate what had arrived by then is not.

    Args:
        rows: `capacity_bps`, `available_bps` and its bounds, `reason`, `covered_ns`, `exchange_s` and `aggregates`.
        blocked: of :func:`.blackouts.found`, of the same windows.
    """
    if blocked.is_empty():
        return rows.drop(_USED)
    columns = [name for name in rows.columns if name not in _USED]
    rows = rows.join(blocked, on=WINDOW, how="left", maintain_order="left")
    rows = rows.with_columns(pl.col(VALUES).fill_null(0.0))
    left = 1 - pl.col("blocked")
    most = (pl.col("blackouts_per_s") * pl.col("exchange_s") / 2).clip(0, left)
    cut = pl.when("aggregates").then(most / 2).otherwise(most)
    value, capacity = pl.col("available_bps"), pl.col("capacity_bps")
    below, above = value - pl.col("available_low_bps"), pl.col("available_high_bps") - value
    unsure = NORMAL_90 * pl.col("blocked_doubt") * capacity
    unsure = (unsure * unsure + (cut * capacity) ** 2).sqrt()
    shifted = (value * left - cut * capacity).clip(0)
    is_blocked = pl.col("blocked") > MENTIONED
    code = pl.when(is_blocked).then(pl.lit(MEDIUM_BLOCKED))
    reason = pl.concat_str(pl.col("reason").cast(pl.String), code, separator=",", ignore_nulls=True)
    return rows.with_columns(
        capacity_bps=capacity * left,
        available_bps=shifted,
        available_low_bps=(shifted - (below * below * left * left + unsure * unsure).sqrt()).clip(0),
        available_high_bps=shifted + (above * above * left * left + unsure * unsure).sqrt(),
        covered_ns=(pl.col("covered_ns") / left).round().cast(pl.Int64),
        reason=pl.when(reason != "").then(reason).cast(pl.Categorical),
    ).select(columns)
