"""How windows go down in fast recovery, from frames of a source whose law is known."""

from __future__ import annotations

import polars as pl
import pytest

from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows.reductions import LetGo, Recovery, shown, window_reductions, with_reduction
from winf_analyzer._replay.recorded.flows.studied import select_flows
from winf_analyzer._replay.unknowns import Unknowns
from winf_analyzer._schema import complete

MS = 1_000_000
MSS, FLIGHT, QUEUE_MS, ACKS_PER_MS = 1000, 200, 60, 2

LAWS = {
    "rfc6675": lambda ack: ack > FLIGHT // 2,
    "prr": lambda ack: ack % 2 == 1,
    "prr_ns3": lambda ack: ack > FLIGHT // 2 or (ack % 2 == 1 and ack < 12),
}
"""Whether an acknowledgement lets a segment go, by its number since the first retransmission."""


def frames_of(law, *, lost=True, stamps=True):
    """A source whose first segment of a window is lost; what it sends waits in a queue of 60 ms."""
    rows = []

    def put(at_ns, sender, *, number=0, ack=0, length=0, tsval=0, tsecr=0):
        there, back = ("a", "b") if sender == "a" else ("b", "a")
        rows.append(
            {
                "ta": there, "ra": back, "src_ip": "10.0.0.1" if sender == "a" else "10.0.0.2",
                "transport_seq": number, "tcp_ack": ack, "tcp_payload_bytes": length, "payload_bytes": 60 + length,
                "start_ns": at_ns, "end_ns": at_ns + MS // 4, "tcp_tsval": tsval if stamps else None,
                "tcp_tsecr": tsecr if stamps else None,
            }
        )  # fmt: skip

    spacing = MS // ACKS_PER_MS
    put(0, "b", ack=0, tsval=1)
    for segment in range(FLIGHT):
        put(MS + segment * spacing, "a", number=segment * MSS, length=MSS, tsval=1, tsecr=1)
    begin_ns, following = MS + FLIGHT * spacing, FLIGHT
    for duplicate in range(1, FLIGHT):
        at_ns = begin_ns + duplicate * spacing
        stamp = at_ns // MS
        put(at_ns, "b", ack=0 if lost else duplicate * MSS, tsval=stamp, tsecr=1)
        on_air_ns = at_ns + QUEUE_MS * MS
        if lost and duplicate == 3:
            put(on_air_ns, "a", number=0, length=MSS, tsval=stamp, tsecr=stamp)
        elif not lost or (duplicate > 3 and law(duplicate - 3)):
            put(on_air_ns, "a", number=following * MSS, length=MSS, tsval=stamp, tsecr=stamp)
            following += 1
    put(begin_ns + FLIGHT * MS, "b", ack=FLIGHT * MSS, tsval=(begin_ns + FLIGHT * MS) // MS)
    common = {"layer": "mac", "kind": "data", "is_group": False, "proto": "tcp", "flow": "tcp 10.0.0.1:1 10.0.0.2:2"}
    frame = pl.DataFrame(rows).with_columns(
        source=pl.lit("s"), retry=pl.lit(False), fcs_ok=pl.lit(True), tcp_flags=pl.lit(16)
    )
    frame = frame.with_columns(**{name: pl.lit(value) for name, value in common.items()})
    return complete(frame.sort("start_ns", maintain_order=True).lazy(), "frames")


def found_in(frames):
    (flow,) = select_flows(conversations.conversation_hops(frames), None, "run.winf")
    return flow.name, window_reductions(frames, [flow])


@pytest.mark.parametrize("kind", LAWS)
def test_the_law_of_a_recovery_shows_behind_a_queue(kind):
    name, found = found_in(frames_of(LAWS[kind]))
    assert found[name].kind == kind
    assert not found[name].is_presumed
    declared, notes = with_reduction({"name": name, "transport": {"sack": True, "ecn": False}}, found[name])
    assert declared["transport"] == {"sack": True, "ecn": False, "recovery": kind}
    assert notes == [f"{name}: recovery {kind} (observed)"]


def test_without_a_recovery_a_stack_with_time_stamps_is_presumed_to_have_prr():
    name, found = found_in(frames_of(LAWS["rfc6675"], lost=False))
    assert (found[name].kind, found[name].is_presumed) == ("prr", True)
    assert "assumed" in found[name].note


def test_without_time_stamps_nothing_is_said():
    assert found_in(frames_of(LAWS["prr"], stamps=False))[1] == {}
    declared = {"name": "f", "transport": {"sack": True}}
    assert with_reduction(declared, None) == (declared, [])


def test_without_selective_acknowledgements_recovery_is_not_declared():
    name, found = found_in(frames_of(LAWS["prr"]))
    declared = {"name": name, "transport": {"sack": False}}
    assert with_reduction(declared, found[name]) == (declared, [])


def test_short_flights_show_nothing_and_most_recoveries_decide():
    at_once = Recovery(100, [LetGo(50, 50), LetGo(51, 51)])
    proportional = Recovery(100, [LetGo(count, count) for count in range(2, 52, 2)])
    assert shown([Recovery(60, [LetGo(30, 30)]), Recovery(100, [])]) is None
    assert shown([at_once, proportional, proportional]) == "prr"
    assert shown([at_once]) == "rfc6675"


def test_acknowledgements_of_one_time_stamp_make_no_pause():
    """Those of an A-MPDU come together: between the bounds of two segments nothing need have been waited for."""
    bursts = [LetGo(0, 32), LetGo(0, 32), LetGo(33, 64), LetGo(65, 96), LetGo(97, 128)]
    assert shown([Recovery(256, bursts)]) == "prr"


def test_what_is_unclear_goes_down_at_once_in_some_of_the_worlds():
    transport = {"sack": True, "recovery": "prr"}
    world = {"nodes": [], "links": [], "flows": [{"name": name, "transport": transport} for name in ("f", "g")]}
    drawn = [Unknowns(unclear_recoveries=("f",)).draw(world, number)["flows"] for number in range(40)]
    kinds = [flows[0]["transport"]["recovery"] for flows in drawn]
    assert 10 <= kinds.count("rfc6675") <= 30
    assert 10 <= kinds.count("prr") <= 30
    assert all(flows[1]["transport"] == transport for flows in drawn)
