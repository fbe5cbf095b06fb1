"""CoDel above the queue of an interface, from frames at a source whose queues are known."""

from __future__ import annotations

from collections import deque
from itertools import accumulate
from math import sqrt

import polars as pl
import pytest

from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows.studied import select_flows
from winf_analyzer._replay.recorded.queues.disciplines import (
    MIN_BEYOND,
    MIN_DROPS,
    first_drops,
    limit_below,
    waits_above,
)
from winf_analyzer._replay.recorded.queues.lifetimes import Gap, flow_waits
from winf_analyzer._replay.recorded.queues.standing_queues import _waited
from winf_analyzer._replay.scenarios import changed
from winf_analyzer._replay.topologies import build
from winf_analyzer._schema import complete

MS = 1_000_000
SEGMENT = 1000


def frames_of(below, *, above=True, turns=1000):
    """A source whose station sends a packet a millisecond, while its window grows by one segment in four.

    `below`: packets that its interface has room for; `above`: the others wait in a CoDel, or are dropped.
    """
    rows, interface, held, now = [], deque(), deque(), 0
    number, dropped, late_since, drop_next = 0, 0, None, None

    def put(sender, **columns):
        there, back = ("a", "b") if sender == "a" else ("b", "a")
        rows.append(
            {"ta": there, "ra": back, "src_ip": "10.0.0.1" if sender == "a" else "10.0.0.2", "payload_bytes": 48,
             "start_ns": now * MS, "end_ns": now * MS + MS // 3, "transport_seq": 0, "tcp_ack": 0,
             "tcp_payload_bytes": 0, "tcp_tsval": now, "tcp_tsecr": 0} | columns
        )  # fmt: skip

    put("b")
    for _ in range(40):
        interface.append((number, now))
        number += 1
    for turn in range(turns):
        now += 1
        put("b", tcp_ack=turn)
        for _ in range(2 if turn % 4 == 0 else 1):
            if len(interface) < below and not held:
                interface.append((number, now))
            elif above:
                held.append((number, now))
            number += 1
        which, since = interface.popleft()
        put("a", transport_seq=SEGMENT * which, tcp_payload_bytes=SEGMENT, payload_bytes=SEGMENT + 48, tcp_tsecr=since)
        while held and len(interface) < below:
            is_late = now - held[0][1] >= 5
            late_since = (late_since or now) if is_late else None
            if late_since is not None and now - late_since >= 100 and (drop_next is None or now >= drop_next):
                held.popleft()
                dropped += 1
                drop_next = (drop_next or now) + 100 / sqrt(dropped)
                continue
            interface.append(held.popleft())
    frame = pl.DataFrame(rows, infer_schema_length=None).with_columns(
        *(pl.lit(value).alias(name) for name, value in COMMON.items()), pl.int_range(pl.len()).over("ta").alias("seq")
    )
    return complete(frame.sort("start_ns").lazy(), "frames")


COMMON = {
    "layer": "mac", "kind": "data", "is_group": False, "proto": "tcp", "flow": "tcp 10.0.0.1:1 10.0.0.2:2",
    "source": "s", "retry": False, "fcs_ok": True, "tid": 0, "tcp_flags": 16,
}  # fmt: skip


def found(frames):
    (flow,) = select_flows(conversations.conversation_hops(frames), None, "run.winf")
    return limit_below(flow_waits(frames, [(flow, 0)]), [SEGMENT])


@pytest.mark.parametrize("below", [60, 100])
def test_drops_of_a_codel_show_the_queue_below_it(below):
    limit = found(frames_of(below))
    low, high = limit.bounds
    assert low <= below <= high
    assert limit.packets == pytest.approx(below, rel=0.05)
    assert "CoDel" in limit.note


def test_a_queue_that_drops_what_does_not_fit_shows_no_codel():
    assert found(frames_of(60, above=False)) is None


def law(drops, *, interval=100 * MS, missing=SEGMENT):
    """Gaps at the times of RFC 8289."""
    times = accumulate((interval / sqrt(n) for n in range(1, drops)), initial=0)
    return [Gap(500 * MS, 500 + n, round(at), missing) for n, at in enumerate(times)]


def test_a_codel_drops_single_packets_at_intervals_that_shrink():
    drops = law(12)
    assert first_drops(drops, SEGMENT) == drops
    later = drops[-1]._replace(at_ns=drops[-1].at_ns + 10**9)
    assert first_drops([*drops, later], SEGMENT) == drops, "the next episode is another one"
    assert first_drops(drops[: MIN_DROPS - 1], SEGMENT) == []
    assert first_drops(law(12, missing=2 * SEGMENT), SEGMENT) == []
    assert first_drops(law(12, interval=10 * MS), SEGMENT) == []
    burst = drops[8]._replace(missing_bytes=9 * SEGMENT)
    assert first_drops([*drops[:8], burst, *drops[9:]], SEGMENT) == drops[:8], "the MAC gave up a whole A-MPDU"
    below = [drops[0], *(gap._replace(at_ns=gap.at_ns + 20 * MS) for gap in drops[1:])]
    assert first_drops(below, SEGMENT) == below, "what is behind the later ones waited longer below"
    steady = [gap._replace(at_ns=40 * MS * n) for n, gap in enumerate(drops)]
    assert first_drops(steady, SEGMENT) == [], "as seldom in the mean, but as often at the end as at the beginning"


def test_what_waits_longer_than_its_lifetime_has_waited_above():
    long, short = [600 * MS] * MIN_BEYOND, [510 * MS] * 1000
    assert waits_above([*short, *long], 500 * MS)
    assert not waits_above([*short, *long[1:]], 500 * MS)
    assert not waits_above(long, None)


def test_an_acknowledgement_waits_since_the_last_segment_that_it_acknowledges():
    """The second of three segments comes last; the acknowledgement of the third did not wait for it."""
    events = [(0, False, 1), (10, True, 1), (20, False, 3), (500, False, 2), (510, True, 3), (600, True, 3)]
    frame = pl.DataFrame(
        [(at, sent, True, number) for at, sent, number in events],
        ["at_ns", "is_sent", "is_own", "number"],
        orient="row",
    )
    assert _waited(frame) == [10, 10]


def test_a_limit_that_is_set_has_nothing_above_it():
    world = build("chain:2")
    world["nodes"][0] |= {"interface_queue": {"packets": 500}, "fq_codel": {}}
    assert changed(world, changes={"queue": 20})["nodes"][0].get("fq_codel") is None
    assert changed(world, changes={"queue_lifetime": "500ms"})["nodes"][0]["fq_codel"] == {}
