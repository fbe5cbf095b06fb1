"""The columns that estimators read and write."""

import polars as pl

from winf_analyzer._schema import Column, schema, table

ESTIMATES: tuple[Column, ...] = table("estimates").columns
"""The `estimates` table: one row per estimator, mode, source, observer, node, link or path, state and window."""

ESTIMATES_SCHEMA = schema("estimates")
"""Names and types of :data:`ESTIMATES`, in order."""

_READ = (
    *("source", "observer", "sender", "receiver", "kind", "data_kind", "phy", "preamble", "flow"),
    *("start_ns", "rts_start_ns", "cts_start_ns", "data_start_ns", "ack_start_ns"),
    *("end_ns", "rts_ns", "cts_ns", "data_ns", "ack_ns"),
    *("nav_rts_us", "nav_cts_us", "nav_data_us", "data_airtime_us", "ack_airtime_us"),
    *("payload_bytes", "length_bytes", "mpdus", "attempt", "channel_mhz", "tid"),
    *("queue_ns", "access_ns", "packet_uid"),
    *("complete", "hidden", "heard_data"),
    *("idle_before_us", "backoff_us", "rate_mbps"),
)


def _wide(name: str, dtype: pl.DataType) -> pl.DataType:
    """Types in which sums do not overflow and durations divide: 64 bits, microseconds as floating-point numbers."""
    if name.endswith("_us"):
        return pl.Float64()
    return pl.Int64() if dtype == pl.Int32() else dtype


EXCHANGES_SCHEMA = pl.Schema({name: _wide(name, schema("exchanges")[name]) for name in _READ})
"""The columns of the `exchanges` table that estimators read; others may be there."""
