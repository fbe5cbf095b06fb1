"""Senders that use the whole of a wide channel at times, and a narrower part of it at others.

A station may send on 80 MHz if all of it is idle, and on the primary 20 or 40 MHz if others are busy on the rest
(10.23.2.5). What these send there a recorder on the primary channel does not hear. In light traffic the wide channel
is often idle; a saturated sender finds it busy as often as others use it, and disturbs them.
"""

import polars as pl

from winf_analyzer._recommended.evidence import LINK

MIN_SHARE = 0.1
"""Share of a link's data frames that must be narrower than its widest, and as wide: rate control tries fewer."""


def with_widths(rows: pl.DataFrame, frames: pl.LazyFrame) -> pl.DataFrame:
    """`rows` with `width_varies`: of :data:`MIN_SHARE` of the link's data frames and more the channel was narrower.

    Twice the width is twice the rate, so that only links are asked for whose rate varies.

    Args:
        rows: with :data:`.evidence.LINK` and `told`.
        frames: the `frames` table.
    """
    nothing = rows.with_columns(width_varies=pl.lit(value=False))
    asked = rows.filter(pl.col("told").list.contains("rate_varies")).select(LINK).unique()
    if asked.is_empty():
        return nothing
    data = frames.filter(pl.col("kind") == "qos_data", pl.col("bandwidth_mhz").is_not_null())
    keys = {"source": "source", "sender": "ta", "receiver": "ra"}
    counts = (
        data.group_by(
            *(pl.col(of_frame).cast(pl.String).alias(name) for name, of_frame in keys.items()), "bandwidth_mhz"
        )
        .len()
        .collect(engine="streaming")
    )
    widest = pl.col("bandwidth_mhz") == pl.col("bandwidth_mhz").max()
    shares = counts.group_by(*keys).agg(wide=pl.col("len").filter(widest).sum() / pl.col("len").sum())
    varies = pl.min_horizontal("wide", 1 - pl.col("wide")) >= MIN_SHARE
    found = asked.join(shares, on=list(keys), how="inner").filter(varies).select(LINK, width_varies=pl.lit(value=True))
    rows = rows.join(found, on=list(LINK), how="left", nulls_equal=True, maintain_order="left")
    return rows.with_columns(pl.col("width_varies").fill_null(value=False))
