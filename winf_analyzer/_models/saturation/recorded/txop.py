"""TXOPs: what a sender that won the medium sends in one go, its frames SIFS apart (10.23.2.8).

In light traffic most TXOPs hold one exchange, and a CF-End gives the rest of the time back. A backlogged sender fills
them: with exchanges of single frames, or with one A-MPDU, which is shorter than it could be where the limit is low.
How long a TXOP may last is that of the access category by the standard; a sender counts as one that has them where it
was seen to go on after SIFS, with other data than the fragments of one MSDU: those go together without a limit.
"""

from functools import cache

import polars as pl

from winf_analyzer._mac.constants import whole

LIMITS_NS = {category: 1000 * whole(f"txop_limit[{category}]") for category in ("be", "bk", "vi", "vo")}
"""TXOP limits of OFDM PHYs where the access point announces no other."""

MIN_SHARE = 0.02
"""Exchanges that went on after SIFS per access, from which on a sender has TXOPs."""

MIN_SEEN = 3.0
"""Fewest such exchanges."""

SUMS = ("continued", "fragments", "trailers", "txop_ns")
"""What tells that a sender has TXOPs, besides `accesses` and `carried`."""


@cache
def limit_ns() -> pl.Expr:
    """The TXOP limit of an exchange's access category, 0 without one."""
    limits = (pl.when(pl.col("access_category") == category).then(limit) for category, limit in LIMITS_NS.items())
    return pl.coalesce(*limits, pl.lit(0, pl.Int64))


def used_ns() -> pl.Expr:
    """The limit of a sender's TXOPs, 0 of one that has none; from its sums over the recording."""
    seen = pl.col("continued") - pl.col("fragments") + pl.col("trailers")
    has = (seen >= MIN_SEEN) & (seen > MIN_SHARE * pl.col("accesses"))
    return pl.when(has).then(pl.col("txop_ns") / pl.col("carried").clip(1)).otherwise(0.0)
