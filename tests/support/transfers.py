"""Frames of TCP transfers whose queue and wires are known."""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows.studied import select_flows
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
