"""What an application wrote, from frames of TCP flows whose writes are known."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows.paces import after_equal_bursts
from winf_analyzer._replay.recorded.flows.pauses import _states, writes
from winf_analyzer._replay.recorded.flows.studied import segments_of, select_flows
from winf_analyzer._replay.recorded.flows.transport import acknowledges_two, segment_bytes
from winf_analyzer._replay.recorded.flows.wires import Wires
from winf_analyzer._schema import complete

MS = 1_000_000
SEGMENT = 1000
BACKOFF_NS = 15 * 20_000
QUEUE = 50
AIR_NS, ANSWER_NS, ANSWER_AIR_NS = 1_300_000, 1_400_000, 50_000
TURN_NS = 1_500_000
"""From one segment to the next: the medium is not idle for longer than a backoff."""


class Link:
    """Frames of one flow from a to b in order of time, and of others in between."""

    def __init__(self, first_number: int = 0) -> None:
        self.rows: list[dict] = []
        self.sent = first_number

    def segments(self, at_ns: int, octets: int, *, acked: bool = True, heard: bool = True) -> int:
        """Sends octets in segments one after another, the last one acknowledged; when the acknowledgement has come."""
        while octets > 0:
            size = min(SEGMENT, octets)
            if heard:
                self._put(at_ns, "a", number=self.sent, length=size)
            self.sent, octets = self.sent + size, octets - size
            if acked and not octets:
                self._put(at_ns + ANSWER_NS, "b", ack=self.sent)
            at_ns += TURN_NS
        return at_ns

    def again(self, at_ns: int) -> None:
        """The last segment, sent again."""
        self._put(at_ns, "a", number=self.sent - SEGMENT, length=SEGMENT)
        self._put(at_ns + ANSWER_NS, "b", ack=self.sent)

    def others(self, start_ns: int, end_ns: int, *, idle_ns: int = 40_000) -> None:
        """A station c that leaves no more than DIFS idle between its frames, or so much."""
        for at_ns in range(start_ns, end_ns, 160_000 + idle_ns):
            self._put(at_ns, "c", until_ns=at_ns + 160_000)

    def datagram(self, at_ns: int) -> None:
        """A packet of another flow that the source's station sends."""
        self._put(at_ns, "a", until_ns=at_ns + 300_000)
        self.rows[-1] |= {"proto": "udp", "flow": "udp 10.0.0.1:9 10.0.0.2:9"}

    def _put(
        self, at_ns: int, sender: str, *, number: int = 0, ack: int = 0, length: int = 0, until_ns: int = 0
    ) -> None:
        ends = {"a": ("10.0.0.1", "b"), "b": ("10.0.0.2", "a"), "c": ("10.0.0.3", "d")}
        address, receiver = ends[sender]
        until_ns = until_ns or at_ns + (ANSWER_AIR_NS if sender == "b" else AIR_NS)
        self.rows.append(
            {
                "ta": sender, "ra": receiver, "src_ip": address, "tcp_flags": 16, "transport_seq": number % (1 << 32),
                "tcp_ack": ack % (1 << 32), "tcp_payload_bytes": length, "payload_bytes": 48 + length,
                "start_ns": at_ns, "end_ns": until_ns, "proto": "udp" if sender == "c" else "tcp",
                "flow": "udp 10.0.0.3:1 10.0.0.4:1" if sender == "c" else "tcp 10.0.0.1:1 10.0.0.2:2",
            }
        )  # fmt: skip

    def frames(self) -> pl.LazyFrame:
        common = {"layer": "mac", "kind": "data", "is_group": False, "retry": False, "fcs_ok": True, "source": "s"}
        rows = pl.DataFrame(self.rows).with_columns(**{name: pl.lit(value) for name, value in common.items()})
        return complete(rows.sort("start_ns").lazy(), "frames")


