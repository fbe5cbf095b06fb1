"""A dataset of made exchanges, of any length: stations that take turns at one access point, in the order of time."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl

from winf_analyzer import __version__
from winf_analyzer._dataset.dataset import seal, write_metadata
from winf_analyzer._schema import FORMAT_VERSION, complete, schema

BLOCK = 500_000
"""Exchanges made at a time; each block is a part, of a source of its own that goes on where the last one ended."""

SIFS, T_RTS, T_CTS, T_ACK, PLCP = 10_000, 352_000, 304_000, 304_000, 192_000
"""802.11b, long preamble, control frames at 1 Mb/s; nanoseconds."""

GAP = 2_000_000
"""Longest idle time before an exchange, nanoseconds."""


def dataset(folder: Path, exchanges: int, stations: int = 4, seed: int = 1) -> Path:
    """Write a dataset with as many exchanges, half of them to the access point and half from it, at 11 Mb/s.

    Returns:
        `folder`.
    """
    parts = folder / "exchanges"
    parts.mkdir(parents=True)
    at_ns = 0
    for number in range(math.ceil(exchanges / BLOCK)):
        rows = _block(min(BLOCK, exchanges - number * BLOCK), stations, seed + number, at_ns)
        at_ns = int(rows["end_ns"][-1])
        rows = complete(rows.lazy(), "exchanges").cast(dict(schema("exchanges"))).collect()
        rows.write_parquet(parts / f"part-{number:05}.parquet", row_group_size=65_536)
    for table in ("frames", "neighbours"):
        (folder / table).mkdir()
        pl.DataFrame(schema=schema(table)).write_parquet(folder / table / "part-00000.parquet")
    write_metadata(folder, {"format_version": FORMAT_VERSION, "tool_version": __version__, "inputs": []})
    seal(folder)
    return folder


def _block(count: int, stations: int, seed: int, from_ns: int) -> pl.DataFrame:
    drawn = pl.DataFrame({"row": range(count)}, schema={"row": pl.Int64}).select(
        gap=_uniform(seed, 50_000, GAP),
        payload_bytes=_uniform(seed + 1000, 40, 1500),
        station=_uniform(seed + 2000, 1, stations),
        down=_uniform(seed + 3000, 0, 2) == 1,
        attempt=1 + (_uniform(seed + 4000, 0, 10) == 0).cast(pl.Int64),
        fails=_uniform(seed + 5000, 0, 20) == 0,
    )
    t_data = PLCP + ((8 * (28 + pl.col("payload_bytes"))) * 1000 / 11).cast(pl.Int64)
    length = T_RTS + T_CTS + T_ACK + 3 * SIFS + pl.col("t_data")
    rows = drawn.with_columns(t_data=t_data).with_columns(length=length)
    end = from_ns + (pl.col("gap") + pl.col("length")).cum_sum()
    rows = rows.with_columns(end_ns=end).with_columns(start_ns=end - pl.col("length"))
    whole, start = ~pl.col("fails"), pl.col("start_ns")
    rts, cts = start + T_RTS, start + T_RTS + SIFS + T_CTS
    data = cts + SIFS + pl.col("t_data")
    station = pl.format("02:00:00:00:00:{}", (pl.col("station") + 9).cast(pl.String).str.zfill(2))
    access_point = pl.lit("02:00:00:00:00:01")
    idle = pl.col("gap") / 1000
    return rows.select(
        source=pl.lit(f"made-{from_ns}"),
        observer=pl.lit(None, pl.String),
        bssid=access_point,
        sender=pl.when("down").then(access_point).otherwise(station),
        receiver=pl.when("down").then(station).otherwise(access_point),
        kind=pl.when(whole).then(pl.lit("rts")).otherwise(pl.lit("rts_failed")),
        data_kind=pl.when(whole).then(pl.lit("qos_data")),
        phy=pl.lit("hr_dsss"),
        preamble=pl.lit("long"),
        flow=pl.lit(None, pl.String),
        packet_uid=pl.lit(None, pl.Int64),
        queue_ns=pl.lit(None, pl.Int64),
        access_ns=pl.lit(None, pl.Int64),
        tid=pl.lit(0, pl.Int64),
        start_ns=start,
        end_ns=pl.when(whole).then("end_ns").otherwise(rts),
        rts_start_ns=start,
        rts_ns=rts,
        cts_start_ns=pl.when(whole).then(rts + SIFS),
        cts_ns=pl.when(whole).then(cts),
        data_start_ns=pl.when(whole).then(cts + SIFS),
        data_ns=pl.when(whole).then(data),
        ack_start_ns=pl.when(whole).then(data + SIFS),
        ack_ns=pl.when(whole).then("end_ns"),
        nav_rts_us=(pl.col("end_ns") - rts) / 1000,
        nav_cts_us=pl.when(whole).then((pl.col("end_ns") - cts) / 1000),
        nav_data_us=pl.when(whole).then((pl.col("end_ns") - data) / 1000),
        data_airtime_us=pl.when(whole).then(pl.col("t_data") / 1000),
        ack_airtime_us=pl.when(whole).then(T_ACK / 1000),
        payload_bytes=pl.when(whole).then("payload_bytes"),
        length_bytes=pl.when(whole).then(pl.col("payload_bytes") + 28),
        mpdus=whole.cast(pl.Int64),
        attempt="attempt",
        channel_mhz=pl.lit(2412),
        complete=whole,
        hidden=pl.lit(value=False),
        heard_data=whole,
        direct=pl.lit(value=False),
        idle_before_us=idle,
        backoff_us=idle - 50,
        rate_mbps=pl.when(whole).then(11.0),
    )


def _uniform(seed: int, low: int, high: int) -> pl.Expr:
    """Whole numbers from `low` up to, not including, `high`; the same for the same seed."""
    return low + (pl.col("row").hash(seed) % (high - low)).cast(pl.Int64)
