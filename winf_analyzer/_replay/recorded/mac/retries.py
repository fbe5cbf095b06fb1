"""Lower bounds of retry limits, from recordings of senders, and of stations beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from winf_analyzer._mac.constants import SEQUENCE_NUMBERS, whole
from winf_analyzer._replay.recorded import views
from winf_analyzer._util.whole_sums import total

SHORT, LONG = whole("dot11ShortRetryLimit"), whole("dot11LongRetryLimit")
"""Default dot11ShortRetryLimit and dot11LongRetryLimit (IEEE 802.11-2020, annex C)."""

MAX_LIMIT = 255
"""The largest dot11ShortRetryLimit."""

MAX_UNHEARD = 0.02
"""Most packets that a recorder may have missed, as a share of those that it heard."""

MIN_HEARD = 100
"""Of fewer frames the share of repetitions is chance."""

_MIN_CASES = 3
"""Minimum number of sequences of RTS without CTS."""


def retry_limits(exchanges: pl.LazyFrame, view: pl.DataFrame) -> tuple[int, int]:
    """Lowest short and long retry limits that the recording allows, at least the defaults.

    Consecutive data frames with the same sequence number are attempts of one packet; those with RTS/CTS count for the
    long limit. RTS without CTS have no sequence number and do not count. Only recordings of senders and anonymous
    recordings are used.
    """
    known = view.filter(pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender")))
    medium = ["source", "observer", "sender"]
    data = (
        views.of(exchanges, known)
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
    """Lowest RTS retry limit that the recording allows, if above the short limit; else None.

    RTS have no sequence number, but TCP shows whether a packet was dropped. It was not if the first data frame after a
    sequence of RTS without CTS continues at the end of the previous one, or acknowledges at most two segments beyond
    it, since receivers acknowledge at least every second segment (RFC 5681, sec. 4.2). The result is 255, the maximum,
    if no longer sequence ends in a gap. A station beside the sender hears at most as many RTS as were sent.
    """
    rows = _rows(exchanges, view)
    if rows.filter(pl.col("unanswered") >= SHORT).height < _MIN_CASES:
        return None
    rows = rows.join(_segments(frames), on=[*_RECORDER, "start_ns"], nulls_equal=True)
    of_flow: dict[str, Any] = {"partition_by": ["sender", "receiver", "flow", "ack"], "order_by": "start_ns"}
    long = rows.with_columns(
        expected=pl.col("end_seq").cum_max().shift(1).over(**of_flow), last=pl.col("end_seq").shift(1).over(**of_flow)
    ).filter(pl.col("unanswered") >= SHORT, pl.col("end_seq") >= pl.col("last") + pl.col("ack"))
    gap = pl.col("from_seq") > pl.col("expected")
    went_on = long.filter(~gap)["unanswered"]
    longest = went_on.max()
    if went_on.len() < _MIN_CASES or not isinstance(longest, int):
        return None
    given_up = long.filter(gap, pl.col("unanswered") > longest)
    return MAX_LIMIT if given_up.height < _MIN_CASES else min(MAX_LIMIT, longest + 1)


def ampdu_retry_limit(exchanges: pl.LazyFrame, view: pl.DataFrame) -> int | None:
    """Attempts in a row after which packets of A-MPDUs are given up, if above the short limit; else None.

    A sequence of an A-MPDU and what follows it without an answer ends with one; packets were given up if the sender
    goes on with later numbers before. Those of single frames count for the short limit. The result is 255, the maximum,
    if no sequence longer than all that were answered ends so: ns-3 gives up none. Only recordings of senders are used,
    which hear every answer.
    """
    link, rows = [*_RECORDER, "sender", "receiver"], _of_senders(exchanges, view)
    last = pl.when(pl.col("mpdus") > 0).then("seq").forward_fill().shift(1)
    step = (pl.col("seq") - last.over(link)) % SEQUENCE_NUMBERS
    was_answered = pl.col("answered").shift(1, fill_value=True).over(link)
    goes_on = ~was_answered & (pl.col("mpdus") > 0) & step.is_between(1, SEQUENCE_NUMBERS // 2)
    runs = (
        rows.with_columns(run=(was_answered | goes_on.fill_null(value=False)).cum_sum().over(link))
        .group_by(*link, "run")
        .agg(attempts=pl.len(), answered=pl.col("answered").last(), in_ampdu=pl.col("mpdus").first() > 1)
        .filter("in_ampdu")
    )
    answered = runs.filter("answered")["attempts"].cast(pl.Int64)
    longest = answered.max()
    if (answered > SHORT).sum() < _MIN_CASES or not isinstance(longest, int):
        return None
    given_up = runs.filter(~pl.col("answered"), pl.col("attempts") > longest)
    return MAX_LIMIT if given_up.height < _MIN_CASES else min(MAX_LIMIT, longest + 1)


def single_give_up(exchanges: pl.LazyFrame, view: pl.DataFrame) -> float | None:
    """Share of the failed MPDUs that were alone in their PPDU which were given up, if some were before their limit.

    Else None: the short limit counts. One was given up if the next data of its link are later ones. ns-3.37 gives up
    packets after two attempts, or one, that take turns with A-MPDUs. Only recordings of senders are used.
    """
    link = [*_RECORDER, "sender", "receiver"]
    rows = _of_senders(exchanges, view).filter(pl.col("mpdus") > 0)
    alone = pl.col("mpdus") == 1
    step = (pl.col("seq").shift(-1).over(link) - pl.col("seq")) % SEQUENCE_NUMBERS
    again = ((pl.col("seq").diff().over(link) == 0) & alone & alone.shift(1).over(link)).fill_null(value=False)
    failed = (
        rows.with_columns(step=step, packet=(~again).cum_sum())
        .with_columns(attempts=pl.int_range(pl.len()).over("packet") + 1)
        .filter(alone, ~pl.col("answered"), pl.col("step").is_not_null())
        .with_columns(gone=pl.col("step").is_between(1, SEQUENCE_NUMBERS // 2))
    )
    if failed.filter("gone", pl.col("attempts") < SHORT).height < _MIN_CASES:
        return None
    return int(failed["gone"].sum()) / failed.height


def _of_senders(exchanges: pl.LazyFrame, view: pl.DataFrame) -> pl.DataFrame:
    """Exchanges that their senders recorded, in order of time by link: ``mpdus seq answered`` and the link."""
    link = [*_RECORDER, "sender", "receiver"]
    return (
        views.of(exchanges, view.filter(pl.col("observer") == pl.col("sender")))
        .filter(pl.col("kind").is_in(views.UNICAST), pl.col("start_ns").is_not_null())
        .select(*link, "start_ns", "mpdus", "seq", answered=pl.col("complete"))
        .collect(engine="streaming")
        .sort(*link, "start_ns")
    )


def missing_packets(frames: pl.LazyFrame, senders: Iterable[str]) -> dict[str, int]:
    """Packets of senders that a station beside them did not hear, by the MAC's sequence numbers.

    They were given up before they were on the air, or the recorder did not hear them; where these are more than
    :data:`MAX_UNHEARD` it tells nothing, and the sender is left out. Frames without a TID share one counter.
    """
    rows = (
        frames.filter(
            pl.col("ta").is_in(list(senders)), pl.col("seq").is_not_null(), pl.col("kind").is_in(["data", "qos_data"])
        )
        .select(
            *("ta", "tid", "seq"),
            at=pl.coalesce("start_ns", "ts_ns"),
            to=pl.when(pl.col("tid").is_not_null()).then("ra"),
        )
        .collect(engine="streaming")
        .sort("at", maintain_order=True)
        .with_columns(step=pl.col("seq").diff().over("ta", "tid", "to") % SEQUENCE_NUMBERS)
        .filter(pl.col("step").is_between(1, SEQUENCE_NUMBERS // 2))
    )
    counts = rows.group_by("ta").agg(heard=pl.len(), missing=total(pl.col("step") - 1)).sort("ta")
    return {ta: missing for ta, heard, missing in counts.iter_rows() if missing <= MAX_UNHEARD * heard}


_RECORDER = ["source", "observer"]


def repeated_shares(exchanges: pl.LazyFrame, view: pl.DataFrame) -> dict[tuple[str, str], float]:
    """Per link the share of the frames that were heard, of at least :data:`MIN_HEARD`, that repeat an attempt.

    Where colliding frames are not heard that is about the share of the attempts that failed. Frames behind RTS do not
    repeat what failed, and A-MPDUs repeat a part: links of these have none.
    """
    is_plain = (pl.col("kind") == "basic") & (pl.col("mpdus").fill_null(1) <= 1)
    rows = (
        views.of(exchanges, view)
        .filter(pl.col("kind").is_in(views.UNICAST))
        .group_by("sender", "receiver")
        .agg(heard=pl.len(), plain=is_plain.mean(), share=(pl.col("attempt") > 1).mean())
        .filter(pl.col("heard") >= MIN_HEARD, pl.col("plain") == 1, pl.col("share").is_not_null())
        .sort("sender", "receiver")
        .collect(engine="streaming")
    )
    return {(sender, receiver): share for sender, receiver, _, _, share in rows.iter_rows()}


def _rows(exchanges: pl.LazyFrame, view: pl.DataFrame) -> pl.DataFrame:
    """Start times of data frames with RTS/CTS, and the number of ``unanswered`` RTS before each."""
    own = view.filter(pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender")))
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
    """TCP frames by start time: ``flow ack from_seq end_seq``; acknowledgements start two segments before their end."""
    length = pl.col("tcp_payload_bytes")
    ack = length == 0
    rows = frames.filter(pl.col("kind").is_in(["data", "qos_data"]), pl.col("proto") == "tcp", length.is_not_null())
    largest = rows.select(length.max()).collect(engine="streaming").item() or 0
    end = pl.when(ack).then("tcp_ack").otherwise(pl.col("transport_seq") + length)
    start = pl.when(ack).then(pl.col("tcp_ack") - 2 * largest).otherwise("transport_seq")
    return rows.select(*_RECORDER, "start_ns", "flow", ack=ack, from_seq=start, end_seq=end).collect(engine="streaming")


def _limit(least: int, seen: object) -> int:
    return min(MAX_LIMIT, max(least, seen)) if isinstance(seen, int) else least
