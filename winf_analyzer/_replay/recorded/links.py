"""Conditions of links over a whole recording: rates, airtimes per packet size, and losses that are no collisions."""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay.recorded import views

_FAILED = pl.col("complete").not_()


def facts(exchanges: pl.LazyFrame, view: pl.DataFrame) -> pl.DataFrame:
    """One row per link of ``view``: its attempts, failures and airtimes.

    Columns: ``sender receiver attempts failures rate_mbps`` (median), ``overhead_us`` and ``per_byte_us`` (least
    squares over airtime of data and bytes of the packet; CTS-to-self counts to the overhead), ``smallest`` and
    ``largest`` packet, ``with_rts`` and ``without_rts`` (smallest and largest packet sent so), ``header_bytes``.
    """
    mpdus = pl.col("mpdus").clip(lower_bound=1)
    size, air = pl.col("packet"), pl.col("air_us")
    measured = size.is_not_null() & air.is_not_null()
    n, sx, sy = measured.sum(), size.filter(measured).sum(), air.filter(measured).sum()
    sxx, sxy = (size * size).filter(measured).sum(), (size * air).filter(measured).sum()
    spread = n * sxx - sx * sx
    slope = (n * sxy - sx * sy) / spread
    protection = pl.when(pl.col("kind") == "cts_self").then((pl.col("data_start_ns") - pl.col("start_ns")) / 1e3)
    rows = (
        views.of(exchanges.filter(pl.col("kind").is_in(views.UNICAST)), view)
        .with_columns(
            packet=(pl.col("payload_bytes").replace(0, None) / mpdus),
            air_us=pl.col("data_airtime_us") / mpdus + pl.coalesce(protection, 0.0) / mpdus,
        )
        .group_by("sender", "receiver")
        .agg(
            attempts=pl.len(),
            failures=_FAILED.sum(),
            rate_mbps=pl.col("rate_mbps").filter(size.is_not_null()).median(),
            # Long packets at a higher rate than short ones would make a line that falls.
            per_byte_us=pl.when(spread > 0, slope > 0).then(slope),
            mean_us=air.filter(measured).mean(),
            mean_bytes=size.filter(measured).mean(),
            smallest=size.filter(measured).min(),
            largest=size.filter(measured).max(),
            with_rts=size.filter(pl.col("kind") == "rts").min(),
            without_rts=size.filter(pl.col("kind") == "basic").max(),
            header_bytes=(pl.col("length_bytes") - pl.col("payload_bytes")).filter(pl.col("mpdus") == 1).median(),
        )
        .collect(engine="streaming")
    )
    per_bit = 8 / pl.col("rate_mbps")
    return rows.with_columns(pl.coalesce("per_byte_us", per_bit)).with_columns(
        overhead_us=pl.col("mean_us") - pl.col("per_byte_us") * pl.col("mean_bytes")
    )


def answer_rates(frames: pl.LazyFrame, kinds: list[str]) -> dict[str, float]:
    """Median rate of the control frames of these kinds that answer each station, Mbit/s."""
    rows = (
        frames.filter(pl.col("kind").is_in(kinds), pl.col("ra").is_not_null(), pl.col("rate_mbps") > 0)
        .group_by("ra")
        .agg(pl.col("rate_mbps").median())
        .collect(engine="streaming")
    )
    return dict(rows.iter_rows())
