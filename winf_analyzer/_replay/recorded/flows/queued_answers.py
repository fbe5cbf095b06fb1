"""How long a source behind a wire takes to answer, where its station's queue is never empty.

A queue sends in the order of entry. A station's own acknowledgements enter it when what they acknowledge has come in;
so a packet of another conversation that leaves between two of them came to the station between these two instants.
"""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay.recorded.flows.conversations import DUPLICATES

SYN, ACK = 2, 16

SHARPEST_NS, SHARP_SHARE = 5_000_000, 0.25
"""Bounds that are farther apart, and by more than this share of the upper one, tell nothing."""

MIN_WAIT_NS = 5_000_000
"""Acknowledgements that wait less beside segments that are late may have a queue of their own (FQ-CoDel)."""

MIN_AGREEING = 2
"""Least number of answers that a delay has to explain, and half of all: timeouts and selective acknowledgements send
segments at other times."""


def after_handshake_ns(events: pl.DataFrame, station: str, opened_ns: int, answered_ns: int) -> int | None:
    """The longest time that the source may have taken from the arrival of a SYN-ACK until the answer came."""
    found = _bounds(pl.DataFrame({"told_ns": [opened_ns], "sent_ns": [answered_ns]}), _entries(events, station))
    return int(found["most"][0]) if len(found) else None


def after_duplicates_ns(events: pl.DataFrame, station: str) -> int | None:
    """The time from the third duplicate acknowledgement until the segment that it asks for came to the station.

    The longest of those that most of a flow's recoveries allow.

    Args:
        events: of :func:`.wires._events`, first attempts.
        station: that of the source.
    """
    own = events.filter("is_own")
    is_ack = (pl.col("ra") == station) & (pl.col("length") == 0) & ((pl.col("flags") & SYN) == 0)
    acks = own.filter(is_ack).with_columns(run=pl.col("ack").rle_id())
    acks = acks.with_columns(place=pl.int_range(pl.len()).over("run"))
    asked = acks.filter(pl.col("place") == DUPLICATES).select(number="ack", told_ns="end_ns")
    sent = own.filter(pl.col("ta") == station, pl.col("length") > 0).select("number", sent_ns="at_ns")
    again = asked.join(sent, on="number").filter(pl.col("sent_ns") > pl.col("told_ns"))
    again = again.group_by("told_ns").agg(pl.col("sent_ns").min()).sort("sent_ns")
    found = _bounds(again, _entries(events, station)).filter(pl.col("waited_ns") >= MIN_WAIT_NS)
    agreeing = [(int(((found["least"] <= most) & (most <= found["most"])).sum()), most) for most in found["most"]]
    number, most = max(agreeing, default=(0, 0))
    return most if number >= MIN_AGREEING and 2 * number >= len(found) else None


def _entries(events: pl.DataFrame, station: str) -> pl.DataFrame:
    """Acknowledgements that a station made itself, and when they entered its queue: ``at_ns entered_ns``."""
    others = events.filter(~pl.col("is_own").fill_null(False))
    arrived = others.filter((pl.col("ra") == station) & (pl.col("length") > 0))
    arrived = arrived.select("conversation", upto=pl.col("number") + pl.col("length"), entered_ns="end_ns")
    arrived = arrived.unique(["conversation", "upto"], keep="first")
    acks = others.filter((pl.col("ta") == station) & (pl.col("length") == 0) & ((pl.col("flags") & SYN) == 0))
    step = pl.col("ack").diff().over("conversation")
    # What follows a duplicate closes a gap: it was made when the missing segment came, not the last one.
    acks = acks.with_columns(step=step).filter(pl.col("step") > 0, pl.col("step").shift(1).over("conversation") != 0)
    own_tid = events.filter("is_own", pl.col("ta") == station)["tid"].first()
    acks = acks.filter(pl.col("tid").eq_missing(pl.lit(own_tid)))
    found = acks.join(arrived, left_on=["conversation", "ack"], right_on=["conversation", "upto"])
    return found.filter(pl.col("entered_ns") <= pl.col("at_ns")).select("at_ns", "entered_ns").sort("at_ns")


def _bounds(answers: pl.DataFrame, entries: pl.DataFrame) -> pl.DataFrame:
    """With ``least`` and ``most``, ns from ``told_ns`` until a packet that left at ``sent_ns`` entered the queue.

    Of those for which the two are near one another.
    """
    before = entries.select(before_ns="entered_ns", waited_ns=pl.col("at_ns") - pl.col("entered_ns"), sent_ns="at_ns")
    after = entries.select(after_ns="entered_ns", sent_ns="at_ns")
    found = answers.sort("sent_ns").join_asof(before, on="sent_ns", strategy="backward")
    found = found.join_asof(after, on="sent_ns", strategy="forward").with_columns(
        least=pl.col("before_ns") - pl.col("told_ns"),
        most=pl.min_horizontal("after_ns", "sent_ns") - pl.col("told_ns"),
    )
    uncertain = pl.col("most") - pl.col("least") > pl.max_horizontal(SHARPEST_NS, SHARP_SHARE * pl.col("most"))
    return found.drop_nulls(["least", "after_ns"]).filter(~uncertain)
