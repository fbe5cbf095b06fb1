"""Limits of queues, from frames of a TCP flow whose queue is known."""

from __future__ import annotations

import polars as pl
import pytest
from exchange_builder import exchange, table
from transfers import SEGMENT, SERVICE_NS, flow_of, frames_of

from winf_analyzer._replay.recorded.queues import limits
from winf_analyzer._replay.recorded.queues.limits import (
    PRESUMED_BOUNDS,
    Retransmission,
    _without_outliers,
    full_of,
    limit_of,
    queue_limit,
    retransmissions,
)
from winf_analyzer._replay.recorded.queues.releases import Drop, Releases
from winf_analyzer._replay.recorded.queues.unseen_wires import unseen_wires
from winf_analyzer._schema import complete


def limit(frames, exchanges=(), rts_attempts=7, mpdus=None, wire_ns=None):
    return queue_limit(frames, table(list(exchanges)), [(flow_of(frames), wire_ns)], rts_attempts, mpdus or {})


@pytest.mark.parametrize("queue", [20, 60])
def test_what_waits_before_a_retransmission_is_the_limit_of_a_queue_that_dropped(queue):
    frames = frames_of(queue, losses=2)
    found = limit(frames)
    assert found.packets == queue - 3, "three acknowledged segments, which nothing followed"
    assert found.bounds[0] <= queue <= found.bounds[1] <= queue + 4
    assert "observed" in found.note


def test_of_an_a_mpdu_that_was_answered_half_has_left():
    frames = frames_of(60, losses=2)
    single, several = limit(frames), limit(frames, mpdus={("a", "b"): 16, ("b", "a"): 40})
    assert several.packets == single.packets + 8
    assert several.bounds == (single.bounds[0], single.bounds[1] + 15)
    assert "A-MPDU" in several.note
    assert "A-MPDU" not in single.note


def test_one_drop_leaves_room_above():
    frames = frames_of(60)
    assert limit(frames).bounds[1] > 100


def test_a_retransmission_that_was_lost_itself_is_no_queue():
    assert limit_of([46, 137, 42], 0).bounds == (42, 50)
    assert limit_of([46, 80, 42], 0).packets == 80, "a queue may have been shorter at other times"
    assert limit_of([47, 9], 0).packets == 47
    assert _without_outliers([126, 37, 30]) == [37, 30], "which waited at least; no queue was full"
    assert "once" in limit_of([46, 80, 42], 0).note


