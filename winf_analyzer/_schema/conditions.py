"""Columns of the ``conditions`` table: what a replay of a recording runs against, per link and bin."""

from __future__ import annotations

import polars as pl

from winf_analyzer._dataset.nodes import Column

CONDITIONS = (
    Column("source", pl.String(), "recording that tells about the link"),
    Column("observer", pl.String(), "whose radio recorded it; null: an anonymous sniffer"),
    Column("sender", pl.String(), "who sends on the link"),
    Column("receiver", pl.String(), "who receives"),
    Column("bin_start_ns", pl.Int64(), "start of the bin, ns"),
    Column("bin_ns", pl.Int64(), "its width, ns"),
    Column("exchanges", pl.Int64(), "exchanges with payload that were acknowledged"),
    Column("attempts", pl.Int64(), "attempts, RTS without answer included"),
    Column("failures", pl.Int64(), "attempts without acknowledgement"),
    Column("loss", pl.Float64(), "failures / attempts"),
    Column("capacity_bps", pl.Float64(), "payload / time of the exchanges and of the access before them, bit/s"),
    Column("airtime_overhead_us", pl.Float64(), "airtime of a data frame without payload, us; null: one size only"),
    Column("airtime_per_byte_us", pl.Float64(), "and what each byte of payload adds, us; least squares over the bin"),
    Column("airtime_us", pl.Float64(), "mean airtime of a data frame, us"),
    Column("payload_bytes", pl.Float64(), "mean payload of a data frame, bytes"),
    Column("base_delay_ns", pl.Int64(), "shortest time from the start of an exchange to its end, ns"),
    Column("access_delay_ns", pl.Float64(), "mean wait of the head of line for its first attempt, DIFS included, ns"),
    Column("queue_ns", pl.Float64(), "mean wait in the queue before that, ns; simulators only"),
    Column(
        "busy_other_ns", pl.Int64(), "time others than the link's sender and the lifted flows occupied its medium, ns"
    ),
)
"""Columns of the table."""

CONDITIONS_SCHEMA = pl.Schema({column.name: column.dtype for column in CONDITIONS})
"""Names and types of :data:`CONDITIONS`, in order."""
