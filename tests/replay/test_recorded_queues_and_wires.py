"""Limits of queues and delays of wires, from frames of a TCP flow whose queue and wire are known."""

from __future__ import annotations

from types import SimpleNamespace

import polars as pl
import pytest
from exchange_builder import exchange, table

from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows import wires as wires_of
from winf_analyzer._replay.recorded.flows.studied import select_flows
from winf_analyzer._replay.recorded.flows.wires import Wires, one_each, wires, with_wires
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
from winf_analyzer._replay.recorded.traffic import _as_at_other_flows
from winf_analyzer._replay.topologies.world import wired
from winf_analyzer._schema import complete

SERVICE_NS = 2_000_000
ACCESS_NS = 100_000
SEGMENT = 1000
SYN, ACK = 2, 16


def frames_of(queue, *, losses=1, on_air=False, source_ns=0, destination_ns=0):
    """A source whose window grows until its queue of so many packets drops a segment, and its retransmission.

    `losses`: how often that happens; `on_air`: the channel loses the segment in place of the queue. The times are what
    hosts need beside the stations to answer.
    """
    rows, now = [], 0

    def put(at_ns, sender, *, number=0, ack=0, length=0, flags=ACK):
        there, back = ("a", "b") if sender == "a" else ("b", "a")
        rows.append(
            {
                "ta": there, "ra": back, "src_ip": "10.0.0.1" if sender == "a" else "10.0.0.2", "tcp_flags": flags,
                "transport_seq": number, "tcp_ack": ack, "tcp_payload_bytes": length, "payload_bytes": 48 + length,
                "start_ns": at_ns, "end_ns": at_ns + SERVICE_NS // 2,
            }
        )  # fmt: skip

    put(0, "a", flags=SYN)
    put(SERVICE_NS + destination_ns, "b", flags=SYN | ACK)
    now = 2 * SERVICE_NS + destination_ns + source_ns
    put(now, "a")
    waiting, following, window, expected, duplicates = [], 0, 10.0, 0, 0
    received: set[int] = set()
    dropped = retransmitted = None
    while losses:
        now += SERVICE_NS
        while following < expected + window and retransmitted is None:
            if len(waiting) < queue or dropped is not None:
                waiting.append(following)
            elif not on_air:
                dropped = following
            else:
                dropped = following
                waiting.append(following)
            following += 1
        segment = waiting.pop(0)
        put(now, "a", number=SEGMENT * segment, length=SEGMENT)
        if on_air and segment == dropped and retransmitted is None:
            continue
        received.add(segment)
        before = expected
        while expected in received:
            expected += 1
        put(now + SERVICE_NS // 2 + 1000 + destination_ns, "b", ack=SEGMENT * expected)
        duplicates = duplicates + 1 if expected == before else 0
        window += 1 / window
        if duplicates == 3 and retransmitted is None:
            waiting.append(expected)
            retransmitted = expected
        if not waiting:
            losses, dropped, retransmitted, window = losses - 1, None, None, window / 2
    common = {"layer": "mac", "kind": "data", "is_group": False, "proto": "tcp", "flow": "tcp 10.0.0.1:1 10.0.0.2:2"}
    frame = pl.DataFrame(rows).with_columns(source=pl.lit("s"), retry=pl.lit(False), fcs_ok=pl.lit(True))
    frame = frame.with_columns(**{name: pl.lit(value) for name, value in common.items()})
    return complete(frame.sort("start_ns").lazy(), "frames")


def flow_of(frames):
    (flow,) = select_flows(conversations.conversation_hops(frames), None, "run.winf")
    return flow


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


def test_stations_answer_at_once():
    frames = frames_of(20)
    assert wires(frames, flow_of(frames)) == Wires(0, 0)


def test_hosts_behind_wires_answer_later():
    frames = frames_of(20, source_ns=40_000_000, destination_ns=10_000_000)
    found = wires(frames, flow_of(frames))
    assert found.source_ns == pytest.approx(40e6, abs=2e6)
    assert found.destination_ns == pytest.approx(10e6, abs=1e6)


def test_the_handshake_of_another_flow_tells_of_no_wire():
    """Its SYN-ACK came 4 ms before the SYN of this flow, which is no answer to it."""
    frames = frames_of(20, source_ns=40_000_000).collect()
    syn_ack = frames.filter(pl.col("tcp_flags") == SYN | ACK)
    other = syn_ack.with_columns(
        flow=pl.lit("tcp 10.0.0.1:3 10.0.0.2:4"),
        start_ns=pl.lit(-5_000_000, frames.schema["start_ns"]),
        end_ns=pl.lit(-4_000_000, frames.schema["end_ns"]),
    )
    both = pl.concat([other, frames]).lazy()
    assert wires(both, flow_of(frames.lazy())).source_ns == pytest.approx(40e6, abs=2e6)


def test_an_answer_whose_first_attempt_was_not_heard_shows_no_wire():
    frames = frames_of(20, source_ns=40_000_000).collect()
    answer = frames.with_row_index().filter((pl.col("ta") == "a") & (pl.col("tcp_flags") == ACK))["index"][0]
    again = frames.with_columns(retry=pl.int_range(pl.len()) == answer).lazy()
    assert wires(frames.lazy(), flow_of(frames.lazy())).source_ns == pytest.approx(40e6, abs=2e6)
    assert wires(again, flow_of(again)).source_ns is None
    soon = frames_of(20).collect().with_columns(retry=pl.int_range(pl.len()) == answer).lazy()
    assert wires(soon, flow_of(soon)).source_ns == 0, "one that comes soon came soon"


def test_an_answer_that_was_not_heard_shows_no_wire():
    """What is heard first of a source is a later segment; the answer to the SYN-ACK came before it."""
    frames = frames_of(20, source_ns=40_000_000).collect()
    syn_ack = frames.filter(pl.col("tcp_flags") == SYN | ACK)["end_ns"][0]
    is_own = (pl.col("ta") == "a") & (pl.col("start_ns") > syn_ack)
    heard = frames.filter(~is_own | (pl.col("transport_seq") >= 10 * SEGMENT))
    assert wires(frames.lazy(), flow_of(frames.lazy())).source_ns == pytest.approx(40e6, abs=3e6)
    found = wires(heard.lazy(), flow_of(heard.lazy()))
    assert found.source_ns is None
    assert found.most_source_ns == 63_000_000, "it took no longer"


def test_a_fast_answer_shows_that_there_is_no_wire_whatever_else_the_station_sent():
    def beside(source_ns):
        frames = frames_of(20, source_ns=source_ns).collect()
        answer = frames.filter((pl.col("ta") == "a") & (pl.col("tcp_flags") == ACK)).head(1)
        at_ns = answer["start_ns"][0]
        other = answer.with_columns(flow=pl.lit("x"), start_ns=at_ns - 200_000, end_ns=pl.lit(at_ns - 9))
        again = frames.with_columns(retry=pl.col("start_ns") == at_ns)
        crowded = pl.concat([again, other], how="vertical_relaxed").sort("start_ns").lazy()
        return wires(crowded, flow_of(frames.lazy()))

    assert beside(0).source_ns == 0
    assert beside(0).most_source_ns is None
    slow = beside(40_000_000)
    assert slow.source_ns is None
    assert slow.most_source_ns == pytest.approx(40e6, abs=2e6)


def source_ns_beside(*, busy_ns, until_ns=44_000_000, idle_until_ns=44_000_000):
    """What is found of a wire of 40 ms beside two stations that send so long every 4 ms, or from a time on always."""

    def lasts(at):
        return busy_ns if at < idle_until_ns else 3_990_000

    frames = frames_of(20, source_ns=40_000_000)
    busy = frames.filter(pl.col("ta") == "a").head(1).collect()
    other = busy.with_columns(ta=pl.lit("c"), ra=pl.lit("d"), flow=pl.lit("x"))
    others = [
        other.with_columns(
            start_ns=pl.lit(at, pl.Int64), end_ns=pl.lit(at + (busy_ns if at < idle_until_ns else 3_990_000), pl.Int64)
        )
        for at in range(4_000_000, until_ns, 4_000_000)
    ]
    crowded = pl.concat([frames.collect(), *others]).sort("start_ns").lazy()
    return wires(crowded, flow_of(frames)).source_ns


def test_an_answer_came_late_if_its_station_left_an_idle_medium_alone_shortly_before():
    assert source_ns_beside(busy_ns=3_000_000) == pytest.approx(40e6, abs=2e6), "idle for 1 ms"
    assert source_ns_beside(busy_ns=3_500_000) is None, "idle for less than a first attempt may take"
    assert source_ns_beside(busy_ns=3_000_000, until_ns=30_000_000) == pytest.approx(40e6, abs=2e6)
    assert source_ns_beside(busy_ns=3_000_000, idle_until_ns=20_000_000) is None, "long before"


def echoes(*, source_ns=0, window=4, interval_ns=0, tick_ns=1_000_000, stamps=True):
    """A transfer that began before the recording: segments echo the time stamps of the acknowledgements.

    The source keeps `window` segments on the way, or with `interval_ns` writes one segment in that time. It sits behind
    a wire of `source_ns` there and back; the destination's clock ticks every `tick_ns`.
    """
    rows, free, newest, sent = [], 0, 0, 0
    pending = [(index * 1000, 0) for index in range(window)] if not interval_ns else []
    pending += [(index * interval_ns, None) for index in range(100) if interval_ns]
    answers: list[tuple[int, int]] = []  # when an acknowledgement reaches the source, and its time stamp
    while pending and sent < 100:
        written, echo = pending.pop(0)
        if echo is None:
            echo = max((stamp for at, stamp in answers if at <= written), default=0)
        start = max(written + source_ns // 2 + ACCESS_NS, free)
        free = start + SERVICE_NS
        acked = start + SERVICE_NS // 2 + 1000
        newest = acked // tick_ns + 1
        common = {"tcp_flags": ACK, "transport_seq": SEGMENT * sent, "tcp_ack": SEGMENT * (sent + 1)}
        there = common | {"ta": "a", "ra": "b", "src_ip": "10.0.0.1", "tcp_payload_bytes": SEGMENT}
        there |= {"payload_bytes": 48 + SEGMENT, "start_ns": start, "end_ns": start + SERVICE_NS // 2}
        back = common | {"ta": "b", "ra": "a", "src_ip": "10.0.0.2", "tcp_payload_bytes": 0, "payload_bytes": 48}
        back |= {"start_ns": acked, "end_ns": acked + SERVICE_NS // 4}
        if stamps:
            there |= {"tcp_tsval": sent, "tcp_tsecr": echo}
            back |= {"tcp_tsval": newest, "tcp_tsecr": sent}
        rows += [there, back]
        answers.append((acked + SERVICE_NS // 4 + source_ns // 2, newest))
        if not interval_ns:
            pending.append(answers[-1])
        sent += 1
    common = {"layer": "mac", "kind": "data", "is_group": False, "proto": "tcp", "flow": "tcp 10.0.0.1:1 10.0.0.2:2"}
    frame = pl.DataFrame(rows).with_columns(source=pl.lit("s"), retry=pl.lit(False), fcs_ok=pl.lit(True))
    frame = frame.with_columns(**{name: pl.lit(value) for name, value in common.items()})
    return complete(frame.sort("start_ns").lazy(), "frames")


def source_wire_ns(frames):
    return wires(frames, flow_of(frames)).source_ns


@pytest.mark.parametrize("wire_ms", [8, 40, 150])
@pytest.mark.parametrize("tick_ns", [1_000_000, 4_000_000])
def test_time_stamps_show_a_source_s_wire_where_no_handshake_was_recorded(wire_ms, tick_ns):
    frames = echoes(source_ns=wire_ms * 1_000_000, window=3, tick_ns=tick_ns)
    assert source_wire_ns(frames) == pytest.approx(wire_ms * 1e6, abs=1.5e6)
    assert source_wire_ns(echoes(source_ns=wire_ms * 1_000_000, window=3, stamps=False)) is None


def test_time_stamps_of_a_source_without_a_wire():
    assert source_wire_ns(echoes(window=1)) == 0


def test_what_waited_in_the_station_s_queue_shows_no_wire():
    assert source_wire_ns(echoes(window=30)) is None


def test_what_waited_for_the_application_shows_no_wire():
    assert source_wire_ns(echoes(interval_ns=20_000_000)) is None
    assert source_wire_ns(echoes(interval_ns=20_000_000, source_ns=50_000_000)) is None, "nor how long one is"


def test_no_wire_is_longer_than_the_fastest_echo(monkeypatch):
    """What was taken for the answer to the SYN-ACK came after two seconds; time stamps were echoed after 40 ms."""
    frames = echoes(source_ns=40_000_000)
    monkeypatch.setattr(wires_of, "_source_ns", lambda *_: 2_000_000_000)
    found = wires(frames, flow_of(frames))
    assert found.source_ns is None
    assert 40_000_000 <= found.most_source_ns < 60_000_000
    monkeypatch.setattr(wires_of, "_source_ns", lambda *_: 30_000_000)
    assert wires(frames, flow_of(frames)).source_ns == 30_000_000


@pytest.mark.parametrize(
    ("answered_ms", "found"), [([1, 2], (0, None)), ([1, 30], (None, 30_000_000)), ([1], (None, None))]
)
def test_a_source_that_acknowledges_segments_at_once_has_no_wire(answered_ms, found):
    """One answer may be that of a copy which was not heard; without time stamps nothing else tells."""
    sent = echoes(interval_ns=20_000_000, stamps=False).collect()
    there, back = sent.row(0, named=True), sent.row(1, named=True)
    rows = []
    for nth, answer_ms in enumerate(answered_ms):
        came_ns, number = (10 + nth) * 1_000_000_000, 100_000 + 500 * nth
        segment = {"transport_seq": number, "tcp_payload_bytes": 500, "payload_bytes": 548, "tcp_ack": 0}
        rows.append(back | segment | {"start_ns": came_ns - 200_000, "end_ns": came_ns})
        answered = {"tcp_ack": number + 500, "tcp_payload_bytes": 0, "payload_bytes": 48}
        answered |= {"start_ns": came_ns + answer_ms * 1_000_000, "end_ns": came_ns + answer_ms * 1_000_000 + 100_000}
        rows.append(there | answered)
    frames = pl.concat([sent, pl.DataFrame(rows, schema=sent.schema)]).lazy()
    told = wires(frames, flow_of(frames))
    assert (told.source_ns, told.most_source_ns) == found


def test_flows_of_one_host_have_one_wire():
    def flow(name, origin, station):
        return SimpleNamespace(name=name, first={"origin": origin}, path=(station, "x"))

    flows = [
        flow("f", "10.0.0.1", "a"),
        flow("g", "10.0.0.1", "a"),
        flow("h", "10.0.0.1", "b"),
        flow("i", "10.0.0.2", "a"),
    ]
    unknown = Wires(None, 0, 50_000_000)
    found = _as_at_other_flows(flows, {"f": Wires(7_000_000, 0), "g": unknown, "h": unknown, "i": unknown})
    assert found == {"f": Wires(7_000_000, 0), "g": Wires(7_000_000, 0), "h": unknown, "i": unknown}


def test_a_world_gets_hosts_behind_its_stations():
    flow = flow_of(frames_of(20))
    spec, links = with_wires({"path": ["a", "b"]}, flow, Wires(40_000_000, 10_000_000))
    assert spec["path"] == ["host 10.0.0.1", "a", "b", "host 10.0.0.2"]
    assert [link["medium"]["wired"]["delay_ns"] for link in links] == [20_000_000, 5_000_000]
    assert with_wires({"path": ["a", "b"]}, flow, Wires(0, None)) == ({"path": ["a", "b"]}, [])
    _, (open_one,) = with_wires({"path": ["a", "b"]}, flow, Wires(None, 0, 9_000_000))
    assert open_one["medium"]["wired"]["delay_ns"] == 0, "for worlds to be drawn with one"


def test_a_flow_to_a_host_and_one_from_it_share_its_wire():
    """Each shows a delay of its own: the world had two links of one name, and no replay began."""
    down, up, other = wired("host h", "a", 1, 5_100_000), wired("a", "host h", 1, 5_000_000), wired("host i", "a", 1, 0)
    links = one_each([down, up, other])
    assert [(link["from"], link["medium"]["wired"]["delay_ns"]) for link in links] == [
        ("host h", 5_000_000),
        ("host i", 0),
    ]
    open_one = wired("host h", "a", 1, 0)
    assert [link["medium"]["wired"]["delay_ns"] for link in one_each([open_one, up])] == [5_000_000]


def test_what_was_seen_to_wait_fits_into_a_queue_of_which_no_drop_is_known():
    presumed = limit_of([], 0)
    assert presumed.holding(5) == presumed
    held = presumed.holding(200)
    assert held.bounds == (200, 1000)
    assert 200 < held.packets < 1000
    assert held.holding(1500).bounds == (1500, 1500)
    known = limit_of([60, 60], 60)
    assert known.holding(200) == known
