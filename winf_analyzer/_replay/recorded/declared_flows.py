"""The flows of a world as the engine declares them, with the hosts behind their stations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from winf_analyzer._replay.recorded.flows import conversations, wires
from winf_analyzer._replay.recorded.flows.pauses import writes
from winf_analyzer._replay.recorded.flows.reductions import window_reductions, with_reduction
from winf_analyzer._replay.recorded.flows.sources import source_behaviour
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow, Writes, engine_flow
from winf_analyzer._replay.recorded.queues.written import most_waiting
from winf_analyzer._replay.recorded.recording import Recording
from winf_analyzer._replay.recorded.traffic import Traffic
from winf_analyzer._replay.topologies.world import KEPT_CONTROLLER, KEPT_CONTROLLER_NAME


class DeclaredFlows(NamedTuple):
    """Flows of a world."""

    flows: list[dict[str, Any]]
    """The engine's ``flows``: those under study, and then those that respond."""

    wired: list[dict[str, Any]]
    """Links to hosts behind their stations."""

    presumed_recoveries: tuple[str, ...]
    """Flows of which it is not known how their windows go down in fast recovery."""

    waits_for_applications: bool
    """Some source had nothing to send at times."""

    waiting: int
    """How many packets waited at most before one that an application had written."""

    unseen_wires: dict[str, int]
    """Hosts that may be behind a wire, and its longest round-trip time, ns."""

    as_recorded: list[dict[str, Any]] | None
    """The flows where bulk transfers stand in place of what applications wrote, or of datagrams; None: none does."""

    notes: list[str]
    """Assumptions about what the recording does not show."""


def declared_flows(
    recording: Recording, traffic: Traffic, backoff_ns: int, queue_packets: int, *, transfers: bool
) -> DeclaredFlows:
    """The flows of ``traffic``; with ``transfers`` TCP sources do not wait for their applications.

    ``backoff_ns``: the longest backoff of a first attempt; ``queue_packets``: the most that wait in a queue.
    """
    frames, tcp = recording.frames, traffic.tcp
    first_ns, last_ns = recording.span
    loads = conversations.offered_load(frames).iter_rows(named=True)
    offered = {(row["conversation"], row["origin"]): row for row in loads}
    own = {flow.conversation: flow.path[0] for flow in tcp if flow.first["observer"] == flow.path[0]}
    behind = {flow.conversation: traffic.hosts[flow.name].source_ns for flow in tcp}
    known = source_behaviour(frames, own, behind)
    waiting_for = [(flow, traffic.hosts[flow.name]) for flow in tcp]
    waited = writes(frames, waiting_for, backoff_ns, queue_packets)
    written = {} if transfers else waited
    recovered = window_reductions(frames, traffic.flows)
    notes: list[str] = []
    studied, kept = [], []
    wired: list[dict[str, Any]] = []

    def declared(flow: StudiedFlow, writes: Writes | None) -> tuple[dict[str, Any], list[dict[str, Any]], list[str]]:
        """The flow, the wires at its ends, and notes."""
        load = offered.get((flow.conversation, flow.first["origin"]))
        spec, said = engine_flow(flow, load, known.get(flow.conversation), writes, first_ns, last_ns)
        if not flow.tcp:
            return spec, [], said
        spec, of_reduction = with_reduction(spec, recovered.get(flow.name))
        spec, links = wires.with_wires(spec, flow, traffic.hosts[flow.name])
        return spec, links, [*said, *of_reduction, *wires.notes(flow, traffic.hosts[flow.name])]

    for flow in traffic.flows:
        spec, links, said = declared(flow, written.get(flow.name))
        notes += said
        wired = wires.one_each([*wired, *links])
        if flow in traffic.responding:
            kept.append(spec | {"controller": KEPT_CONTROLLER, "background": True})
            notes.append(f"{flow.name}: not under study; assumed to run {KEPT_CONTROLLER_NAME}, and responds")
        else:
            studied.append(spec)
    as_recorded = None
    if waited != written or any(flow.transfer for flow in traffic.flows):
        themselves = [replace(flow, transfer=False) for flow in traffic.flows if flow not in traffic.responding]
        as_recorded = [*(declared(flow, waited.get(flow.name))[0] for flow in themselves), *kept]
    presumed = tuple(name for name, found in recovered.items() if found.is_presumed)
    waiting = most_waiting(frames, [(flow, written[flow.name]) for flow in tcp if flow.name in written])
    seen = {end for link in wired if link["medium"]["wired"]["delay_ns"] for end in (link["from"], link["to"])}
    unseen = {
        host: most_ns
        for flow in tcp
        if (most_ns := traffic.hosts[flow.name].most_source_ns) is not None
        and (host := wires.hosts(flow)[0]) not in seen
    }
    return DeclaredFlows([*studied, *kept], wired, presumed, bool(written), waiting, unseen, as_recorded, notes)


def scheduled_flows(others: dict[tuple[str, str], list[tuple[int, int]]]) -> list[dict[str, Any]]:
    """Packets of other flows, by link, that are sent at their recorded times, see :func:`.cross_traffic.packets`."""
    return [
        {
            "name": f"others {sender} > {receiver}",
            "path": [sender, receiver],
            "source": {"scheduled": packets},
            "payload_bytes": max(size for _, size in packets),
            "header_bytes": 0,
            "ack_bytes": 0,
            "background": True,
        }
        for (sender, receiver), packets in others.items()
    ]
