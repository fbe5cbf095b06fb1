"""Limits of queues of acknowledgements, from frames at a receiver whose queue is known."""

from __future__ import annotations

from collections import deque

import polars as pl
import pytest
from exchange_builder import table

from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows.studied import select_flows
from winf_analyzer._replay.recorded.queues.limits import QueueLimit, or_standing, queue_limit
from winf_analyzer._replay.recorded.queues.standing_queues import MIN_SAMPLES, _found, full_at, standing_limit
from winf_analyzer._schema import complete

SLOT_NS = 1_000_000
SEGMENT = 1000
SYN, ACK = 2, 16


def frames_of(queue, *, segments_per_turn=4, window=None, retries=False, rounds=400):
    """A receiver that acknowledges every second segment, and sends one packet per so many segments that arrive.

    Besides the one in service so many packets fit into its queue. `window`: most segments in flight; `retries`: each
    segment is heard twice, and its second attempt arrives.
    """
    rows, now, number, acknowledged, seq = [], 0, 0, 0, 0
    waiting: deque[int] = deque()

    def put(sender, *, number=0, ack=0, length=0, flags=ACK, retry=False):
        there, back = ("a", "b") if sender == "a" else ("b", "a")
        rows.append(
            {
                "ta": there, "ra": back, "src_ip": "10.0.0.1" if sender == "a" else "10.0.0.2", "tcp_flags": flags,
                "transport_seq": number, "tcp_ack": ack, "tcp_payload_bytes": length, "payload_bytes": 48 + length,
                "start_ns": now, "end_ns": now + SLOT_NS // 2, "seq": seq % 4096, "retry": retry,
            }
        )  # fmt: skip

    put("a", flags=SYN)
    for _ in range(rounds):
        for _ in range(segments_per_turn):
            if window is not None and number - acknowledged >= window:
                break
            seq += 1
            if retries:
                put("a", number=SEGMENT * number, length=SEGMENT)
                now += SLOT_NS
            put("a", number=SEGMENT * number, length=SEGMENT, retry=retries)
            now += SLOT_NS
            number += 1
            # The first one that waits is in service, until its turn comes.
            if number % 2 == 0 and len(waiting) < queue + 1:
                waiting.append(number)
        if waiting:
            seq += 1
            acknowledged = waiting.popleft()
            put("b", ack=SEGMENT * acknowledged)
        now += SLOT_NS
    common = {"layer": "mac", "kind": "data", "is_group": False, "proto": "tcp", "flow": "tcp 10.0.0.1:1 10.0.0.2:2"}
    frame = pl.DataFrame(rows).with_columns(source=pl.lit("s"), fcs_ok=pl.lit(True), tid=pl.lit(0))
    frame = frame.with_columns(**{name: pl.lit(value) for name, value in common.items()})
    return complete(frame.sort("start_ns").lazy(), "frames")


def flow_of(frames):
    (flow,) = select_flows(conversations.conversation_hops(frames), None, "run.winf")
    return flow


def limit(frames, least=8):
    return standing_limit(frames, [flow_of(frames)], least)


@pytest.mark.parametrize("queue", [12, 49])
@pytest.mark.parametrize("retries", [False, True])
def test_a_full_queue_of_acknowledgements_shows_its_limit(queue, retries):
    frames = frames_of(queue, retries=retries)
    assert limit(frames) == queue
    assert limit(frames, least=queue + 1) is None, "shorter ones are no queues"


def test_a_queue_that_drops_nothing_has_the_length_of_the_window():
    """30 segments in flight keep some ten acknowledgements waiting, and none is missing."""
    frames = frames_of(200, window=30)
    assert limit(frames) is None


def test_a_queue_that_is_not_the_bottleneck_shows_nothing():
    assert limit(frames_of(49, segments_per_turn=2), least=0) in (None, 0)


def test_most_packets_find_a_queue_that_stands_full_so():
    timers = [190] * 4
    assert full_at([47] * 30 + [49] * 66 + timers) == 49
    assert full_at([*range(96), *timers]) is None, "a queue of all lengths"


def test_a_segment_arrives_with_its_last_attempt_and_a_duplicate_is_no_news():
    arrives, sends, acknowledges = (False, True, 2000), (True, False, 0), (True, True, 2000)
    order = [arrives, sends, arrives, sends, acknowledges, sends, acknowledges]
    rows = [(at_ns, *row) for at_ns, row in enumerate(order)]
    events = pl.DataFrame(rows, schema=["at_ns", "is_sent", "is_own", "number"], orient="row")
    assert _found(events, 2000) == ([1], 0.0)


def test_few_acknowledgements_show_nothing():
    assert limit(frames_of(12, rounds=MIN_SAMPLES - 1)) is None


def test_the_queue_of_a_recording_is_the_one_that_stands_full():
    frames = frames_of(49)
    flow = flow_of(frames)
    found = queue_limit(frames, table([]), [(flow, 0)], 7, {}, [flow])
    assert (found.packets, found.bounds) == (49, (48, 50))
    assert "stands full" in found.note
    assert "assumed" in queue_limit(frames, table([]), [(flow, 0)], 7, {}).note, "there may be a wire behind it"


@pytest.mark.parametrize(
    ("bounds", "standing", "taken"),
    [((32, 40), 39, True), ((40, 92), 49, True), ((40, 50), 30, False), ((10, 20), 60, False), ((10, 20), None, False)],
)
def test_the_queues_of_sources_may_have_another_limit(bounds, standing, taken):
    found = or_standing(QueueLimit(bounds[1] - 4, bounds, "drops"), standing)
    assert (found.packets == standing) == taken
    assert (found.note == "drops") == (not taken)
