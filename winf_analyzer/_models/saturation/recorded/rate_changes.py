"""What a sender that changes its rate would use, were its queue never empty: two readings.

Rate control tries other rates now and then. A packet at a slow one takes as long as ten fast ones, and light traffic
holds a handful of each. Whether a saturated sender tries them per packet, per time or hardly ever, no recording tells.

*The mix.* Of its packets as many are slow as were recorded: an access costs the mean of what accesses cost.

*The mean rate.* Its packets go at the mean of the recorded rates, most of which are those that succeed: what slow
packets take on top of that (`rate_excess_s` per access) is not paid.

Rates are tried for a share of the packets, of slow ones no more than a few per interval (Minstrel). So a sender of N
times as many packets sends up to N times as many slow ones, and not fewer. The answer has the geometric mean of these
limits, sqrt(N) times as many. With X_0 and X_1 packets per second in the two readings, and own ones recorded, it is the
X that solves

    X / X_1 + (1/X_0 - 1/X_1) sqrt(own X) = 1

How far both readings differ is part of the interval.

*Collisions.* Rate control takes them for losses of the rate in use. Where others are tried often, all rates lose as
much by them, and their order stays. A sender of aggregates tries others once in some dozens of accesses (MinstrelHt),
so that of a rate that it left the average stays what it was, and the one in use is given up for a slower one that has
not collided of late (:func:`mistaken`).
"""

import polars as pl

TOLD_APART = 0.01
"""Share by which an access must be shorter at the mean rate for the two readings to differ."""

BELIEVED = (1.0, 10.0)
"""Within which the readings may differ."""

MISTAKEN = 0.75
"""By which share of its chance to fail a saturated sender of aggregates that changes its rate is slower: 0.8, 0.6 and
0.8 in ns-3 with chances of 7, 15 and 15 %, means of 6, 6 and 10 seeds, whose standard deviations are 3, 6 and 9 %."""

MIN_KEPT = 0.1
"""Part of an access that stays, however slow some packets were."""


def excess_ns(carried: pl.Expr, rate_bps: pl.Expr, spread: pl.Expr) -> pl.Expr:
    """By how much longer the payload of a mean access takes than at the mean rate, ns; 0 of a constant rate.

    Args:
        carried: accesses that carried data.
        rate_bps: the mean of their rates.
        spread: coefficient of variation of these.
    """
    mean_ns = pl.col("payload_ns") / carried
    at_mean_ns = 8e9 * pl.col("psdu_bytes") / carried / rate_bps
    return pl.when(spread > 0).then((mean_ns - at_mean_ns).clip(0)).otherwise(0.0).fill_nan(0.0).fill_null(0.0)


def at_the_mean_rate(stations: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """The stations of the cases in which that is another reading, with the subject's packets at the mean rate.

    Args:
        stations: rows of :data:`.fixed_point.STATIONS` in their order, with `aggregates` and `rts`.
        links: `case rate_excess_s access_s packet_s` of the subjects.
    """
    exchange_s = pl.col("access_s") + pl.col("packet_s")
    differ = links.filter(pl.col("rate_excess_s") > TOLD_APART * exchange_s).select("case", excess_s="rate_excess_s")
    rows = stations.join(differ, on="case", maintain_order="left")
    # In a TXOP every packet has its own exchange; otherwise it is in the fixed part, of an aggregate as well.
    each = (pl.col("packet_s") > 0) & ~pl.col("aggregates")
    less = {
        "packet_s": each,
        "access_s": ~each,
        "first_s": ~pl.col("rts"),
    }
    shorter = {
        name: pl.when(pl.col("subject") & applies)
        .then((pl.col(name) - pl.col("excess_s")).clip(lower_bound=MIN_KEPT * pl.col(name)))
        .otherwise(name)
        for name, applies in less.items()
    }
    return rows.with_columns(**shorter).drop("excess_s")


def settled(delivered: pl.DataFrame, otherwise: pl.DataFrame | None) -> pl.DataFrame:
    """`delivered` between both readings, and how they differ.

    Args:
        delivered: `case delivered_per_s` with the mix of rates.
        otherwise: `case mean_rate_per_s` at the mean rate, and `own_per_s`, what was sent; None: only one reading.

    Returns:
        The answer; `rate_factor`: it over that of the mix; `rate_factor_most`: the larger
        reading over that of the mix; `rate_doubt`: half of the difference as a share of the answer.
    """
    if otherwise is None:
        rows = delivered.with_columns(mean_rate_per_s=pl.lit(None, pl.Float64), own_per_s=pl.lit(None, pl.Float64))
    else:
        rows = delivered.join(otherwise, on="case", how="left", maintain_order="left")
    # In steps of columns: an expression that holds others is copied, and planned, wherever it is used.
    rows = rows.with_columns(
        ratio=(pl.col("mean_rate_per_s") / pl.col("delivered_per_s")).fill_null(1.0).fill_nan(1.0).clip(*BELIEVED),
        own=(pl.col("own_per_s") / pl.col("delivered_per_s")).fill_null(0.0).fill_nan(0.0).clip(0, 1),
    )
    ratio, factor = pl.col("ratio"), pl.col("rate_factor")
    return (
        rows.with_columns(rate_factor=between(ratio, pl.col("own")))
        .with_columns(
            pl.col("delivered_per_s") * factor,
            rate_factor_most=pl.max_horizontal(ratio, 1.0),
            rate_doubt=(ratio - 1).abs() / 2 / factor,
        )
        .drop("mean_rate_per_s", "own_per_s", "ratio", "own")
    )


def mistaken() -> pl.Expr:
    """Part of what a sender would deliver at its rate that is left where collisions count as losses of that rate.

    Of a solved case, with `aggregates`, `rts` and `rate_spread` of the sender; RTS that collide are not held against
    the rate. Of a sender that is saturated already the recorded rates are those that it fell back to.
    """
    at_risk = (pl.col("rate_spread") > 0) & pl.col("aggregates") & ~pl.col("rts")
    failing = (pl.col("collision") + pl.col("loss").fill_null(0.0)).clip(0, 1)
    more = (1 - pl.col("packets_per_s") / pl.col("delivered_per_s")).fill_nan(1.0).clip(0, 1)
    return pl.when(at_risk.fill_null(False)).then(1 - MISTAKEN * failing * more).otherwise(1.0)


def between(ratio: pl.Expr, own: pl.Expr) -> pl.Expr:
    """What is delivered, over that with the mix of rates: `ratio` at the mean rate, and `own` of what was recorded.

    The root of x/ratio + (1 - 1/ratio) sqrt(own x) = 1.
    """
    excess = (1 - 1 / ratio) * own.sqrt()
    root = ((excess * excess + 4 / ratio).sqrt() - excess) * ratio / 2
    return root * root
