"""How many packets waited before a segment that its application wrote at a known time."""

from types import SimpleNamespace

import polars as pl
import pytest

from winf_analyzer._replay.recorded.queues import written

MS = 1_000_000
FLOW = SimpleNamespace(first={"first_seq": 1_000})


def waited(monkeypatch, segments, *, acks=((5, 3_000),), writes=((0, 3_000), (10, 2_000)), others=0):
    """What waited before the segments (ms, number), of 1000 octets each, among `others` packets of the station."""
    events = [(at * MS, 1_000 + number, None, True, True) for at, number in segments]
    events += [((11 + k) * MS, None, None, True, False) for k in range(others)]
    events += [(at * MS, None, 1_000 + octets, False, True) for at, octets in acks]
    schema = {"at_ns": pl.Int64, "number": pl.Int64, "ack": pl.Int64, "is_sent": pl.Boolean, "is_own": pl.Boolean}
    table = pl.DataFrame(events, schema=schema, orient="row").sort("at_ns")
    monkeypatch.setattr(written, "packet_events", lambda *_: table)
    return written.most_waiting(pl.LazyFrame(), [(FLOW, [(at * MS, octets) for at, octets in writes])])


SENT = [(1, 0), (2, 1_000), (3, 2_000), (20, 3_000), (21, 4_000)]


def test_what_is_sent_from_the_writing_of_a_segment_on_waited_before_it(monkeypatch):
    """Two segments are written at 10 ms and go out at 20 and 21 ms, behind five packets of others."""
    assert waited(monkeypatch, SENT, others=5) == 7


@pytest.mark.parametrize(
    ("segments", "acks"),
    [
        (SENT, ((5, 1_000),)),  # more than the window holds: the last may have waited for it, not in the queue
        ([*SENT, (30, 4_000)], ((5, 3_000),)),  # one was sent again: the source has lost, and its window is unknown
    ],
)
def test_a_segment_that_may_have_waited_for_its_window_says_nothing(monkeypatch, segments, acks):
    assert waited(monkeypatch, segments, acks=acks, others=5) < 7
