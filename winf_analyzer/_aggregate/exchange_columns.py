"""The columns of the `exchanges` table that are aggregated, and expressions on them."""

import polars as pl

_INT, _FLOAT, _TEXT, _FLAG = pl.Int64(), pl.Float64(), pl.String(), pl.Boolean()

EXCHANGES_SCHEMA = pl.Schema(
    {
        **dict.fromkeys(
            ("source", "observer", "sender", "receiver", "kind", "data_kind", "phy", "preamble", "flow"), _TEXT
        ),
        **dict.fromkeys(("start_ns", "rts_start_ns", "cts_start_ns", "data_start_ns", "ack_start_ns"), _INT),
        **dict.fromkeys(("end_ns", "rts_ns", "cts_ns", "data_ns", "ack_ns"), _INT),
        **dict.fromkeys(("nav_rts_us", "nav_cts_us", "nav_data_us", "data_airtime_us", "ack_airtime_us"), _FLOAT),
        **dict.fromkeys(("payload_bytes", "length_bytes", "mpdus", "attempt", "channel_mhz", "tid"), _INT),
        **dict.fromkeys(("queue_ns", "access_ns", "packet_uid"), _INT),
        **dict.fromkeys(("complete", "hidden", "heard_data"), _FLAG),
        **dict.fromkeys(("idle_before_us", "backoff_us", "rate_mbps"), _FLOAT),
    }
)
"""The columns of the `exchanges` table that are read; others may be there."""

US = 1000
"""Nanoseconds per microsecond; durations are added up in integer nanoseconds."""


def nanoseconds(column: str) -> pl.Expr:
    """A column of microseconds in nanoseconds; null where that is not a number an integer can hold."""
    return (pl.col(column) * US).round().cast(pl.Int64, strict=False)


def receiver() -> pl.Expr:
    """The receiver, if it is one station: the Individual/Group bit is the lowest of the first octet (9.2.4.3.2)."""
    group = pl.col("receiver").str.contains(r"^[0-9a-f][13579bdf]:")
    return pl.when((pl.col("kind") != "broadcast") & ~group).then(pl.col("receiver"))


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
