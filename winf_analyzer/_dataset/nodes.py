"""The ``nodes`` table: every station that sent a readable frame, and what it did."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import polars as pl

from winf_analyzer._util.duckdb_agg import grouped


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

_STATIONS = """
select
    ta as node,
    bool_or(announces) as announced,
    bool_or(announces and bssid = ta) as own_bssid,
    coalesce(
        arg_min(ssid, (source, frame_no)) filter (announces and ssid <> ''),
        arg_min(ssid, (source, frame_no)) filter (ssid <> '')
    ) as ssid,
    count(*) as frames_tx,
    sum(length_bytes)::bigint as bytes_tx,
    sum(airtime_us)::double as airtime_us,
    count(*) filter (kind in ('data', 'qos_data')) as data_frames,
    count(*) filter (retry) as retries,
    avg(signal_dbm) as signal_dbm,
    min(ts_ns) as first_ns,
    max(ts_ns) as last_ns
from (
    select *, coalesce(kind in ('beacon', 'probe_resp'), false) as announces
    from read_parquet($frames)
    where ta is not null
      and layer = 'mac'
      and coalesce(direction, 'rx') <> 'drop'
      and (direction is null or direction <> 'rx' or not starts_with(ta, 'node-'))
)
group by ta
"""


def stations(frames: list[Path]) -> pl.DataFrame:
    """Group the ``frames`` parts at ``frames`` by transmitter, in bounded memory.

    Where several recorders heard a frame it counts once per recorder: the table describes what was recorded. In a
    simulator's trace only what a node itself sent counts.
    """
    role = (
        pl.when(pl.col("node").str.starts_with("node-"))
        .then(pl.lit("simulator"))
        .when(pl.col("announced") & pl.col("own_bssid"))
        .then(pl.lit("ap"))
        .when(pl.col("announced"))
        .then(pl.lit("ibss"))
        .otherwise(pl.lit("station"))
    )
    return (
        grouped(_STATIONS, frames=frames)
        .with_columns(role.alias("role"))
        .select(pl.col(column.name).cast(column.dtype) for column in NODES)
        .sort("frames_tx", "node", descending=[True, False])
    )
