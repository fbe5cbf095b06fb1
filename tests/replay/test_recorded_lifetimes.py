"""Lifetimes of packets in queues, from frames at a source whose queue is known."""

from __future__ import annotations

from collections import deque

import polars as pl
import pytest

from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows.studied import select_flows
from winf_analyzer._replay.recorded.queueing import Queueing
from winf_analyzer._replay.recorded.queues.lifetimes import (
    MIN_GAPS,
    Gap,
    Lifetime,
    Waits,
    _events,
    flow_waits,
    lifetime,
    shown,
    waits,
)
from winf_analyzer._replay.recorded.queues.limits import QueueLimit, beyond
from winf_analyzer._schema import complete

MS = 1_000_000
SEGMENT = 1000


def frames_of(*, lifetime_ms=None, packets=None, services_ms=(2.0, 3.0), stamps=True, unheard=0):
    """A source that gets an acknowledgement every 5 ms, which lets three segments go: more than its station sends.

    The services alternate every 400 ms. `unheard`: of so many packets on the air the recorder misses one.
    """
    rows, waiting, number, seq, now = [], deque(), 0, 0, 0.0

    def put(sender, at_ms, **columns):
        there, back = ("a", "b") if sender == "a" else ("b", "a")
        stamp = round(at_ms) if stamps else None
        rows.append(
            {"ta": there, "ra": back, "src_ip": "10.0.0.1" if sender == "a" else "10.0.0.2",
             "start_ns": round(at_ms * MS), "end_ns": round((at_ms + 0.4) * MS), "payload_bytes": 48,
             "transport_seq": 0, "tcp_ack": 0, "tcp_payload_bytes": 0, "tcp_tsval": stamp, "tcp_tsecr": 0} | columns
        )  # fmt: skip

    free = 0.0
    for turn in range(800):
        now = 5.0 * turn
        put("b", now, tcp_ack=turn)
        for _ in range(3):
            if packets is None or len(waiting) < packets:
                waiting.append((number, now + 0.4, rows[-1]["tcp_tsval"]))
            number += 1
        while free < now + 5:
            while waiting and lifetime_ms is not None and free - waiting[0][1] > lifetime_ms:
                waiting.popleft()
            if not waiting:
                free = now + 5
                break
            which, since, echoed = waiting.popleft()
            free, seq = max(free, since), seq + 1
            if not (unheard and seq % unheard == 0):
                sizes = {"transport_seq": SEGMENT * which, "tcp_payload_bytes": SEGMENT, "payload_bytes": SEGMENT + 48}
                put("a", free, **sizes, tcp_tsecr=echoed, seq=seq % 4096)
            free += services_ms[int(now // 400) % len(services_ms)]
    common = {"layer": "mac", "kind": "data", "is_group": False, "proto": "tcp", "flow": "tcp 10.0.0.1:1 10.0.0.2:2"}
    frame = pl.DataFrame(rows, infer_schema_length=None).with_columns(
        source=pl.lit("s"), retry=pl.lit(False), fcs_ok=pl.lit(True), tid=pl.lit(0), tcp_flags=pl.lit(16)
    )
    frame = frame.with_columns(**{name: pl.lit(value) for name, value in common.items()})
    return complete(frame.sort("start_ns").lazy(), "frames")


def found(frames):
    (flow,) = select_flows(conversations.conversation_hops(frames), None, "run.winf")
    return lifetime(flow_waits(frames, [(flow, 0)]))


@pytest.mark.parametrize("lifetime_ms", [150, 500])
def test_what_waits_too_long_shows_the_lifetime(lifetime_ms):
    assert found(frames_of(lifetime_ms=lifetime_ms)).ns == pytest.approx(lifetime_ms * MS, rel=0.03)


def test_a_queue_that_is_full_of_packets_has_no_lifetime():
    """Its packets wait for 200 or 300 ms, and a hundred of them are before each that follows a gap."""
    shows = found(frames_of(packets=100))
    assert shows.ns is None
    assert shows.longest_ns == pytest.approx(300 * MS, rel=0.05)


def test_what_a_recorder_misses_is_no_gap_of_a_queue():
    assert found(frames_of(lifetime_ms=500, unheard=2)).ns is None
    assert found(frames_of(lifetime_ms=500, unheard=50)).ns == pytest.approx(500 * MS, rel=0.03)
    frames = frames_of(services_ms=(1.0,), unheard=7)
    (flow,) = select_flows(conversations.conversation_hops(frames), None, "run.winf")
    assert waits(_events(frames, flow)).gaps == [], "nothing was dropped"


def test_without_time_stamps_nothing_is_known():
    shows = found(frames_of(lifetime_ms=500, stamps=False))
    assert (shows.ns, shows.longest_ns) == (None, 0)


def test_a_lifetime_takes_gaps_enough_and_nothing_that_waited_longer():
    gaps = [Gap(500 * MS - n * MS, 200 + 10 * n) for n in range(MIN_GAPS)]
    assert shown(gaps, 500 * MS) == pytest.approx(500 * MS, rel=0.01)
    assert shown(gaps[1:], 500 * MS) is None
    assert shown(gaps, 600 * MS) is None, "a packet that waited longer was not dropped"
    assert shown([gap._replace(before=200) for gap in gaps], 500 * MS) is None, (
        "as many packets each time: a full queue"
    )
    assert shown([gap._replace(age_ns=gap.age_ns // 100) for gap in gaps], 5 * MS) is None


def test_a_wire_behind_the_source_is_no_wait():
    frames = frames_of(lifetime_ms=500)
    (flow,) = select_flows(conversations.conversation_hops(frames), None, "run.winf")
    events = _events(frames, flow)
    near, far = waits(events), waits(events, wire_ns=40 * MS)
    assert isinstance(near, Waits)
    assert far.longest_ns == pytest.approx(near.longest_ns - 40 * MS, abs=5 * MS)


def test_of_queues_that_drop_by_age_the_packet_limit_is_open():
    limit = beyond(250)
    assert limit.bounds[0] == 250
    assert limit.bounds[0] < limit.packets < limit.bounds[1]
    assert "age" in limit.note


@pytest.mark.parametrize(
    ("longest_ns", "retransmitted_ns", "least_ns"), [(40, 90, 90), (120, 90, 120)], ids=["retransmissions", "segments"]
)
def test_no_lifetime_is_shorter_than_what_has_waited(longest_ns, retransmitted_ns, least_ns):
    limit = QueueLimit(50, (10, 100), "a limit", retransmitted_ns)
    unknown = Queueing(limit, Lifetime(None, longest_ns), is_above=False, notes=[])
    assert unknown.least_lifetime_ns == least_ns
    assert unknown.queue == {"packets": 50}
    known = unknown._replace(lifetime=Lifetime(200, longest_ns))
    assert known.least_lifetime_ns is None
    assert known.queue == {"packets": 50, "lifetime_ns": 200}
