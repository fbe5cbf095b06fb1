"""The columns of the `exchanges` table that are aggregated, and expressions on them."""

from functools import cache

import polars as pl

from winf_analyzer._mac.exchange_parameters import US
from winf_analyzer._schema import schema

_READ = (
    *("source", "observer", "sender", "receiver", "kind", "data_kind", "phy", "preamble", "flow"),
    *("start_ns", "rts_start_ns", "cts_start_ns", "data_start_ns", "ack_start_ns"),
    *("end_ns", "rts_ns", "cts_ns", "data_ns", "ack_ns"),
    *("nav_rts_us", "nav_cts_us", "nav_data_us", "data_airtime_us", "ack_airtime_us"),
    *("payload_bytes", "length_bytes", "mpdus", "attempt", "channel_mhz", "tid", "seq"),
    *("queue_ns", "access_ns", "packet_uid"),
    *("complete", "hidden", "heard_data", "is_group"),
    *("idle_before_us", "backoff_us", "rate_mbps"),
)


def _wide(name: str, dtype: pl.DataType) -> pl.DataType:
    """Types in which sums do not overflow and durations divide: 64 bits, microseconds as floating-point numbers."""
    if name.endswith("_us"):
        return pl.Float64()
    return pl.Int64() if dtype == pl.Int32() else dtype


_STATED = schema("exchanges")

EXCHANGES_SCHEMA = pl.Schema({name: _wide(name, _STATED[name]) for name in _READ})
"""The columns of the `exchanges` table that are read; others may be there."""


@cache
def nanoseconds(column: str) -> pl.Expr:
    """A column of microseconds in nanoseconds; null where that is not a number an integer can hold."""
    return (pl.col(column) * US).round().cast(pl.Int64, strict=False)


def receiver() -> pl.Expr:
    """The receiver, if it is one station."""
    return pl.when((pl.col("kind") != "broadcast") & ~pl.col("is_group")).then(pl.col("receiver"))


def unicast() -> pl.Expr:
    """An attempt to reach one station, by a known one."""
    attempts = pl.col("kind").is_in(["rts", "basic", "cts_self", "rts_failed"])
    return (attempts & pl.col("sender").is_not_null() & pl.col("receiver").is_not_null()).fill_null(False)


def carries() -> pl.Expr:
    """Of a kind that carries payload in data frames: null functions and management only use the medium."""
    return pl.col("data_kind").is_in(["data", "qos_data"]).fill_null(True) & (pl.col("kind") != "rts_failed")


def delivered(carrying: pl.Expr) -> pl.Expr:
    """Of such a kind, acknowledged and with payload: a sample of capacity."""
    return (carrying & pl.col("complete") & (pl.col("payload_bytes") > 0)).fill_null(value=False)


@cache
def failed() -> pl.Expr:
    """An attempt that was not answered."""
    return pl.col("unicast") & (~pl.col("complete") | (pl.col("kind") == "rts_failed"))


def ordered_sum(value: pl.Expr) -> pl.Expr:
    """The sum of floats of a group, from the least to the greatest, inside a `group_by`: the same bits every time.

    A plain sum adds them in the order of the rows, parts of them on other threads, so the last bit varies.
    """
    return value.fill_null(0.0).sort().cum_sum().last().fill_null(0.0)


def quotient(value: pl.Expr, by: pl.Expr) -> pl.Expr:
    """`value / by` where `by` may be the same in all rows, as after a join with a single row: always the same bits.

    Polars divides by such a column by multiplying with its reciprocal, by others it does not.
    """
    return value * (1 / by)
