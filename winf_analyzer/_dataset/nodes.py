"""The ``nodes`` table: every station that sent a readable frame, and what it did."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from winf_analyzer import _schema
from winf_analyzer._dataset.radios import radios
from winf_analyzer._util.duckdb_agg import grouped

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
    -- Whole nanoseconds: a sum of floats would depend on the order in which threads add them.
    sum(try_cast(round(airtime_us * 1000) as bigint))::double / 1000 as airtime_us,
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
        .with_columns(role.alias("role"), radio=pl.col("node").replace(radios(frames)))
        .select(pl.col(name).cast(dtype) for name, dtype in _schema.schema("nodes").items())
        .sort("frames_tx", "node", descending=[True, False])
    )
