"""The flows under study of a recording, as the engine declares flows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import polars as pl

from winf_analyzer._replay.recorded.flows.conversations import LLC_BYTES, SIGNALLING
from winf_analyzer._replay.recorded.flows.routes import route
from winf_analyzer._replay.recorded.flows.sources import SourceBehaviour
from winf_analyzer._replay.recorded.flows.transport import default_transport, transport
from winf_analyzer._util.errors import UnusableInput, UsageError

MIN_FLOW_PACKETS = 10
"""A conversation with at most this many data packets is not a flow under study by default."""

MIN_QUIET_NS = 1_000_000_000
"""A source that is silent for this long at the end of a recording is assumed to have finished."""

MIN_CBR_BPS = 1000
"""The lowest constant rate that a world can declare."""

Row = dict[str, Any]

Writes = list[tuple[int, int]]
"""Instant (ns, on the recording's clock) and octets of each write of an application."""


@dataclass(frozen=True)
class StudiedFlow:
    """A flow under study."""

    name: str
    conversation: str
    path: tuple[str, ...]
    reverse_path: tuple[str, ...]
    first: Row
    """The row of :func:`.conversations.conversation_hops` of the first link of its path; counts and times are those of
    all links that took its place."""
    back: Row | None
    """The row of the first link of the reverse path."""
    tcp: bool
    transfer: bool = False
    """A UDP flow that is replaced with a bulk transfer under the controller."""
    elsewhere: tuple[tuple[str, str], ...] = ()
    """Links that took the place of the first, while a station was with another access point, or by another route."""

    @property
    def fills(self) -> bool:
        """It sends what its controller allows: its links may have full queues."""
        return self.tcp or self.transfer

    @property
    def links(self) -> set[tuple[str, str]]:
        """Its links in both directions."""
        ways = [self.path, self.reverse_path] if self.fills else [self.path]
        return {(a, b) for way in ways for a, b in pairwise(way)}

    @property
    def against_its_name(self) -> tuple[str, str] | None:
        """Both ends, sender of the data first, where the name has them the other way: it has the lesser one first."""
        parts = self.conversation.split()
        if self.name != self.conversation or len(parts) != 3:
            return None
        _, one, other = parts
        hosts = [(end.rpartition(":")[0] or end).strip("[]") for end in (one, other)]
        return (other, one) if hosts[1] == self.first["origin"] != hosts[0] else None


def select_flows(
    conversation_hops: pl.DataFrame,
    names: Sequence[str] | None,
    where: str,
    *,
    transfers: bool = False,
    may_be_none: bool = False,
) -> list[StudiedFlow]:
    """The named flows; by default all TCP flows, else all flows, with more than :data:`MIN_FLOW_PACKETS` packets.

    With ``transfers``, UDP flows become bulk transfers under the controller, except those to groups, for TCP has one
    receiver.

    Raises:
        UsageError: there is no flow of a given name.
        UnusableInput: there is no flow, unless ``may_be_none``.
    """
    chosen = _long(conversation_hops) if names is None else conversation_hops
    flows = [flow for rows in chosen.partition_by("conversation", maintain_order=True) for flow in _flows(rows)]
    if transfers:
        flows = [replace(flow, transfer=not (flow.tcp or flow.first["to_group"])) for flow in flows]
    if names is not None:
        known = {flow.name: flow for flow in flows} | {flow.conversation: flow for flow in flows}
        if unknown := [name for name in names if name not in known]:
            raise UsageError(f"{where}: no flow {unknown[0]!r}; it has {', '.join(map(repr, known)) or 'none'}.")
        return list({flow.name: flow for flow in (known[name] for name in names)}.values())
    long = [flow for flow in flows if flow.first["packets"] > MIN_FLOW_PACKETS]
    studied = [flow for flow in long if flow.tcp] or long
    if not studied and not may_be_none:
        raise UnusableInput(
            f"{where}: no flow of more than {MIN_FLOW_PACKETS} packets to one station; "
            f"name one with --flows, or a world with --topology."
        )
    return studied


def responding_flows(conversation_hops: pl.DataFrame, studied: Sequence[StudiedFlow]) -> list[StudiedFlow]:
    """The TCP flows of more than :data:`MIN_FLOW_PACKETS` packets that are not under study."""
    names = {flow.name for flow in studied}
    return [
        flow
        for rows in _long(conversation_hops).partition_by("conversation", maintain_order=True)
        for flow in _flows(rows)
        if flow.tcp and flow.first["packets"] > MIN_FLOW_PACKETS and flow.name not in names
    ]


def _long(conversation_hops: pl.DataFrame) -> pl.DataFrame:
    """The conversations that may have more than :data:`MIN_FLOW_PACKETS` packets: of many, nearly all have a few."""
    return conversation_hops.filter((pl.col("packets").max() > MIN_FLOW_PACKETS).over("conversation"))


def _flows(rows: pl.DataFrame) -> list[StudiedFlow]:
    """The flows of one conversation: one for TCP, else one per direction with data."""
    proto = rows["proto"].drop_nulls().first()
    if proto in SIGNALLING:
        return []
    directions = {key[0]: part for key, part in rows.group_by("origin", maintain_order=True)}
    most_first = rows.sort("data_bytes", descending=True, nulls_last=True, maintain_order=True)
    by_data = most_first["origin"].unique(maintain_order=True).to_list()
    if proto == "tcp":
        return [_flow(directions, by_data[0], tcp=True)] if directions[by_data[0]]["packets"].max() else []
    talking = [origin for origin in by_data if directions[origin]["packets"].max()]
    flows = [_flow(directions, origin, tcp=False) for origin in talking]
    if len(flows) > 1:
        flows = [replace(flow, name=f"{flow.name} from {origin}") for flow, origin in zip(flows, talking, strict=True)]
    return flows


def _flow(directions: dict[Any, pl.DataFrame], origin: Any, *, tcp: bool) -> StudiedFlow:
    there = directions[origin]
    path = _route(there, "packets")
    answering = [name for name in directions if name != origin]
    back = directions[answering[0]] if answering and tcp else None
    path, reverse = _joined(path, _route(back, "frames") if back is not None else ())
    conversation = there["conversation"][0]
    first = _leg(there, path) or there.row(0, named=True)
    others = _in_its_place(there, first)
    return StudiedFlow(
        conversation,
        conversation,
        path,
        reverse,
        _together([first, *others]),
        (back is not None and _leg(back, reverse)) or None,
        tcp,
        elsewhere=tuple((row["sender"], row["receiver"]) for row in others),
    )


def _in_its_place(rows: pl.DataFrame, first: Row) -> list[Row]:
    """The rows of links that took packets in place of the first: they share an end with it, and do not forward.

    Links that share none may carry the same packets, at the other end of a wire.
    """
    if first["to_group"]:  # an access point may send a copy to each of its stations
        return []
    received = set(rows["receiver"])
    return [
        row
        for row in rows.iter_rows(named=True)
        if row["packets"] > MIN_FLOW_PACKETS
        and (row["sender"] == first["sender"]) != (row["receiver"] == first["receiver"])
        and (row["sender"] == first["sender"] or row["sender"] not in received)
    ]


def _together(legs: list[Row]) -> Row:
    """The first of these rows with what all have carried."""
    by_key = {key: [leg[key] for leg in legs if leg[key] is not None] for key in legs[0]}
    reduced = {key: sum(by_key[key]) for key in ("packets", "data_bytes")}
    reduced |= {key: min(by_key[key], default=None) for key in ("first_ns", "opened_ns", "first_seq")}
    reduced |= {key: max(by_key[key], default=None) for key in ("last_ns", "end_seq", "closed")}
    return legs[0] | reduced


def _joined(path: tuple[str, ...], reverse: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Both ways between the same ends: a station that the recorder does not hear is known from what is sent to it."""
    if path[0] in reverse:
        path = (*reversed(reverse[reverse.index(path[0]) + 1 :]), *path)
    if reverse and reverse[0] in path:
        reverse = (*reversed(path[path.index(reverse[0]) + 1 :]), *reverse)
    is_whole = reverse and reverse[0] == path[-1] and reverse[-1] == path[0]
    return path, reverse if is_whole else path[::-1]


def _route(rows: pl.DataFrame, count: str) -> tuple[str, ...]:
    return route(rows.select("sender", "receiver", count).iter_rows())


def _leg(rows: pl.DataFrame, path: tuple[str, ...]) -> Row | None:
    """The row of the first recorded link of a path."""
    found = {(row["sender"], row["receiver"]): row for row in rows.iter_rows(named=True)}
    return next((found[hop] for hop in pairwise(path) if hop in found), None)


def engine_flow(
    flow: StudiedFlow,
    offered_load: Row | None,
    source_behaviour: SourceBehaviour | None,
    writes: Writes | None,
    origin_ns: int,
    last_ns: int,
) -> tuple[dict[str, Any], list[str]]:
    """The flow as the engine declares it, and notes on assumptions.

    Args:
        flow: the flow.
        offered_load: its row of :func:`.conversations.offered_load`.
        source_behaviour: that of its source, for TCP.
        writes: of a TCP flow whose source waited for its application, see :mod:`.pauses`.
        origin_ns: start of the world on the recording's clock.
        last_ns: end of the recording.
    """
    first = flow.first
    start_ns = max(0, (first["first_ns"] or origin_ns) - origin_ns)
    declared: dict[str, Any] = {"name": flow.name, "path": list(flow.path), "start_ns": start_ns}
    is_quiet = last_ns - (first["last_ns"] or last_ns) > MIN_QUIET_NS
    ends = flow.against_its_name
    notes = [f"data go from {ends[0]} to {ends[1]}"] if ends else []
    if flow.elsewhere:
        own, *others = (" > ".join(link) for link in ((first["sender"], first["receiver"]), *flow.elsewhere))
        notes.append(f"moved between {own} and {' and '.join(others)}; replayed over {own}")
    if flow.tcp:
        constants, assumed = transport(first, flow.back, source_behaviour)
        notes += assumed
        declared |= constants
        if flow.reverse_path != flow.path[::-1]:
            declared["reverse_path"] = list(flow.reverse_path)
        if writes:
            segments = segments_of(writes, int(first["mss"]), origin_ns)
            # An application that opens a connection before it writes has not delivered anything until then.
            opened_ns = max(0, (first.get("opened_ns") or writes[0][0]) - origin_ns)
            declared |= {"source": {"scheduled": segments}, "start_ns": min(opened_ns, segments[0][0])}
            notes.append(
                f"its application wrote {len(writes)} times, and had nothing to send between (observed): "
                "it writes as much at the same times"
            )
        elif first["closed"] and first["end_seq"] is not None:
            declared["source"] = {"bytes": max(1, int(first["end_seq"] - first["first_seq"]))}
        elif is_quiet:
            declared["stop_ns"] = first["last_ns"] - origin_ns
        return declared, [f"{flow.name}: {note}" for note in notes]
    payload, header = _datagram(first, offered_load)
    span, packets = _span(first, offered_load)
    if offered_load is not None:
        declared["start_ns"] = max(0, offered_load["offered_first_ns"] - origin_ns)
    # So that the source still sends the last packet.
    declared["stop_ns"] = declared["start_ns"] + int(span) + 1
    if flow.transfer:
        notes.append("replaced with a bulk transfer")
        return declared | default_transport(), [f"{flow.name}: {note}" for note in notes]
    if offered_load is None:
        notes.append("sends at the mean rate of its first link; packets dropped in its queue are unknown")
    if first["proto"] is None:
        notes.append("no IP header was read (encrypted, or not IP); assumed to be UDP at a constant rate")
    declared |= {
        "payload_bytes": payload,
        "header_bytes": header,
        "ack_bytes": 0,
        "source": _evenly(declared["start_ns"], span, packets, payload),
    }
    return declared, [f"{flow.name}: {note}" for note in notes]


def _evenly(start_ns: int, span_ns: float, packets: int, payload: int) -> dict[str, Any]:
    """A source of so many packets: a constant rate, or where that is less than a world can declare, their times."""
    if packets > 1 and span_ns > 0:
        rate_bps = payload * 8 * (packets - 1) * 1e9 / span_ns
        if rate_bps >= MIN_CBR_BPS:
            return {"cbr": {"rate_bps": round(rate_bps)}}
    step_ns = span_ns / max(packets - 1, 1)
    return {"scheduled": [[start_ns + round(step_ns * number), payload] for number in range(packets)]}


def segments_of(writes: Writes, segment_octets: int, origin_ns: int) -> list[list[int]]:
    """Start on the clock of the world and payload of each segment that is written."""
    segments = []
    for at_ns, octets in writes:
        full, rest = divmod(octets, segment_octets)
        sizes = [segment_octets] * full + [rest] * (rest > 0)
        segments += [[max(0, at_ns - origin_ns), size] for size in sizes]
    return segments


def delivered_bps(flow: StudiedFlow) -> float | None:
    """What a TCP flow sent on, by its sequence numbers; None if it ended, or they are unknown."""
    first = flow.first
    if not flow.tcp or not first["mss"] or first["end_seq"] is None or first["closed"]:
        return None
    octets, span_ns = first["end_seq"] - first["first_seq"], (first["last_ns"] or 0) - (first["first_ns"] or 0)
    return 8e9 * octets / span_ns if 0 < octets < 1 << 31 and span_ns > 0 else None


def _datagram(first: Row, offered_load: Row | None) -> tuple[int, int]:
    """Payload and header sizes of a datagram, bytes."""
    size = max(1, round(first["payload_bytes"] or 1))
    if offered_load is not None:
        payload = min(size, max(1, round(offered_load["offered_bytes"] or size)))
        return payload, size - payload
    header = LLC_BYTES + (48 if ":" in str(first["origin"]) and first["proto"] else 28)
    return max(1, size - header), min(header, size - 1)


def _span(first: Row, offered_load: Row | None) -> tuple[float, int]:
    """Time from the first to the last packet, ns, and the number of packets."""
    if offered_load is not None:
        return offered_load["offered_last_ns"] - offered_load["offered_first_ns"], offered_load["offered_packets"]
    return (first["last_ns"] or 0) - (first["first_ns"] or 0), first["packets"]
