"""Retry limits, as far as recordings of senders show them."""

from __future__ import annotations

from typing import Any

import polars as pl

from winf_analyzer._replay.recorded import views

SHORT, LONG = 7, 4
"""dot11ShortRetryLimit and dot11LongRetryLimit by default (IEEE 802.11-2020, annex C)."""

_MOST = 255

_CASES = 3
"""Fewer rows of unanswered RTS prove nothing."""


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


def rts_retry_limit(frames: pl.LazyFrame, exchanges: pl.LazyFrame, view: pl.DataFrame) -> int | None:
    """Least number of attempts of an RTS that the recording allows, where it is above the short limit; None: it is not.

    RTS have no number. That a packet was not given up shows in TCP: the first data frame after a row of unanswered RTS
    goes on where the last one before ended, or acknowledges no more than two segments beyond it, which every receiver
    acknowledges (RFC 5681, sec. 4.2). 255, the most there can be, if no longer row is seen to end in a gap.
    """
    rows = _rows(exchanges, view)
    if rows.filter(pl.col("unanswered") >= SHORT).height < _CASES:
        return None
    rows = rows.join(_segments(frames), on=[*_RECORDER, "start_ns"])
    of_flow: dict[str, Any] = {"partition_by": ["sender", "receiver", "flow", "ack"], "order_by": "start_ns"}
    long = rows.with_columns(
        expected=pl.col("end_seq").cum_max().shift(1).over(**of_flow), last=pl.col("end_seq").shift(1).over(**of_flow)
    ).filter(pl.col("unanswered") >= SHORT, pl.col("end_seq") >= pl.col("last") + pl.col("ack"))
    gap = pl.col("from_seq") > pl.col("expected")
    went_on = long.filter(~gap)["unanswered"]
    longest = went_on.max()
    if went_on.len() < _CASES or not isinstance(longest, int):
        return None
    given_up = long.filter(gap, pl.col("unanswered") > longest)
    return _MOST if given_up.height < _CASES else min(_MOST, longest + 1)


_RECORDER = ["source", "observer"]


def _rows(exchanges: pl.LazyFrame, view: pl.DataFrame) -> pl.DataFrame:
    """Data frames after RTS and CTS, by when they start, and how many RTS were ``unanswered`` before each."""
    own = view.filter(pl.col("observer") == pl.col("sender"))
    link = [*_RECORDER, "sender", "receiver"]
    answered = pl.col("kind") == "rts"
    return (
        views.of(exchanges, own)
        .filter(pl.col("kind").is_in(["rts", "rts_failed"]), pl.col("start_ns").is_not_null())
        .select(*link, "kind", "data_start_ns", at="start_ns")
        .collect(engine="streaming")
        .sort(*link, "at")
        .with_columns(row=(answered.cum_sum() - answered.cast(pl.Int64)).over(link))
        .group_by(*link, "row", maintain_order=True)
        .agg(unanswered=(~answered).sum(), start_ns=pl.col("data_start_ns").filter(answered).last())
        .filter(pl.col("start_ns").is_not_null())
        .with_columns(pl.col("unanswered").cast(pl.Int64))
    )


def _segments(frames: pl.LazyFrame) -> pl.DataFrame:
    """TCP's frames by when they start: ``flow ack from_seq end_seq``, of acknowledgements two segments before them."""
    length = pl.col("tcp_payload_bytes")
    ack = length == 0
    rows = frames.filter(pl.col("kind").is_in(["data", "qos_data"]), pl.col("proto") == "tcp", length.is_not_null())
    largest = rows.select(length.max()).collect(engine="streaming").item() or 0
    end = pl.when(ack).then("tcp_ack").otherwise(pl.col("transport_seq") + length)
    start = pl.when(ack).then(pl.col("tcp_ack") - 2 * largest).otherwise("transport_seq")
    return rows.select(*_RECORDER, "start_ns", "flow", ack=ack, from_seq=start, end_seq=end).collect(engine="streaming")


def _limit(least: int, seen: object) -> int:
    return min(_MOST, max(least, seen)) if isinstance(seen, int) else least
