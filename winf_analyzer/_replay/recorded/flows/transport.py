"""Constants of TCP flows: those that a recording shows, else assumptions."""

from __future__ import annotations

from typing import Any

from winf_analyzer._replay.recorded.flows.conversations import LLC_BYTES
from winf_analyzer._replay.recorded.flows.sources import SourceBehaviour

RECEIVE_WINDOW_BYTES = 6 << 20
"""Assumed receive window: the window scale is only in the SYN, which is seldom recorded. It is the largest to which
Linux tunes it by itself (``tcp_rmem``)."""

INITIAL_WINDOW_SEGMENTS = 10
"""RFC 6928, and all common systems."""

FULL = 0.95
"""Mean size of segments, as a share of the largest, from which on the rest are ends of what an application wrote."""

SEGMENT_BYTES = 1460
"""Segment size of a bulk transfer in place of a UDP flow: an Ethernet payload minus IP and TCP headers."""

INITIAL_WINDOW_SEGMENTS_NS2 = 2
"""ns-2's TCP (RFC 2581)."""

MINIMUM_TIMEOUT_NS = 1_000_000_000
"""RFC 6298."""

MINIMUM_TIMEOUT_NS2_NS = 200_000_000
"""ns-2's TCP."""

DELAYED_ACK_NS = 200_000_000
"""If acknowledgements are delayed; RFC 5681 allows up to 500 ms."""

NS2_HEADER_BYTES = 40
"""ns-2's TCP and IP headers, which its packet sizes include."""

_MAX_INITIAL_WINDOW = 1000
"""The engine's limit."""

_MIN_TIMEOUT_NS = 1_000_000
"""The engine's limit."""

_MIN_DELAYED_STEP = 1.5
"""Acknowledgements are delayed (every second segment) if the median one acknowledges at least so many segments more
than the one before. Lost acknowledgements do not make that of a receiver that answers each segment 2, unless half of
them are lost; what acknowledges much after a gap does not count."""

_MIN_STEPS = 10
"""Minimum number of acknowledgements for that."""

_SACK_BYTES = 10
"""Minimum length of the SACK option (RFC 2018, sec. 3)."""


def transport(
    first: dict[str, Any], back: dict[str, Any] | None, source_behaviour: SourceBehaviour | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Sizes and constants of a TCP flow, as the engine declares them, and notes on assumptions.

    Args:
        first: the row of :func:`.conversations.conversation_hops` of the data's first link.
        back: that of the acknowledgements' first link, if recorded.
        source_behaviour: that of the source, if it recorded itself.
    """
    is_simulated = first["mss"] is None
    payload, header = _sizes(first)
    notes = []
    ack = round(back["ack_bytes"]) if back and back["ack_bytes"] else None
    if ack is None:
        ack = NS2_HEADER_BYTES if is_simulated else LLC_BYTES + 40
        notes.append(f"no acknowledgement recorded; assumed {ack} bytes, one per segment")
    delayed = acknowledges_two(first, back)
    if delayed is None and back:
        notes.append("too few acknowledgements to tell whether they are delayed; assumed one per segment")
    selective = _selective(back)
    if selective is None:
        selective = not is_simulated
        notes.append(f"SACK assumed {'on' if selective else 'off'}")
    initial = INITIAL_WINDOW_SEGMENTS_NS2 if is_simulated else INITIAL_WINDOW_SEGMENTS
    timeout = MINIMUM_TIMEOUT_NS2_NS if is_simulated else MINIMUM_TIMEOUT_NS
    assumed = [f"receive window of {RECEIVE_WINDOW_BYTES} bytes", "no ECN"]
    source_behaviour = source_behaviour or SourceBehaviour()
    if source_behaviour.initial_segments is None:
        assumed.append(f"initial window of {initial} segments")
    else:
        initial = min(_MAX_INITIAL_WINDOW, source_behaviour.initial_segments)
        notes.append(f"initial window of {initial} segments (observed: the source waited for an acknowledgement)")
    if source_behaviour.timeout_ns is None or source_behaviour.timeout_ns >= timeout:
        assumed.append(f"minimum timeout of {timeout / 1e9:g} s")
    else:
        timeout = max(_MIN_TIMEOUT_NS, source_behaviour.timeout_ns)
        notes.append(f"minimum timeout of {timeout / 1e9:g} s (observed: the shortest time before a retransmission)")
    notes.append(f"{', '.join(assumed)} assumed")
    return {
        "payload_bytes": payload,
        "header_bytes": header,
        "ack_bytes": ack,
        "transport": {
            "receive_window_bytes": RECEIVE_WINDOW_BYTES,
            "initial_window_segments": initial,
            "sack": selective,
            "minimum_timeout_ns": timeout,
            "delayed_ack_ns": DELAYED_ACK_NS if delayed else None,
        },
    }, notes


def acknowledges_two(first: dict[str, Any], back: dict[str, Any] | None) -> bool | None:
    """Whether acknowledgements are delayed (RFC 5681, sec. 4.2); None if too few are recorded to tell.

    Args:
        first: the row of :func:`.conversations.conversation_hops` of the data's first link.
        back: that of the acknowledgements' first link, where they have not been lost yet, if recorded.
    """
    if not back or not back["ack_step"] or back["ack_steps"] < _MIN_STEPS:
        return None
    # ns-2 numbers segments, not bytes.
    return bool(back["ack_step"] >= _MIN_DELAYED_STEP * (segment_bytes(first) if first["mss"] else 1))


def segment_bytes(first: dict[str, Any]) -> int:
    """Mean payload of a flow's segments; the largest if nearly all are full.

    Applications that write small pieces make segments of several sizes even while they have more to send.
    """
    largest = int(first["mss"])
    mean = round(first["data_bytes"] / first["packets"]) if first["packets"] else largest
    return mean if 0 < mean < FULL * largest else largest


def default_transport() -> dict[str, Any]:
    """Sizes and constants of a bulk transfer in place of a UDP flow."""
    return {
        "payload_bytes": SEGMENT_BYTES,
        "header_bytes": LLC_BYTES + 40,
        "ack_bytes": LLC_BYTES + 40,
        "transport": {
            "receive_window_bytes": RECEIVE_WINDOW_BYTES,
            "initial_window_segments": INITIAL_WINDOW_SEGMENTS,
            "sack": True,
            "minimum_timeout_ns": MINIMUM_TIMEOUT_NS,
        },
    }


def _sizes(first: dict[str, Any]) -> tuple[int, int]:
    """Segment and header sizes, bytes; the headers include LLC."""
    if first["mss"]:
        return segment_bytes(first), int(first["header_bytes"] or LLC_BYTES + 40)
    size = round(first["payload_bytes"] or 1000 + NS2_HEADER_BYTES)
    header = min(NS2_HEADER_BYTES, size - 1)
    return size - header, header


def _selective(back: dict[str, Any] | None) -> bool | None:
    """True if acknowledgements carry SACK blocks; None if unknown, since none is longer than the others."""
    if not back or back["ack_bytes"] is None:
        return None
    return True if back["ack_bytes_max"] >= back["ack_bytes"] + _SACK_BYTES else None
