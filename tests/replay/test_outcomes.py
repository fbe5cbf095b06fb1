"""What recorded flows did, and worlds in which a replay of them does it too."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import polars as pl
import pytest

from winf_analyzer._replay.outcomes import _off, beside_recorded
from winf_analyzer._replay.recorded import RecordedWorld
from winf_analyzer._replay.recorded.flows import outcomes as flow_outcomes
from winf_analyzer._replay.recorded.flows.outcomes import MIN_ROUND_TRIPS, _octets, outcome, outcomes, round_trips_ns
from winf_analyzer._replay.reference_runs import reference_runs
from winf_analyzer._replay.storing import tables_of
from winf_analyzer._replay.topologies.world import wired
from winf_analyzer._replay.unknowns import OWN_RECORDING, RecordedOutcome, Unknowns

MS = 1_000_000
SEGMENT = 1000
FLOW = SimpleNamespace(first={"first_seq": 5_000, "mss": SEGMENT})


def events(segments: int, *, again: int = 0) -> pl.DataFrame:
    """A source of which an acknowledgement comes every 10 ms, of the segment of 40 ms before, and lets one go.

    The segment is on the air 25 ms later.
    """
    rows = []
    for number in range(segments + 4):
        at_ns, stamp = 10 * MS * number, 1 + 10 * number
        acked = 5_000 + max(0, number - 3) * SEGMENT
        rows.append((at_ns, False, True, 0, acked, 0, stamp, stamp - 40))
        if number < segments:
            rows.append((at_ns + 25 * MS, True, True, 5_000 + number * SEGMENT, 0, SEGMENT, stamp, stamp))
    rows += [(10 * MS * segments + 50 * MS, True, True, 5_000, 0, SEGMENT, 0, 0)] * again
    names = ["at_ns", "is_sent", "is_own", "number", "ack", "length", "tsval", "tsecr"]
    return pl.DataFrame(rows, schema=names, orient="row").sort("at_ns", maintain_order=True)


def test_a_round_trip_begins_when_an_acknowledgement_lets_a_segment_go():
    assert set(round_trips_ns(events(100))) == {40 * MS}, "not when it was on the air"
    assert outcome(events(100), FLOW, 0, 10**12).rtt_p50_ms == 40
    assert outcome(events(MIN_ROUND_TRIPS - 1), FLOW, 0, 10**12).rtt_p50_ms is None
    silent = events(100).with_columns(tsval=pl.lit(None, pl.Int64), tsecr=pl.lit(None, pl.Int64))
    assert outcome(silent, FLOW, 0, 10**12).rtt_p50_ms is None


def test_what_was_acknowledged_until_then_was_delivered():
    assert outcome(events(100), FLOW, 0, 10**12).delivered_bytes == 100 * SEGMENT
    assert outcome(events(100), FLOW, 0, 545 * MS).delivered_bytes == 51 * SEGMENT
    assert outcome(events(100), FLOW, 0, 0) is None


def test_sequence_numbers_may_begin_anew():
    start = (1 << 32) - 20 * SEGMENT
    shifted = events(100).with_columns(
        (pl.col(name) + start - 5_000).mod(1 << 32).alias(name) for name in ("number", "ack")
    )
    flow = SimpleNamespace(first={"first_seq": 0, "mss": SEGMENT})
    again, once = outcome(shifted, flow, 0, 10**12), outcome(events(100), FLOW, 0, 10**12)
    assert again.delivered_bytes == once.delivered_bytes
    assert again.segments == outcome(events(100), FLOW, 0, 10**12).segments
    far = pl.DataFrame({"number": [n * 10**9 % (1 << 32) for n in range(1, 8)]}).select(_octets(pl.col("number"), 0))
    assert far["number"].to_list() == [n * 10**9 for n in range(1, 8)], "also of more than two gigabytes"


def test_what_a_source_sent_that_lost_nothing_may_be_what_was_written():
    sent = outcome(events(200), FLOW, 5 * MS, 545 * MS).segments
    assert [at_ns for at_ns, _ in sent[:3]] == [20 * MS, 30 * MS, 40 * MS], "on the clock of the world"
    assert sum(octets for _, octets in sent) == 200 * SEGMENT, "of the whole recording"
    assert outcome(events(200, again=2), FLOW, 0, 10**12).segments == []
    assert outcome(events(50), FLOW, 0, 10**12).segments == [], "too few to have filled a queue"


def test_only_what_a_source_recorded_itself_counts_and_in_ns2_packets(monkeypatch):
    monkeypatch.setattr(flow_outcomes, "packet_events", lambda *_: events(100))

    def found(**first):
        columns = {"first_seq": 5_000, "mss": SEGMENT, "closed": False, "observer": "a"} | first
        flow = SimpleNamespace(name="f", tcp=True, path=("a", "b"), first=columns)
        return {name: each.delivered_bytes for name, each in outcomes(None, [(flow, 500)], 0, 10**12).items()}

    assert found() == {"f": 100 * SEGMENT}
    assert found(mss=None) == {"f": (5_000 + 100 * SEGMENT) * 500}, "numbers of packets"
    assert found(observer="c") == found(closed=True) == {}


CELL = {
    "name": "cell",
    "duration_ns": 8_000_000_000,
    "mac": {"preset": "802.11b"},
    "nodes": [{"name": name, "interface_queue": {"packets": 50}} for name in ("host h", "a", "b")],
    "links": [
        *({"from": x, "to": y, "medium": {"wireless": {"rate_bps": 11_000_000}}} for x, y in ("ab", "ba")),
        wired("host h", "a", 10**9, 0),
    ],
    "flows": [{"name": "f", "path": ["host h", "a", "b"]}],
    "hearing": {"graph": {"decodes": [["a", "b"], ["b", "a"]]}},
}


def with_delay(delay_ns: int) -> dict:
    return CELL | {"links": [*CELL["links"][:2], wired("host h", "a", 10**9, delay_ns)]}


def recorded(world: dict) -> dict[str, RecordedOutcome]:
    """What its flows do, as a recording shows it."""
    _, (run,) = reference_runs(world, [9])
    row = tables_of(run)["replay_summary"].row(0, named=True)
    return {row["flow"]: RecordedOutcome(row["delivered_bytes"], row["rtt_p50_ms"], [])}


def made(outcomes: dict[str, RecordedOutcome], world: dict = CELL, **unknowns) -> RecordedWorld:
    return RecordedWorld(
        world,
        0,
        ["as recorded"],
        Unknowns(model_errors=OWN_RECORDING, recorded=outcomes, **unknowns),
        lambda share: made(outcomes, with_delay(round(share * 40 * MS)), **unknowns),
    )


def test_a_world_in_which_flows_do_what_they_did_stays():
    known = made(recorded(CELL))
    assert beside_recorded(known) == known._replace(with_wires=known.with_wires)
    assert beside_recorded(made({})).world is CELL


def test_a_wire_that_nobody_saw_is_there_if_flows_do_what_they_did_then():
    done = recorded(with_delay(40 * MS))
    found = beside_recorded(made(done, unseen_wires={"host h": 80 * MS}))
    assert found.world["links"][-1]["medium"]["wired"]["delay_ns"] == 40 * MS
    assert "wires that are not observed are assumed" in found.notes[-1]
    assert found.unknowns.biases == {}
    blind = beside_recorded(made(done))
    assert blind.world is CELL, "where no wire may be, none is assumed"
    assert blind.unknowns.biases["f"]["rtt_p50_ms"] > 1.1
    assert "intervals reach so far" in blind.notes[-1]


def with_queues(queue: dict) -> dict:
    nodes = [node | {"interface_queue": queue} for node in CELL["nodes"]]
    return CELL | {
        "duration_ns": 30 * 10**9,
        "nodes": nodes,
        "links": [link | {"queue": queue} for link in CELL["links"]],
    }


@pytest.mark.parametrize("is_own", [True, False])
def test_a_wire_that_only_drops_show_is_none_if_flows_do_what_they_did_then(is_own):
    done = recorded(CELL)
    delivered = {name: 8.0 * each.delivered_bytes / 8 for name, each in done.items()}
    seen = {"recorded": done} if is_own else {"delivered_bps": delivered}
    wired_world = with_delay(300 * MS)

    def world(share, **more):
        unknowns = Unknowns(model_errors=OWN_RECORDING, **seen, **more)
        return RecordedWorld(CELL if share is None else wired_world, 0, [], unknowns, world)

    found = beside_recorded(world(0, wires_of_drops=("f",)))
    assert found.world is CELL
    assert found.notes[-1].startswith("drops of queues seem to show wires, but none are assumed")
    assert beside_recorded(world(0)).world is wired_world, "that one showed in other ways"
    if is_own:
        return
    flows = tuple(CELL["flows"])
    slow = [flow | {"source": {"cbr": {"rate_bps": 10_000}}, "ack_bytes": 0} for flow in flows]

    def instead(share):
        made = world(share, wires_of_drops=("f",), flows_as_recorded=flows)
        return made._replace(world=made.world | {"flows": slow}, with_wires=instead)

    assert beside_recorded(instead(0)).world == CELL | {"flows": slow}, "whatever is sent in place of the flows"


def test_queues_drop_what_has_waited_too_long_if_flows_do_what_they_did_then():
    long, lasting = with_queues({"packets": 900}), with_queues({"packets": 900, "lifetime_ns": 512 * MS})
    done = recorded(lasting)
    found = beside_recorded(made(done, long, least_lifetime_ns=1))
    assert found.world == lasting
    assert found.unknowns.least_lifetime_ns is None, "and is not drawn"
    assert beside_recorded(made(done, long)).world is long, "where a lifetime is known, it is another one"


def test_a_source_that_sends_less_than_the_network_carries_is_limited_elsewhere():
    """Half a megabit per second and no segment again, beside four that this cell carries."""
    segments = [[at_ms * MS, SEGMENT] for at_ms in range(0, 8000, 16)]
    found = beside_recorded(made({"f": RecordedOutcome(500 * SEGMENT, None, segments)}))
    assert found.world["flows"][0]["source"] == {"scheduled": segments}
    assert "limited by what is not recorded" in found.notes[-1]
    assert found.unknowns.biases == {}
    drawn = [found.unknowns.draw(found.world, number)["flows"][0] for number in range(100)]
    assert sum("source" in flow for flow in drawn) == pytest.approx(50, abs=20), "or it is greedy"
    again = beside_recorded(made({"f": RecordedOutcome(500 * SEGMENT, None, [])}))
    assert again.world is CELL, "who sends segments again may be limited by its losses"
    assert again.unknowns.biases["f"]["throughput_bps"] < 0.5
    assert again.unknowns.biases["f"]["rtt_ms"] > 2, "with as much on the way, the slower one takes longer"


def test_that_a_source_is_limited_elsewhere_is_the_last_explanation():
    """Written evenly, as much is delivered as through the wire; without time stamps nothing else tells them apart."""
    slow = with_delay(400 * MS)
    done = recorded(slow)["f"]
    packets = done.delivered_bytes // SEGMENT
    segments = [[number * 7000 * MS // packets, SEGMENT] for number in range(packets)]
    outcomes_of = {"f": RecordedOutcome(packets * SEGMENT, None, segments)}
    unknowns = Unknowns(model_errors=OWN_RECORDING, recorded=outcomes_of, unseen_wires={"host h": 800 * MS})

    def world(share):
        return RecordedWorld(with_delay(round(share * 400 * MS)), 0, [], unknowns, world)

    assert beside_recorded(world(0)).world == slow
    alone = world(0)._replace(unknowns=replace(unknowns, unseen_wires={}))
    assert beside_recorded(alone).unknowns.limited_elsewhere == ("f",)


def test_what_single_runs_explain_is_not_off():
    done = recorded(CELL)
    near = {"f": done["f"]._replace(delivered_bytes=round(0.95 * done["f"].delivered_bytes))}
    assert _off(made(near)).beyond(0.1) == {}
    starved = {"g": RecordedOutcome(100 * done["f"].delivered_bytes, None, []), **near}
    assert _off(made(starved)).logs != {}, "a flow that the replay has not says nothing"


def test_a_flow_that_starves_says_nothing():
    two = CELL | {"flows": [*CELL["flows"], {"name": "g", "path": ["b", "a"]}]}
    _, (run,) = reference_runs(two, [9])
    rows = tables_of(run)["replay_summary"].select("flow", "delivered_bytes").iter_rows()
    done = {flow: RecordedOutcome(octets, None, []) for flow, octets in rows}
    starved = done | {"g": RecordedOutcome(done["f"].delivered_bytes // 100, None, [])}
    assert {flow for flow, _ in _off(made(starved, two)).logs} == {"f"}


def test_a_world_that_cannot_be_run_stays_as_it_is():
    broken = made(recorded(CELL), CELL | {"flows": [{"name": "f", "path": ["nobody", "b"]}]})
    assert beside_recorded(broken) is broken
    assert replace(broken.unknowns, biases={}) == broken.unknowns
