"""Retry limits, as far as recordings of senders show them."""

from __future__ import annotations

import polars as pl

from winf_analyzer.replaying.recorded import views

SHORT, LONG = 7, 4
"""dot11ShortRetryLimit and dot11LongRetryLimit by default (IEEE 802.11-2020, annex C)."""

_MOST = 255


def retry_limits(exchanges: pl.LazyFrame, view: pl.DataFrame) -> tuple[int, int]:
    """Least short and long retry limits that the recording allows, no less than the defaults.

    Data frames in a row with one sequence number are attempts of one packet; those after RTS and CTS count against the
    long limit. RTS have no number, so attempts that got no further tell nothing. Only what senders recorded
    themselves, or anonymous recordings, count.
    """
    told = view.filter(pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender")))
    medium = ["source", "observer", "sender"]
    data = (
        views.of(exchanges, told)
        .filter(pl.col("start_ns").is_not_null(), pl.col("kind").is_in(["rts", "basic"]), pl.col("seq").is_not_null())
        .select(*medium, "start_ns", "kind", "seq")
        .collect(engine="streaming")
        .sort(*medium, "start_ns")
        .with_columns(packet=(pl.col("seq").diff().over(medium).fill_null(1) != 0).cum_sum())
    )
    packets = data.group_by("packet").agg(attempts=pl.len(), with_rts=(pl.col("kind") == "rts").any())
    with_rts = packets.filter("with_rts")["attempts"].max()
    without = packets.filter(~pl.col("with_rts"))["attempts"].max()
    return _limit(SHORT, without), _limit(LONG, with_rts)


def _limit(least: int, seen: object) -> int:
    return min(_MOST, max(least, seen)) if isinstance(seen, int) else least
