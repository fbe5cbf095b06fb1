"""The ``nodes`` table: every station that sent a readable frame, and what it did."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import polars as pl


class Column(NamedTuple):
    """One column of the table."""

    name: str
    dtype: pl.DataType
    meaning: str


NODES = (
    Column("node", pl.String(), "station address"),
    Column("role", pl.String(), "ap, ibss, station or simulator"),
    Column("ssid", pl.String(), "network name it announced, or asked to join"),
    Column("frames_tx", pl.Int64(), "frames it sent"),
    Column("bytes_tx", pl.Int64(), "MPDU octets it sent, FCS included"),
    Column("airtime_us", pl.Float64(), "time on the air of what it sent, us; null where no airtime is known"),
    Column("data_frames", pl.Int64(), "data frames with payload it sent"),
    Column("retries", pl.Int64(), "data and management frames it sent with the Retry bit"),
    Column("signal_dbm", pl.Float64(), "mean signal of its frames at the recorders, dBm"),
    Column("first_ns", pl.Int64(), "first frame, ns"),
    Column("last_ns", pl.Int64(), "last frame, ns"),
)
"""Columns of the table."""

_ANNOUNCES = ("beacon", "probe_resp")


def stations(frames: list[Path]) -> pl.LazyFrame:
    """Group the ``frames`` parts at ``frames`` by transmitter, in bounded memory.

    Where several recorders heard a frame it counts once per recorder: the table describes what was recorded. In a
    simulator's trace only what a node itself sent counts.
    """
    own = pl.col("direction").is_null() | (pl.col("direction") != "rx") | ~pl.col("ta").str.starts_with("node-")
    sent = pl.scan_parquet(frames).filter(
        pl.col("ta").is_not_null(), pl.col("layer") == "mac", pl.col("direction").fill_null("rx") != "drop", own
    )
    announces = pl.col("kind").is_in(_ANNOUNCES)
    role = (
        pl.when(pl.col("node").str.starts_with("node-"))
        .then(pl.lit("simulator"))
        .when(pl.col("announced") & pl.col("own_bssid"))
        .then(pl.lit("ap"))
        .when(pl.col("announced"))
        .then(pl.lit("ibss"))
        .otherwise(pl.lit("station"))
    )
    grouped = sent.group_by(pl.col("ta").alias("node")).agg(
        announces.any().alias("announced"),
        (announces & (pl.col("bssid") == pl.col("ta"))).any().alias("own_bssid"),
        pl.col("ssid").filter(announces & (pl.col("ssid") != "")).first().alias("announced_ssid"),
        pl.col("ssid").filter(pl.col("ssid") != "").first().alias("any_ssid"),
        pl.len().alias("frames_tx"),
        pl.col("length_bytes").cast(pl.Int64).sum().alias("bytes_tx"),
        pl.when(pl.col("airtime_us").count() > 0).then(pl.col("airtime_us").sum()).alias("airtime_us"),
        pl.col("kind").is_in(["data", "qos_data"]).sum().alias("data_frames"),
        pl.col("retry").sum().alias("retries"),
        pl.col("signal_dbm").mean().alias("signal_dbm"),
        pl.col("ts_ns").min().alias("first_ns"),
        pl.col("ts_ns").max().alias("last_ns"),
    )
    ssid = pl.coalesce("announced_ssid", "any_ssid").alias("ssid")
    return (
        grouped.with_columns(role.alias("role"), ssid)
        .select(pl.col(column.name).cast(column.dtype) for column in NODES)
        .sort("frames_tx", "node", descending=[True, False])
    )
