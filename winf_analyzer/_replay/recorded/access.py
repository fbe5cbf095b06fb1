"""Whether stations back off before they pass on what they have just received."""

from __future__ import annotations

import polars as pl

_CASES = 30
"""Fewer packets passed on prove nothing."""

_AT_ONCE = 0.2
"""A backoff draws 0 slots once in CWmin + 1 times; a larger share than this is no chance (CWmin is 7 and more)."""


def passes_on_at_once(exchanges: pl.LazyFrame, slot_ns: int) -> bool:
    """Whether nodes send at DIFS after the end of a frame exchange in which they received, without a backoff.

    IEEE 802.11 has them draw one, since the medium is taken when the packet comes (10.3.4.2). Counts first attempts in
    the recordings of their senders.
    """
    answered = (pl.col("receiver") == pl.col("observer")) & pl.col("complete")
    found = (
        exchanges.filter(pl.col("observer").is_not_null(), pl.col("start_ns").is_not_null())
        .select("source", "observer", "start_ns", "sender", "receiver", "complete", "backoff_us", "attempt")
        .with_columns(after_answer=answered.shift(1).over("source", "observer", order_by="start_ns"))
        .filter("after_answer", pl.col("sender") == pl.col("observer"), pl.col("backoff_us").is_not_null())
        .select(cases=pl.len(), at_once=(pl.col("backoff_us") * 1e3 < slot_ns / 2).sum())
        .collect()
    )
    cases, at_once = found.row(0)
    return bool(cases >= _CASES and at_once >= _AT_ONCE * cases)