def written(
    link: Link,
    wire_ns: int | None = 0,
    *,
    most_wire_ns: int | None = None,
    repeated: bool = False,
    deaf: bool = False,
    observer: str | None = None,
) -> Sequence[tuple[int, int]]:
    """Milliseconds and octets of writes; `repeated`: of most segments the first attempts were not heard;
    `deaf`: of all acknowledgements."""
    frames = link.frames().with_columns(
        retry=(pl.lit(repeated) & (pl.col("transport_seq") >= 12 * SEGMENT)) | (pl.lit(deaf) & (pl.col("ta") == "b")),
        observer=pl.lit(observer, pl.String),
    )
    (flow,) = [flow for flow in select_flows(conversations.conversation_hops(frames), None, "run.winf") if flow.tcp]
    found = writes(frames, [(flow, Wires(wire_ns, 0, most_wire_ns))], BACKOFF_NS, QUEUE)
    return [(at_ns // MS, octets) for at_ns, octets in found.get(flow.name, [])]


def bursts(*starts_ms: int, octets: int = 20_500) -> Link:
    link = Link()
    for start in starts_ms:
        link.segments(start * MS, octets)
    return link


def test_what_is_sent_between_pauses_was_written_at_once():
    assert written(bursts(0, 200, 700)) == [(0, 20_500), (200, 20_500), (700, 20_500)]


def test_a_source_that_never_waits_is_not_listed():
    assert written(bursts(0, octets=200_000)) == []
    assert written(bursts(0, 45, 90)) == [], "the medium was idle for 13 ms"


def test_a_busy_medium_may_be_what_a_source_waits_for():
    link = bursts(0, 200)
    link.others(32 * MS, 199 * MS)
    assert written(link) == []


def test_one_whose_last_segment_was_full_may_have_waited_for_a_timeout():
    """Its own queue dropped the next segment, which a timeout sends as if it were new."""
    assert written(bursts(0, 1300, octets=20_000)) == []
    link = bursts(0)
    link.again(1500 * MS)
    assert written(link) == [], "what is sent again is nothing new"


@pytest.mark.parametrize(("wire_ms", "found"), [(0, 3), (40, 3), (90, 1), (None, 1)])
def test_what_is_in_the_wire_behind_the_source_is_not_missing(wire_ms, found):
    """After 32 ms and 169 ms of silence; a wire of 90 ms may hold it for two round trips."""
    link = bursts(0, 200, 400)
    assert len(written(link, None if wire_ms is None else wire_ms * MS) or [0]) == found


def test_a_wire_of_which_the_longest_delay_is_known_holds_nothing_for_longer():
    link = bursts(0, 200, 400)
    assert len(written(link, None, most_wire_ns=40 * MS)) == 3
    assert written(link, None, most_wire_ns=90 * MS) == []


def test_what_was_sent_behind_more_packets_than_the_queue_holds_was_not_in_it():
    """The medium is never idle, and the station itself sends packets of others, one a millisecond."""
    for others, found in ((QUEUE + 1, 3), (QUEUE, 0)):
        link = bursts(0, 200, 400)
        for start_ms in (0, 200):
            for turn in range(others):
                link.datagram((start_ms + 35 + turn) * MS)
            link.others((start_ms + 32) * MS, (start_ms + 199) * MS)
        assert len(written(link, observer="a")) == found
        assert written(link) == [], "a recorder beside it may have missed the rest"


def test_a_second_is_longer_than_any_wire_even_if_acknowledgements_were_not_heard():
    link = Link()
    link.segments(0, 20_500, acked=False)
    link.segments(1_200 * MS, 20_500, acked=False)
    assert written(link, None) == [(0, 20_500), (1_200, 20_500)]
    soon = Link()
    soon.segments(0, 20_500, acked=False)
    soon.segments(900 * MS, 20_500, acked=False)
    assert written(soon, None) == []


def test_acknowledgements_tell_of_segments_that_were_not_heard():
    """The end of the first burst and the start of the second."""
    link = Link()
    at_ns = link.segments(0, 20_000)
    link.segments(at_ns, 500, heard=False)
    at_ns = link.segments(300 * MS, 1_000, heard=False)
    link.segments(at_ns, 3_500)
    assert [octets for _, octets in written(link)] == [20_500, 4_500]
    full = Link()
    full.segments(full.segments(0, 20_000), 2_000, heard=False)
    full.segments(300 * MS, 4_500)
    assert written(full) == [], "two full ones, as it seems"


def test_a_source_at_a_constant_rate_writes_each_segment():
    link = Link()
    for turn in range(40):
        link.segments(8 * turn * MS, SEGMENT)
    assert written(link) == [(8 * turn, SEGMENT) for turn in range(40)]
    assert written(link, 40 * MS) == [], "a wire may hold what comes next"


def full_bursts(*octets: int, pause_ms: int = 300) -> Link:
    """Bursts of full segments, with pauses before each next one."""
    link, at_ns = Link(), 0
    for each in octets:
        at_ns = link.segments(at_ns, each) + pause_ms * MS
    return link


def test_a_source_that_always_pauses_after_as_much_waits_for_its_application():
    """Its last segments are full, but the silences of a source that waits for timeouts do not come so regularly."""
    assert [octets for _, octets in written(full_bursts(*[20_000] * 5))] == [20_000] * 5
    assert written(full_bursts(20_000, 23_000, 31_000, 20_000, 27_000)) == []
    assert written(full_bursts(20_000, 20_000, 23_000)) == [], "once more is chance"


@pytest.mark.parametrize(("others", "waits"), [(4, True), (5, False)])
def test_half_of_all_bursts_have_to_be_equal(others, waits):
    """Four of 20 segments each, and others of which no two are alike."""
    segments = [20] * 4 + [30 + 3 * number for number in range(others)]
    upto = [sum(segments[:number]) * 1000 for number in range(len(segments))]
    starts = pl.DataFrame({"at_ns": [number * 10**9 for number in range(len(upto))], "upto": upto})
    assert (len(after_equal_bursts(starts, 1000)) > 1) == waits


def test_silences_at_other_times_are_those_of_the_network():
    octets = [octets for _, octets in written(full_bursts(20_000, 20_000, 20_000, 7_000, 13_000, 20_000))]
    assert octets == [20_000] * 5


def test_a_starved_source_sends_little_between_timeouts():
    assert written(full_bursts(*[5_000] * 12)) == []


def paced(pause_ms: int = 300, every_ms: float = 4, *, bursts: int = 4, together: int = 1) -> Link:
    """An application that writes so many segments at a time, beside a station that leaves little idle."""
    link = Link()
    for burst in range(bursts):
        start_ms = burst * (20 / together * every_ms + pause_ms)
        for turn in range(20 // together):
            at_ns = round((start_ms + turn * every_ms) * MS)
            end_ns = link.segments(at_ns, together * SEGMENT)
            link.others(end_ns + 400_000, round(at_ns + (every_ms - 0.4) * MS))
    return link


def test_what_it_wrote_at_a_pace_between_pauses_is_written_at_that_pace():
    found = written(paced())
    assert [octets for _, octets in found] == [SEGMENT] * 80
    assert [at_ms for at_ms, _ in found[20:40]] == [380 + 4 * turn for turn in range(20)]


def half_a_burst(link: Link, start_ns: int) -> int:
    """Ten segments, one every 4 ms, of which each but the first waited for its application; when the last was sent."""
    for turn in range(10):
        end_ns = link.segments(start_ns + 4 * turn * MS, SEGMENT)
        link.others(end_ns + (400_000 if turn < 9 else 0), start_ns + (4 * turn + 3) * MS + 600_000)
    return end_ns


def test_what_waited_behind_others_was_written_before():
    """Of each burst the second half goes out late, and together."""
    link = Link()
    for burst in range(4):
        start_ns = 400 * burst * MS
        half_a_burst(link, start_ns)
        link.others(start_ns + 39 * MS + 600_000, start_ns + 76 * MS)
        link.segments(start_ns + 76 * MS, 10 * SEGMENT)
    found = written(link)[:20]
    assert [at_ms for at_ms, _ in found[:10]] == [4 * turn for turn in range(10)]
    late = [at_ms for at_ms, _ in found[10:]]
    assert late == sorted(late)
    assert late[5] < 76, "not when it was sent"


def test_after_the_last_wait_of_a_burst_it_wrote_as_fast_as_before():
    """Of each burst the second half goes out one by one behind others, more slowly than it was written."""
    link = Link()
    for burst in range(4):
        start_ns = 600 * burst * MS
        end_ns = half_a_burst(link, start_ns)
        for turn in range(10):
            at_ns = start_ns + (50 + 12 * turn) * MS
            link.others(end_ns, at_ns)
            end_ns = link.segments(at_ns, SEGMENT)
    second = [at_ms for at_ms, _ in written(link)[30:40]]
    assert second == [636 + 4 * turn for turn in range(1, 11)]


def test_what_had_collided_before_it_was_heard_did_not_wait():
    assert [octets for _, octets in written(paced(), repeated=True)] == [20 * SEGMENT] * 4


def test_who_does_not_hear_first_attempts_may_have_waited_for_them():
    assert [octets for _, octets in written(paced(), deaf=True)] == [20 * SEGMENT] * 4


def test_an_acknowledgement_that_collided_with_a_segment_was_not_there_before_it():
    rows = [(True, 1000, False), (False, 1000, True), (True, 2000, False), (True, 2000, True), (False, 2000, True)]
    events = pl.DataFrame(rows, ["sent", "upto", "again"], orient="row").with_columns(
        at_ns=pl.int_range(pl.len()), length=1000 * pl.col("sent").cast(pl.Int64)
    )
    states = _states(events)
    assert states.filter("is_new")["was_deaf"].to_list() == [True, False]


def test_behind_a_wire_what_comes_evenly_to_an_idle_medium_was_written_so():
    even = written(paced(), 20 * MS)
    assert [octets for _, octets in even] == [SEGMENT] * 80
    assert [at_ms for at_ms, _ in even[20:40]] == [380 + 4 * turn for turn in range(20)]
    assert len(written(paced(every_ms=20, together=4), 20 * MS)) == 4, "a window lets several go at once"


def test_what_it_wrote_in_pieces_is_written_in_these():
    found = written(paced(every_ms=20, together=4))
    assert [octets for _, octets in found] == [4 * SEGMENT] * 20


def test_a_burst_without_waits_was_written_at_once():
    assert [octets for _, octets in written(full_bursts(*[40_000] * 5))] == [40_000] * 5


def test_of_sequence_numbers_that_begin_anew_nothing_is_told():
    """The lowest is not the first then: octets before it would be missing."""
    link = Link((1 << 32) - 20_500)
    for start_ms in (0, 300, 600):
        link.segments(start_ms * MS, 20_500)
    assert written(link) == []


def test_writes_are_cut_into_segments():
    assert segments_of([(5, 2500), (9, 300)], SEGMENT, 5) == [[0, 1000], [0, 1000], [0, 500], [4, 300]]


@pytest.mark.parametrize(("octets", "packets", "size"), [(75_000, 100, 750), (99_000, 100, 1000), (0, 0, 1000)])
def test_segments_are_as_large_as_they_are_in_the_mean(octets, packets, size):
    """An application that writes 500 octets at a time into an open window makes segments of 500 and 1000."""
    first = {"mss": 1000, "data_bytes": octets, "packets": packets}
    assert segment_bytes(first) == size
    back = {"ack_step": 1500.0, "ack_steps": 100}
    assert acknowledges_two(first, back)
    assert not acknowledges_two(first, back | {"ack_step": 1.4 * size})


def test_a_source_that_recorded_itself_has_no_attempt_that_was_not_heard():
    """The medium is idle for 17 ms of 170, in pieces of 20 us beyond DIFS: for longer than any first backoff."""
    link = bursts(0, 200)
    link.others(32 * MS, 199 * MS, idle_ns=70_000)
    assert written(link, observer="a") == [(0, 20_500), (200, 20_500)]
    assert written(link) == [], "it may have had longer backoffs, of attempts that were not heard"
    tried = bursts(0, 200)
    tried.others(32 * MS, 199 * MS, idle_ns=70_000)
    tried.datagram(34 * MS)
    assert written(tried, observer="a") == [], "it was contending"


def test_bursts_at_a_rate_may_differ_by_a_segment():
    octets = [20_000, 21_000, 20_000, 21_000, 20_000, 20_000]
    assert [each for _, each in written(full_bursts(*octets))] == octets
    several = [21_000, 20_000, 22_000, 21_000, 20_000, 22_000, 21_000, 20_000]
    assert [each for _, each in written(full_bursts(*several))] == several
    assert written(full_bursts(20_000, 23_000, 20_000, 26_000, 29_000)) == [], "not by three"


def among_datagrams(every_ms: float, *, at_once: int = 1) -> Link:
    """Bursts of 20 segments beside a busy station, `at_once` together, and then each right behind another packet."""
    link = Link()
    for burst in range(5):
        start_ms = burst * (20 * every_ms + 300)
        end_ns = link.segments(round(start_ms * MS), at_once * SEGMENT, acked=False)
        for turn in range(at_once, 20):
            at_ns = round((start_ms + turn * every_ms) * MS)
            link.others(end_ns, at_ns - 700_000)
            link.datagram(at_ns - 320_000)
            end_ns = link.segments(at_ns, SEGMENT, acked=turn == 19)
    return link


def test_packets_of_other_flows_among_the_first_of_a_burst_show_its_pace():
    found = written(among_datagrams(4))
    assert [octets for _, octets in found] == [SEGMENT] * 100
    assert [at_ms for at_ms, _ in found[20:30]] == [380 + 4 * turn for turn in range(10)]


def test_what_waits_behind_other_flows_of_its_station_does_not_wait_for_its_application():
    """The medium was idle for 380 us, but before the other packet; and the first eleven were together."""
    assert [octets for _, octets in written(among_datagrams(4, at_once=11))] == [20 * SEGMENT] * 5
