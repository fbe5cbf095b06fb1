"""Delays of wires, from frames of a TCP flow whose wires are known."""

from __future__ import annotations

from types import SimpleNamespace

import polars as pl
import pytest
from transfers import ACK, SEGMENT, SYN, echoes, flow_of, frames_of

from winf_analyzer._replay.recorded.flows import wires as wires_of
from winf_analyzer._replay.recorded.flows.wires import Wires, one_each, wires, with_wires
from winf_analyzer._replay.recorded.traffic import _as_at_other_flows
from winf_analyzer._replay.topologies.world import wired


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
        other.with_columns(start_ns=pl.lit(at, pl.Int64), end_ns=pl.lit(at + lasts(at), pl.Int64))
        for at in range(4_000_000, until_ns, 4_000_000)
    ]
    crowded = pl.concat([frames.collect(), *others]).sort("start_ns").lazy()
    return wires(crowded, flow_of(frames)).source_ns


def test_an_answer_came_late_if_its_station_left_an_idle_medium_alone_shortly_before():
    assert source_ns_beside(busy_ns=3_000_000) == pytest.approx(40e6, abs=2e6), "idle for 1 ms"
    assert source_ns_beside(busy_ns=3_500_000) is None, "idle for less than a first attempt may take"
    assert source_ns_beside(busy_ns=3_000_000, until_ns=30_000_000) == pytest.approx(40e6, abs=2e6)
    assert source_ns_beside(busy_ns=3_000_000, idle_until_ns=20_000_000) is None, "long before"


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
