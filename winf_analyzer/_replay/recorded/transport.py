"""What a recording shows of TCP's constants, and what is presumed of the rest."""

from __future__ import annotations

from typing import Any

from winf_analyzer._replay.recorded.conversations import LLC_BYTES
from winf_analyzer._replay.recorded.sources import Seen

RECEIVE_WINDOW_BYTES = 1 << 20
"""Presumed: the factor that window fields are scaled by is agreed on once, and seldom recorded."""

INITIAL_WINDOW_SEGMENTS = 10
"""RFC 6928, and every common system."""

SEGMENT_BYTES = 1460
"""Of a transfer in place of datagrams, whatever their size: what an Ethernet frame holds behind IP and TCP."""

INITIAL_WINDOW_SEGMENTS_NS2 = 2
"""ns-2's TCP (RFC 2581)."""

MINIMUM_TIMEOUT_NS = 1_000_000_000
"""RFC 6298."""

MINIMUM_TIMEOUT_NS2_NS = 200_000_000
"""ns-2's TCP."""

DELAYED_ACK_NS = 200_000_000
"""Where acknowledgements are seen to be delayed; RFC 5681 allows 500 ms."""

NS2_HEADER_BYTES = 40
"""ns-2's TCP and IP headers, which its traces count to the packet."""

_MOST_INITIAL = 1000
"""The engine's limit."""

_LEAST_TIMEOUT_NS = 1_000_000
"""The engine's limit."""

_EVERY_SECOND = 0.75
"""Fewer different acknowledgements per segment than this: every second segment is acknowledged."""

_SACK_BYTES = 10
"""A selective acknowledgement is at least so much longer than a plain one (RFC 2018, sec. 3)."""


def transport(
    first: dict[str, Any], back: dict[str, Any] | None, seen: Seen | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Sizes and constants of a TCP flow, as the engine declares them, and what was presumed.

    Args:
        first: the row of :func:`.conversations.legs` of the data's first link.
        back: that of the acknowledgements' first link, where they were recorded.
        seen: what the recording at the source shows.
    """
    simulated = first["mss"] is None
    payload, header = _sizes(first)
    notes = []
    ack = round(back["ack_bytes"]) if back and back["ack_bytes"] else None
    if ack is None:
        ack = NS2_HEADER_BYTES if simulated else LLC_BYTES + 40
        notes.append(f"no acknowledgement recorded; presumed to be of {ack} bytes, one for every segment")
    share = back["acks"] / first["segments"] if back and back["acks"] and first["segments"] else 1.0
    delayed = share < _EVERY_SECOND
    selective = _selective(back)
    if selective is None:
        selective = not simulated
        notes.append(f"selective acknowledgements presumed {'on' if selective else 'off'}")
    initial = INITIAL_WINDOW_SEGMENTS_NS2 if simulated else INITIAL_WINDOW_SEGMENTS
    timeout = MINIMUM_TIMEOUT_NS2_NS if simulated else MINIMUM_TIMEOUT_NS
    presumed = [f"receive window of {RECEIVE_WINDOW_BYTES} bytes", "no ECN"]
    seen = seen or Seen()
    if seen.initial_segments is None:
        presumed.append(f"initial window of {initial} segments")
    else:
        initial = min(_MOST_INITIAL, seen.initial_segments)
        notes.append(f"initial window of {initial} segments, as seen: the source waited for the first acknowledgement")
    if seen.timeout_ns is None or seen.timeout_ns >= timeout:
        presumed.append(f"least timeout of {timeout / 1e9:g} s")
    else:
        timeout = max(_LEAST_TIMEOUT_NS, seen.timeout_ns)
        notes.append(f"least timeout of {timeout / 1e9:g} s, the least time seen before a segment was repeated")
    notes.append(f"{', '.join(presumed)} presumed")
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


def presumed_transport() -> dict[str, Any]:
    """Sizes and constants of a transfer in place of datagrams, of which a recording shows nothing."""
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
    """Segment and headers, bytes; LLC counts to the headers."""
    if first["mss"]:
        return int(first["mss"]), int(first["header_bytes"] or LLC_BYTES + 40)
    size = round(first["payload_bytes"] or 1000 + NS2_HEADER_BYTES)
    header = min(NS2_HEADER_BYTES, size - 1)
    return size - header, header


def _selective(back: dict[str, Any] | None) -> bool | None:
    """Whether acknowledgements were seen to carry ranges; None: none was ever longer than the others."""
    if not back or back["ack_bytes"] is None:
        return None
    return True if back["ack_bytes_max"] >= back["ack_bytes"] + _SACK_BYTES else None
