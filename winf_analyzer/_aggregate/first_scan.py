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

MEDIUM = ("source", "observer", "channel_mhz")
"""What identifies a medium; the channel is that of sources that hold several."""

_HEARD = (*STATION, "heard_mhz")
"""A sender, and the channel on which it was heard."""


@cache
def access_ns() -> pl.Expr:
    """DIFS + E[BO]; or the gap itself where it is too short for contention, SIFS before a CF-End."""
    backoff = pl.coalesce("measured_backoff_ns", "t_backoff")
    return pl.when(_in_txop()).then(_in_txop_ns()).otherwise(pl.col("t_difs") + backoff)


def scan(uses: pl.LazyFrame) -> pl.DataFrame:
    """Sums and extremes per `source`, `observer`, `sender`, `heard_mhz`, cell of :data:`.chunks.CELL_NS` and window.

    Args:
        uses: what :func:`.preparation.timed` returns of all exchanges, or of some of them: the results concatenate.
    """
    start = pl.col("air_start_ns")
    contends = start - pl.col("t_difs")
    read = uses.select(
        *_HEARD,
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
        pl.col(_HEARD).first(),
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


def first_channels(scanned: pl.DataFrame) -> pl.DataFrame:
    """`source first_mhz` of sources that hold exchanges of several channels: the first of these.

    Args:
        scanned: what :func:`scan` returns.
    """
    known = scanned.filter(pl.col("heard_mhz").is_not_null()).sort("air_from_ns")
    channels = known.group_by("source", maintain_order=True).agg(
        first_mhz=pl.col("heard_mhz").first(), channels=pl.col("heard_mhz").n_unique()
    )
    return channels.filter(pl.col("channels") > 1).select(pl.col("source").cast(pl.String), "first_mhz")


def on_channels(rows: pl.DataFrame, first: pl.DataFrame) -> pl.DataFrame:
    """`rows` with `channel_mhz`, by which media are told; null in sources of one channel.

    A frame without a channel is of the first one: of those that come later the exchange builder knows it.

    Args:
        rows: `source heard_mhz`.
        first: what :func:`first_channels` returns.
    """
    if first.is_empty():
        return rows.with_columns(channel_mhz=pl.lit(None, pl.Int64))
    of_source = pl.col("source").cast(pl.String).replace_strict(first["source"], first["first_mhz"], default=None)
    own = pl.coalesce("heard_mhz", of_source)
    return rows.with_columns(channel_mhz=pl.when(of_source.is_not_null()).then(own))


def senders(scanned: pl.DataFrame, settings: Settings, first: pl.DataFrame) -> pl.DataFrame:
    """Every sender of every medium: :data:`MEDIUM`, `sender`, the number `medium`, and `measured_backoff_ns`.

    That is the mean, of enough backoffs.

    Args:
        scanned: what :func:`scan` returns.
        settings: how many are enough.
        first: what :func:`first_channels` returns.
    """
    sums = on_channels(scanned, first).group_by(*STATION, "channel_mhz").agg(pl.col("backoff_ns", "draws").sum())
    sums = sums.with_columns(pl.col(STATION).cast(pl.String))
    media = sums.select(MEDIUM).unique().sort(MEDIUM).with_row_index("medium")
    enough = pl.col("sender").is_not_null() & (pl.col("draws") >= max(1, settings.min_backoff_samples))
    mean = (pl.col("backoff_ns") / pl.col("draws")).round().cast(pl.Int64, strict=False)
    means = sums.select(*STATION, "channel_mhz", measured_backoff_ns=pl.when(enough).then(mean))
    return means.join(media, on=list(MEDIUM), nulls_equal=True)


def cells(scanned: pl.DataFrame, senders: pl.DataFrame, first: pl.DataFrame) -> pl.DataFrame:
    """Which rows lie where.

    Args:
        scanned: what :func:`scan` returns.
        senders: what :func:`senders` returns.
        first: what :func:`first_channels` returns.

    Returns:
        Per `medium`, `cell_ns` and `window_start_ns`: how many `rows`, the `first_row` and `last_row` of them, and
        `air_from_ns`, `access_from_ns`, `last_ns`: the earliest start, without and with the access, and the latest end.
    """
    known = senders.with_columns(pl.col(STATION).cast(pl.Categorical))
    contends = pl.coalesce(pl.col("measured_from_ns") - pl.col("measured_backoff_ns"), "presumed_from_ns")
    rows = (
        on_channels(scanned, first)
        .join(known, on=[*STATION, "channel_mhz"], nulls_equal=True)
        .with_columns(access_from_ns=pl.min_horizontal("txop_from_ns", contends))
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
