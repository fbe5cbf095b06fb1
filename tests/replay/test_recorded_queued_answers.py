"""Wires behind an access point whose queue is never empty, from frames of a download beside an upload."""

from __future__ import annotations

import polars as pl
import pytest

from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows.studied import select_flows
from winf_analyzer._replay.recorded.flows.wires import wires
from winf_analyzer._schema import complete

MS = 1_000_000
SEGMENT = 1000
SYN, ACK = 2, 16
OPENED_MS = 50
RECOVERIES_MS = (200, 300, 400, 500)
UPLOAD, DOWNLOAD = "tcp 10.0.0.1:1 10.0.0.3:3", "tcp 10.0.0.2:2 10.1.0.1:1"
ADDRESSES = {"up": "10.0.0.3", "ap": "10.0.0.1", "host": "10.1.0.1", "down": "10.0.0.2"}


class Medium:
    """What an access point receives, and what it sends from one queue that always holds some ten packets."""

    def __init__(self) -> None:
        self.rows: list[dict] = []
        self.queue: list[tuple[float, dict]] = []

    def received(self, at_ms: float, sender: str, **segment: int) -> None:
        flow = UPLOAD if sender == "up" else DOWNLOAD
        end_ns = round(at_ms * MS)
        self._put(end_ns - MS // 10, end_ns, {"ta": sender, "ra": "ap", "origin": sender, "flow": flow, **segment})

    def entered(self, at_ms: float, receiver: str, **segment: int) -> None:
        """A packet that comes to the queue."""
        origin, flow = ("ap", UPLOAD) if receiver == "up" else ("host", DOWNLOAD)
        self.queue.append((at_ms, {"ta": "ap", "ra": receiver, "origin": origin, "flow": flow, **segment}))

    def frames(self, *, own_first: bool = False) -> pl.LazyFrame:
        """Of a single queue, or of two, of which that of acknowledgements comes first."""
        free_ms, waiting = 0.0, sorted(self.queue, key=lambda each: each[0])
        while waiting:
            ready = [each for each in waiting if each[0] <= free_ms] or waiting[:1]
            own = [each for each in ready if own_first and each[1]["ra"] == "up"]
            at_ms, row = (own or ready)[0]
            waiting.remove((at_ms, row))
            start_ms = max(free_ms, at_ms)
            free_ms = start_ms + 2
            self._put(round(start_ms * MS), round((start_ms + 1.7) * MS), row)
        common = {"layer": "mac", "kind": "data", "is_group": False, "retry": False, "proto": "tcp", "source": "s"}
        rows = pl.DataFrame(self.rows, infer_schema_length=None).drop("origin")
        rows = rows.with_columns(fcs_ok=pl.lit(True), **{name: pl.lit(value) for name, value in common.items()})
        return complete(rows.sort("start_ns").lazy(), "frames")

    def _put(self, start_ns: int, end_ns: int, row: dict) -> None:
        segment = {"length": 0, "number": 0, "ack": 0, "flags": ACK, "tid": None} | row
        self.rows.append(
            {
                "start_ns": start_ns, "end_ns": end_ns, "ta": row["ta"], "ra": row["ra"], "origin": row["origin"],
                "src_ip": ADDRESSES[row["origin"]], "flow": row["flow"], "tcp_flags": segment["flags"],
                "transport_seq": segment["number"], "tcp_ack": segment["ack"], "tcp_payload_bytes": segment["length"],
                "payload_bytes": 48 + segment["length"], "tid": segment["tid"],
            }
        )  # fmt: skip


def duplex(
    wire_ms, *, opening=True, recoveries=RECOVERIES_MS, late_ms=(0, 0, 0, 0), other_queue=False, own_first=False
):
    """A download through a wire, with recoveries, beside an upload whose acknowledgements wait in the same queue.

    Args:
        wire_ms: round-trip time of the wire.
        opening: whether the handshake is recorded.
        recoveries: when the third duplicate comes.
        late_ms: how much later than at once the source sends what is missing.
        other_queue: acknowledgements have another category.
        own_first: they leave before segments that wait.
    """
    medium = Medium()
    tid = 6 if other_queue else None
    for turn in range(200):
        at_ms = min(turn, 60) + 4 * max(0, turn - 60)
        medium.received(at_ms, "up", number=SEGMENT * turn, length=SEGMENT)
        medium.entered(at_ms, "up", ack=SEGMENT * (turn + 1), tid=tid)
    if opening:
        medium.received(OPENED_MS, "down", flags=SYN | ACK)
        medium.entered(OPENED_MS + wire_ms, "down")
    first_ms = OPENED_MS + wire_ms + 1
    dropped = {20 * place + 5: at for place, at in enumerate(recoveries)}
    for turn in range(150):
        if turn not in dropped:
            medium.entered(first_ms + 4 * turn, "down", number=SEGMENT * turn, length=SEGMENT)
    for (turn, at_ms), late in zip(dropped.items(), late_ms, strict=False):
        for place in range(4):
            medium.received(at_ms - 3 + place, "down", ack=SEGMENT * turn)
        medium.entered(at_ms + wire_ms + late, "down", number=SEGMENT * turn, length=SEGMENT)
    return medium.frames(own_first=own_first)


def source_ms(frames):
    flows = select_flows(conversations.conversation_hops(frames), None, "run.winf")
    (flow,) = [flow for flow in flows if flow.conversation == DOWNLOAD]
    found = wires(frames, flow).source_ns
    return None if found is None else found / MS


@pytest.mark.parametrize("wire_ms", [14, 30, 60])
@pytest.mark.parametrize("opening", [True, False])
def test_a_wire_is_found_although_what_comes_from_it_waits_in_a_queue(wire_ms, opening):
    assert source_ms(duplex(wire_ms, opening=opening)) == pytest.approx(wire_ms, abs=4.5)


@pytest.mark.parametrize("opening", [True, False])
def test_a_queue_is_no_wire(opening):
    """Segments that are asked for wait 20 ms in it."""
    assert source_ms(duplex(0, opening=opening)) == 0


def test_the_handshake_tells_it_without_any_recovery():
    assert source_ms(duplex(30, recoveries=())) == pytest.approx(30, abs=4.5)


def test_of_a_single_recovery_nothing_is_told():
    assert source_ms(duplex(30, opening=False, recoveries=RECOVERIES_MS[:1])) is None


def test_what_timeouts_send_again_is_no_answer():
    assert source_ms(duplex(30, opening=False, late_ms=(60, 0, 0, 0))) == pytest.approx(30, abs=4.5)
    assert source_ms(duplex(30, opening=False, late_ms=(0, 40, 80, 120))) is None


def test_packets_of_another_category_wait_in_another_queue():
    assert source_ms(duplex(30, other_queue=True)) is None


def test_acknowledgements_with_a_queue_of_their_own_tell_nothing():
    """They do not wait, and segments do: what these wait for is no wire."""
    assert source_ms(duplex(0, opening=False, own_first=True)) is None
