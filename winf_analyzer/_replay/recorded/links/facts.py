"""Conditions of links over a whole recording: rates, attempts and failures."""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay.recorded import views


def link_facts(exchanges: pl.LazyFrame, view: pl.DataFrame) -> pl.DataFrame:
    """One row per link of ``view``: its attempts, failures and sizes.

    Columns: ``sender receiver attempts failures rate_mbps`` (median), ``with_rts`` (smallest packet sent with RTS),
    ``without_rts`` (largest without), ``mpdus`` (mean number in an attempt with data), ``header_bytes``.
    """
    mpdus = pl.col("mpdus").clip(lower_bound=1)
    size = pl.col("packet")
    return (
        views.of(exchanges.filter(pl.col("kind").is_in(views.UNICAST)), view)
        .sort("start_ns", maintain_order=True)
        .with_columns(packet=pl.col("payload_bytes").replace(0, None) / mpdus)
        .group_by("sender", "receiver")
        .agg(
            attempts=pl.len(),
            failures=views.failed(over=False).sum(),
            rate_mbps=pl.col("rate_mbps").filter(size.is_not_null()).median(),
            with_rts=size.filter(pl.col("kind") == "rts").min(),
            without_rts=size.filter(pl.col("kind") == "basic").max(),
            mpdus=pl.col("mpdus").filter(size.is_not_null()).mean(),
            header_bytes=(pl.col("length_bytes") - pl.col("payload_bytes")).filter(pl.col("mpdus") == 1).median(),
        )
        .collect(engine="streaming")
    )


def response_rates(frames: pl.LazyFrame, kinds: list[str]) -> dict[str, float]:
    """Median rate of the control frames of these kinds sent to each station, Mbit/s."""
    rows = (
        frames.filter(pl.col("kind").is_in(kinds), pl.col("ra").is_not_null(), pl.col("rate_mbps") > 0)
        .group_by("ra")
        .agg(pl.col("rate_mbps").median())
        .collect(engine="streaming")
    )
    return dict(rows.iter_rows())
