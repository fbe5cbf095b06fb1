"""Columns of the `estimates` table, each with its unit and meaning."""

from typing import NamedTuple

import polars as pl


class Column(NamedTuple):
    """One column of a table."""

    name: str
    dtype: pl.DataType
    unit: str
    meaning: str


INT, FLOAT, TEXT = pl.Int64(), pl.Float64(), pl.String()

ESTIMATES: tuple[Column, ...] = (
    Column("estimator", TEXT, "", "name in the registry, as `winf list estimators` shows it"),
    Column("mode", TEXT, "", "paper: the formulas as published; corrected: their biases removed"),
    Column("source", TEXT, "", "the recording"),
    Column("observer", TEXT, "", "whose radio recorded it; null: an anonymous sniffer"),
    Column(
        "node", TEXT, "", "the station whose conclusion the row is; null: the sniffer's own, about a link it overheard"
    ),
    Column(
        "peer",
        TEXT,
        "",
        "the other end of the link or path; for an onlooker the link's sender; null: all links together, the node's "
        "own (sender, receiver) or those it is no part of (onlooker)",
    ),
    Column("sender", TEXT, "", "transmitter of the link's data; null: all links together, or a path"),
    Column("receiver", TEXT, "", "receiver of the link's data; null: all links together, or a path"),
    Column(
        "path",
        TEXT,
        "",
        "the stations a packet passes, as node-0>node-1>node-2; the row is about all its hops; null: no path",
    ),
    Column("state", TEXT, "", "what the node was to the link: sender, receiver or onlooker"),
    Column("window_start_ns", INT, "ns", "start of the window, or of the last part of a running one"),
    Column("window_ns", INT, "ns", "length of the window, or of the last part of a running one"),
    Column("covered_ns", INT, "ns", "the part of the window that the recording covers; what idle_ratio refers to"),
    Column("capacity_bps", FLOAT, "bit/s", "path capacity; null: no sample, or not measured by this estimator"),
    Column("available_bps", FLOAT, "bit/s", "available bandwidth, never above the capacity"),
    Column("available_low_bps", FLOAT, "bit/s", "lower bound of the available bandwidth, where one was computed"),
    Column("available_high_bps", FLOAT, "bit/s", "upper bound of the available bandwidth, where one was computed"),
    Column(
        "idle_ratio", FLOAT, "1", "idle share of the covered time, 0 to 1; null: too little of the window is covered"
    ),
    Column(
        "collision_probability",
        FLOAT,
        "1",
        "failed share of the node's attempts in the window, or the link's that collided (collision); sender state only",
    ),
    Column("exchanges", INT, "", "capacity samples the row rests on"),
    Column("forward_delay_us", FLOAT, "us", "head of line to acknowledged, mean; summed over a path (c3tcp)"),
    Column(
        "backward_delay_us",
        FLOAT,
        "us",
        "the same and the wait in the queue, for packets of the reverse link or path (c3tcp)",
    ),
    Column("tmt_basic_bps", FLOAT, "bit/s", "theoretical maximum throughput without RTS/CTS (theoretical_maximum)"),
    Column("tmt_rts_bps", FLOAT, "bit/s", "theoretical maximum throughput with RTS/CTS (theoretical_maximum)"),
    Column("r_phy_bps", FLOAT, "bit/s", "modulation rate: measured (rt_winf corrected) or from the header (idle_gap)"),
    Column("c_data_bps", FLOAT, "bit/s", "payload over the airtime of the data alone (rt_winf corrected)"),
    Column("loss_probability", FLOAT, "1", "share of the link's attempts lost otherwise than by collision (collision)"),
    Column("failed_ewma", FLOAT, "1", "failed share of the link's attempts, EWMA of weight 1/8, at the window's end"),
    Column("contenders", FLOAT, "", "saturated stations that would collide as often, the sender among them (Bianchi)"),
    Column("expected_backoff_us", FLOAT, "us", "E[BO|p]: mean backoff of a packet over all its attempts"),
    Column("measured_backoff_us", FLOAT, "us", "the same as measured (backoff_us), waits left out"),
)
"""The `estimates` table: one row per estimator, mode, source, observer, node, link or path, state and window."""

ESTIMATES_SCHEMA = pl.Schema({column.name: column.dtype for column in ESTIMATES})
"""Names and types of :data:`ESTIMATES`, in order."""