def numbered(frames, heard_late=0, heard_again=0):
    """The frames with numbers; of one in so many the first attempt collided at the recorder, or both are heard."""
    place = pl.int_range(pl.len()).over("ta")
    rows = frames.collect().with_columns(seq=(place % 4096).cast(pl.Int32), place=place)
    if heard_late:
        rows = rows.with_columns(retry=pl.col("place") % heard_late == 0)
    again = rows.filter(pl.lit(heard_again > 0) & (pl.col("place") % max(heard_again, 1) == 0))
    again = again.with_columns(pl.col("start_ns", "end_ns") + SERVICE_NS // 4, retry=pl.lit(True))
    return pl.concat([rows, again]).sort("start_ns", maintain_order=True).drop("place").lazy()


@pytest.mark.parametrize("repeated", [{"heard_late": 3}, {"heard_again": 4}])
def test_packets_count_once_at_the_attempt_that_is_heard_first(repeated):
    frames = frames_of(60, losses=2)
    assert limit(numbered(frames, **repeated)) == limit(frames)


def recovered(sent, acked):
    """What is found where a source sends these segments, and some are answered by the number of the next expected."""
    rows, now = [], 0
    for segment in sent:
        now += SERVICE_NS
        rows.append({"ta": "a", "ra": "b", "transport_seq": SEGMENT * segment, "tcp_payload_bytes": SEGMENT, "at": now})
        if segment in acked:
            ack, at = SEGMENT * acked[segment], now + SERVICE_NS // 2
            rows.append({"ta": "b", "ra": "a", "tcp_ack": ack, "tcp_payload_bytes": 0, "at": at})
    template = frames_of(20).collect().head(1).drop("ta", "ra", "transport_seq", "tcp_ack", "tcp_payload_bytes")
    frames = pl.DataFrame(rows).with_columns(start_ns="at", end_ns=pl.col("at") + SERVICE_NS // 4).drop("at")
    frames = template.drop("start_ns", "end_ns", "src_ip").join(frames, how="cross")
    ip = pl.when(pl.col("ta") == "a").then(pl.lit("10.0.0.1")).otherwise(pl.lit("10.0.0.2"))
    found = complete(frames.with_columns(src_ip=ip, payload_bytes=48 + pl.col("tcp_payload_bytes")).lazy(), "frames")
    return [(each.is_dropped, each.waiting) for each in retransmissions(found, flow_of(found), 0)]


@pytest.mark.parametrize("queue", [20, 60])
def test_what_waits_when_a_segment_is_dropped_is_the_limit(queue):
    """The model's source sends nothing beyond its window at the first duplicates: two segments seem to be missing."""
    frames = frames_of(queue, losses=3)
    found = limit(frames, wire_ns=0)
    assert found.packets == queue - 3, "and one is in service"
    assert found.bounds[0] <= queue <= found.bounds[1]
    assert found.is_from_drops
    assert not limit(frames).is_from_drops, "it is not known when segments came to the station"


def test_of_a_window_that_was_just_reduced_nothing_is_known():
    """It may have been that of slow start, which doubles until the loss is known."""
    releases = Releases(SEGMENT)
    for place in range(200):
        releases.sent(SEGMENT * place, place)
        releases.acknowledged(SEGMENT * (place + 1), SERVICE_NS * (place + 1))
    sent_ns = [SERVICE_NS * (place + 20) for place in range(200)]
    following = SEGMENT * 171
    drop = releases.drop(SEGMENT * 150, 0, following, sent_ns)
    assert drop is not None
    assert drop.acked_ns == SERVICE_NS * 132, "18 segments are behind the missing one, besides the two of duplicates"
    assert drop.waiting(0) == 150 - 113
    assert drop.waiting(10 * SERVICE_NS) == 150 - 123
    assert drop.wire_ns(150 - 123) == pytest.approx(10 * SERVICE_NS, abs=SERVICE_NS)
    assert drop.wire_ns(150) is None
    assert releases.drop(SEGMENT * 150, SEGMENT * 90, following, sent_ns) is None


def test_the_most_that_two_drops_agree_on_is_the_limit():
    assert full_of([35, 23, 34, 49, 24]).packets == 35
    assert full_of([80]).packets == 80
    assert full_of([2, 3]) is None
    assert full_of([]) is None


def limit_by(monkeypatch, *found: Retransmission):
    """The limit that such retransmissions of a flow without a wire show."""
    monkeypatch.setattr(limits, "retransmissions", lambda *_: list(found))
    return limit(frames_of(20), wire_ns=0)


def full(waiting: int, packets: int) -> Retransmission:
    """One of a segment that was dropped while so many packets waited; before its retransmission `waiting` did."""
    return Retransmission(True, waiting, 4_000_000, Drop(0, tuple(range(1, packets + 1))))


def test_a_queue_that_emptied_before_the_retransmission_was_full_at_the_drop(monkeypatch):
    assert limit_by(monkeypatch, full(2, 50), full(3, 50)).packets == 49, "besides the one in service"
    assert limit_by(monkeypatch, full(2, 50), full(0, 7)).packets == 49, "seven are no queue"


def test_a_queue_that_held_more_than_at_a_drop_was_not_full_then(monkeypatch):
    """The window seems smaller than it was where its last segments were dropped with the first."""
    found = limit_by(monkeypatch, full(298, 4), full(125, 220))
    assert found.bounds[0] <= 298 <= found.packets <= found.bounds[1]
    assert limit_by(monkeypatch, full(53, 50), full(2, 50)).packets == 49, "which are three acknowledged ones more"


def test_a_limit_that_is_known_shows_a_wire():
    frames = frames_of(60, losses=3)
    flow = flow_of(frames)
    seen = limit(frames, wire_ns=0)
    assert unseen_wires(frames, [flow], seen) == {flow.name: 0}
    shorter = seen._replace(packets=seen.packets - 30)
    assert unseen_wires(frames, [flow], shorter)[flow.name] == pytest.approx(30 * SERVICE_NS, abs=2 * SERVICE_NS)
    assert unseen_wires(frames, [flow], shorter._replace(is_from_drops=False)) == {}
    assert unseen_wires(frames, [flow], seen._replace(packets=seen.packets + 30)) == {}, "so many never waited"


GROWING = [n for n in range(30) if n not in (5, 20)]
UNTIL_5 = {n: n + 1 for n in range(5)} | dict.fromkeys((6, 7, 8), 5)
"""Two segments are dropped; the source learns of the first when 8 is received, and 20 more wait."""


def test_a_second_loss_of_one_window_is_repaired_in_the_same_recovery():
    assert recovered([*GROWING, 5, 30, 31, 32, 33, 20, 34], UNTIL_5 | dict.fromkeys((5, 30, 31, 32), 20)) == [
        (True, 20)
    ]


def test_of_a_retransmission_that_was_dropped_later_ones_come_first():
    assert recovered([*GROWING, 20, 30, 31, 5, 32], UNTIL_5) == []


def test_what_the_channel_loses_says_nothing_of_a_limit():
    frames = frames_of(60, losses=2, on_air=True)
    found = limit(frames)
    assert found.bounds[1] == PRESUMED_BOUNDS[1]
    assert 40 <= found.bounds[0] <= 60, "that many have waited"
    assert "assumed" in found.note


def test_packets_without_an_answer_to_their_rts_never_were_on_the_air():
    frames = frames_of(60, losses=2)
    failed = [exchange(1e4 * n, kind="rts_failed", sender="a", receiver="b", attempt=7) for n in range(2)]
    assert limit(frames, failed).bounds[1] == PRESUMED_BOUNDS[1], "a third station does not hear all of them"
    own = [row | {"observer": "a"} for row in failed]
    assert limit(frames, own).bounds[1] == PRESUMED_BOUNDS[1]
    assert limit(frames, own[:1]).bounds[1] <= 64
    assert limit(frames, own, rts_attempts=255).bounds[1] <= 64, "whose RTS are repeated more often gave up nothing"


def test_of_packets_that_were_given_up_a_sequence_number_is_missing():
    frames = frames_of(60, losses=2)
    failed = [exchange(1e4 * n, kind="rts_failed", sender="a", receiver="b", attempt=7) for n in range(2)]
    assert limit(numbered(frames), failed).bounds[1] <= 64, "none is"


def test_segments_of_which_no_attempt_was_heard_are_no_drops():
    frames = numbered(frames_of(60, losses=2, on_air=True)).collect()
    twice = frames.filter(pl.col("tcp_payload_bytes") > 0, pl.len().over("transport_seq") == 2)
    unheard = frames.join(twice.unique("transport_seq", keep="first"), on="start_ns", how="anti").lazy()
    assert len(twice) == 4
    assert limit(unheard.with_columns(seq=pl.lit(None, pl.Int32))).bounds[1] <= 64, "they seem dropped"
    found = limit(unheard)
    assert found.bounds[1] == PRESUMED_BOUNDS[1], "the MAC numbered them"
    assert 40 <= found.bounds[0] <= 60


def test_one_long_wait_that_may_have_been_two_is_no_queue():
    assert limit_of([], 60).packets == 60
    frames = frames_of(60, losses=2)
    failed = [exchange(1e4 * n, kind="rts_failed", sender="a", receiver="b", attempt=7, observer="a") for n in range(2)]
    found = retransmissions(frames, flow_of(frames), 0)
    waited = [each.waiting for each in found]
    assert len(waited) == 2
    assert [each.waited_ns / SERVICE_NS for each in found] == pytest.approx(waited, abs=3)
    assert limit(frames).longest_ns == max(each.waited_ns for each in found)
    assert limit(frames, failed).packets == max(50, *waited)
    assert _without_outliers([*waited, 3 * max(waited)]) == sorted(waited, reverse=True)


def test_segments_that_the_recorder_missed_are_no_drops():
    frames = frames_of(60, losses=2).filter((pl.col("transport_seq") // SEGMENT % 10 != 3) | (pl.col("ta") == "b"))
    assert limit(frames).bounds == PRESUMED_BOUNDS


def test_what_was_seen_to_wait_fits_into_a_queue_of_which_no_drop_is_known():
    presumed = limit_of([], 0)
    assert presumed.holding(5) == presumed
    held = presumed.holding(200)
    assert held.bounds == (200, 1000)
    assert 200 < held.packets < 1000
    assert held.holding(1500).bounds == (1500, 1500)
    known = limit_of([60, 60], 60)
    assert known.holding(200) == known
