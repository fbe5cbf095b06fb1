"""TXOPs: what a sender that won the medium sends in one go, its frames SIFS apart (10.23.2.8).

In light traffic most TXOPs hold one exchange, and a CF-End gives the rest of the time back. A backlogged sender fills
them: with exchanges of single frames, or with one A-MPDU, which is shorter than it could be where the limit is low.
How long a TXOP may last is what the access point declares for the access category, or what the standard has; a sender
counts as one that has them where it was seen to go on after SIFS, with other data than the fragments of one MSDU: those
go together without a limit. Every sender keeps a declared limit in one PPDU: of 0, that is as long as it may be.
"""

from functools import cache

import polars as pl

from winf_analyzer._mac.constants import whole

LIMITS_NS = {category: 1000 * whole(f"txop_limit[{category}]") for category in ("be", "bk", "vi", "vo")}
"""TXOP limits of OFDM PHYs where the access point declares no other."""

MIN_SHARE = 0.02
"""Exchanges that went on after SIFS per access, from which on a sender has TXOPs."""

MIN_SEEN = 3.0
"""Fewest such exchanges."""

SUMS = ("continued", "fragments", "trailers", "txop_ns", "declared_txop_ns")
"""What tells that a sender has TXOPs, besides `accesses` and `carried`."""


@cache
def limit_ns() -> pl.Expr:
    """The TXOP limit of an exchange's access category, 0 without one."""
    limits = (pl.when(pl.col("access_category") == category).then(limit) for category, limit in LIMITS_NS.items())
    return pl.coalesce(*limits, pl.lit(0, pl.Int64))


def within_ns(one_ppdu: pl.Expr, before: pl.Expr) -> pl.Expr:
    """What the data of one PPDU may last where a declared limit bounds it, else `one_ppdu`.

    The TXOP holds the handshake that goes `before` it, its preamble, and the answer (10.23.2.9).
    """
    limit, plcp, sifs, ack = (pl.col(name) for name in ("t_txop", "t_plcp", "t_sifs", "t_ack"))
    bounded = pl.min_horizontal(one_ppdu, (limit - before - plcp - sifs - ack).clip(1))
    return pl.when(limit > 0).then(bounded).otherwise(one_ppdu)


def used_ns() -> pl.Expr:
    """The limit of a sender's TXOPs, 0 of one that has none; from its sums over the recording."""
    seen = pl.col("continued") - pl.col("fragments") + pl.col("trailers")
    has = (seen >= MIN_SEEN) & (seen > MIN_SHARE * pl.col("accesses"))
    limit = pl.when(pl.col("declared_txop_ns") > 0).then("declared_txop_ns").otherwise("txop_ns")
    return pl.when(has).then(limit / pl.col("carried").clip(1)).otherwise(0.0)
