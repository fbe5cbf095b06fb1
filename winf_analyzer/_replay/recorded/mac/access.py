"""Whether stations forward a packet without backoff directly after receiving it."""

from __future__ import annotations

import polars as pl

_MIN_CASES = 30
"""Minimum number of forwarded packets."""

_MIN_IMMEDIATE_SHARE = 0.2
"""Minimum share without backoff: a backoff of 0 slots has a probability of 1/(CWmin + 1) only, with CWmin >= 7."""


def forwards_without_backoff(exchanges: pl.LazyFrame, slot_ns: int, difs_ns: int) -> bool:
    """Whether nodes transmit DIFS after the end of an exchange in which they received a packet, without backoff.

    IEEE 802.11 requires a backoff, since the medium is busy when the packet arrives (10.3.4.2). Of stations that were
    recorded only their own recordings count. The DIFS is that of the world: the column `backoff_us` takes away the one
    of the PHY's shortest slot.
    """
    heard = exchanges.filter(pl.col("start_ns").is_not_null())
    before = pl.when("complete").then("receiver").shift(1).over("source", "observer", order_by="start_ns")
    named = pl.col("observer")
    recorded = heard.select(named.unique()).drop_nulls().collect().to_series()
    backoff_ns = pl.col("idle_before_us") * 1e3 - difs_ns
    found = (
        heard.select("source", "observer", "start_ns", "sender", "receiver", "complete", "idle_before_us")
        .with_columns(answered=before)
        .filter(
            pl.col("answered") == pl.col("sender"),
            (named == pl.col("sender")) | ~pl.col("sender").is_in(recorded.implode()),
            pl.col("idle_before_us").is_not_null(),
        )
        .select(cases=pl.len(), immediate=(backoff_ns < slot_ns / 2).sum())
        .collect()
    )
    cases, immediate = found.row(0)
    return bool(cases >= _MIN_CASES and immediate >= _MIN_IMMEDIATE_SHARE * cases)
