"""The ``nodes`` table: every station that sent a readable frame, and what it did."""

from __future__ import annotations

from pathlib import Path

import polars as pl

NODES = {
    "node": "station address",
    "role": "ap, ibss, station or simulator",
    "ssid": "network name it announced, or asked to join",
    "frames_tx": "frames it sent",
    "bytes_tx": "MPDU octets it sent, FCS included",
    "airtime_us": "time on the air of what it sent, us; null where no airtime is known",
    "data_frames": "data frames with payload it sent",
    "retries": "data and management frames it sent with the Retry bit",
    "signal_dbm": "median signal of its frames at the recorders, dBm",
    "first_ns": "first frame, ns",
    "last_ns": "last frame, ns",
}
"""Columns of the table, with their documentation."""

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
        pl.col("signal_dbm").cast(pl.Float64).median().alias("signal_dbm"),
        pl.col("ts_ns").min().alias("first_ns"),
        pl.col("ts_ns").max().alias("last_ns"),
    )
    ssid = pl.coalesce("announced_ssid", "any_ssid").alias("ssid")
    return (
        grouped.with_columns(role.alias("role"), ssid)
        .select(*NODES)
        .sort("frames_tx", "node", descending=[True, False])
    )
