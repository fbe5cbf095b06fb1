"""The first scan of the exchanges: mean backoff of every sender, and which rows lie where in time.

When the access to the medium began depends on the sender's mean backoff, which is known only at the end of the scan. So
the earliest starts are kept apart by what the access may cost (:func:`access_ns`): of one sender, the same backoff is
taken off all of them afterwards.
"""

from functools import cache

import polars as pl

from winf_analyzer._aggregate import chunks
from winf_analyzer._aggregate.exchange_columns import nanoseconds
from winf_analyzer._aggregate.settings import Settings

STATION = ("source", "observer", "sender")
"""What identifies a sender."""


@cache
def access_ns() -> pl.Expr:
    """DIFS + E[BO]; or the gap itself where it is too short for contention, SIFS before a CF-End."""
    backoff = pl.coalesce("measured_backoff_ns", "t_backoff")
    return pl.when(_in_txop()).then(_in_txop_ns()).otherwise(pl.col("t_difs") + backoff)


def scan(uses: pl.LazyFrame) -> pl.DataFrame:
    """Sums and extremes per `source`, `observer`, `sender`, cell of :data:`.chunks.CELL_NS` and window.

    Args:
        uses: what :func:`.preparation.timed` returns of all exchanges, or of some of them: the results concatenate.
    """
    start = pl.col("air_start_ns")
    contends = start - pl.col("t_difs")
    read = uses.select(
        *STATION,
        "station",
        "window_start_ns",
        "row",
        "end_ns",
        "air_start_ns",
        cell_ns=pl.col("end_ns") // chunks.CELL_NS * chunks.CELL_NS,
        backoff_ns=_drawn_ns(),
        txop_from_ns=pl.when(_in_txop()).then(start - _in_txop_ns()),
        measured_from_ns=pl.when(~_in_txop()).then(contends),
        presumed_from_ns=pl.when(~_in_txop()).then(contends - pl.col("t_backoff")),
    )
    found = read.group_by("station", "cell_ns", "window_start_ns").agg(
        pl.col(STATION).first(),
        pl.col("backoff_ns").sum(),
        pl.col("txop_from_ns", "measured_from_ns", "presumed_from_ns").min(),
        draws=pl.col("backoff_ns").count().cast(pl.Int64),
        rows=pl.len(),
        first_row=pl.col("row").min(),
        last_row=pl.col("row").max(),
        air_from_ns=pl.col("air_start_ns").min(),
        last_ns=pl.col("end_ns").max(),
    )
    # Texts as numbers: none of them keeps the column alive that it was taken from.
    return found.drop("station").with_columns(pl.col(STATION).cast(pl.Categorical)).collect(engine="in-memory")


def senders(scanned: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Every `source`, `observer` and `sender`, the `medium`, and `measured_backoff_ns`: the mean, of enough backoffs.

    Args:
        scanned: what :func:`scan` returns.
        settings: how many are enough.
    """
    sums = scanned.group_by(STATION).agg(pl.col("backoff_ns", "draws").sum())
    sums = sums.with_columns(pl.col(STATION).cast(pl.String))
    media = sums.select("source", "observer").unique().sort("source", "observer").with_row_index("medium")
    enough = pl.col("sender").is_not_null() & (pl.col("draws") >= max(1, settings.min_backoff_samples))
    mean = (pl.col("backoff_ns") / pl.col("draws")).round().cast(pl.Int64, strict=False)
    means = sums.select(*STATION, measured_backoff_ns=pl.when(enough).then(mean))
    return means.join(media, on=["source", "observer"], nulls_equal=True)


def cells(scanned: pl.DataFrame, senders: pl.DataFrame) -> pl.DataFrame:
    """Which rows lie where.

    Args:
        scanned: what :func:`scan` returns.
        senders: what :func:`senders` returns.

    Returns:
        Per `medium`, `cell_ns` and `window_start_ns`: how many `rows`, the `first_row` and `last_row` of them, and
        `air_from_ns`, `access_from_ns`, `last_ns`: the earliest start, without and with the access, and the latest end.
    """
    known = senders.with_columns(pl.col(STATION).cast(pl.Categorical))
    contends = pl.coalesce(pl.col("measured_from_ns") - pl.col("measured_backoff_ns"), "presumed_from_ns")
    rows = scanned.join(known, on=STATION, nulls_equal=True).with_columns(
        access_from_ns=pl.min_horizontal("txop_from_ns", contends)
    )
    return rows.group_by("medium", "cell_ns", "window_start_ns").agg(
        pl.col("rows").sum(),
        pl.col("first_row", "air_from_ns", "access_from_ns").min(),
        pl.col("last_row", "last_ns").max(),
    )


def _gap_ns() -> pl.Expr:
    return nanoseconds("idle_before_us")


@cache
def _in_txop() -> pl.Expr:
    """Nobody may contend before PIFS = SIFS + slot: what follows sooner continues a TXOP (10.23.2.8).

    A CF-End always ends a TXOP, also where stamps are too coarse, or the answer before it was not heard.
    """
    return _follows() | (pl.col("data_kind") == "cf_end").fill_null(value=False)


@cache
def _follows() -> pl.Expr:
    """Begins sooner than PIFS after what was heard before."""
    gap = _gap_ns()
    return ((gap > 0) & (gap < pl.col("t_sifs") + pl.col("t_slot") // 2)).fill_null(value=False)


@cache
def _in_txop_ns() -> pl.Expr:
    return pl.when(_follows()).then(_gap_ns()).otherwise(pl.col("t_sifs"))


@cache
def _drawn_ns() -> pl.Expr:
    """The backoff of a first attempt, where it drew one: at most CWmin slots.

    After a longer idle time the sender simply had nothing to send.
    """
    backoff = pl.col("own_gap_ns") - pl.col("t_difs")
    return pl.when(backoff.is_between(0, pl.col("cw_min") * pl.col("t_slot"))).then(backoff)
