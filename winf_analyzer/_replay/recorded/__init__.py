"""The world of a recording, in which a replay against a dataset runs.

::

    recording       its tables, and what several parts read from them
    traffic         the flows that run under controllers, and what is behind their stations
    medium          the MAC, who hears whom, and what else is on the air
    queueing        what waits where
    declared_links  the wireless links as the engine declares them
    declared_flows  the flows as the engine declares them

    flows           conversations, paths, TCP constants, hosts behind stations
    mac             MAC parameters, retry limits, A-MPDUs, deviations from the standard
    hearing         which node decodes which node
    queues          limits of queues, lifetimes of packets
    links           rates, airtimes, losses
    views           the recording that represents each link
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from winf_analyzer._replay.recorded.declared_flows import declared_flows, scheduled_flows
from winf_analyzer._replay.recorded.declared_links import declared_links
from winf_analyzer._replay.recorded.flows.outcomes import outcomes
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow, delivered_bps
from winf_analyzer._replay.recorded.flows.transport import acknowledges_two
from winf_analyzer._replay.recorded.hearing.audibility import heard_beside
from winf_analyzer._replay.recorded.links.route_failures import route_repair_ns
from winf_analyzer._replay.recorded.mac.aggregation import Aggregates, aggregates, with_full_queues
from winf_analyzer._replay.recorded.mac.retries import missing_packets, repeated_shares
from winf_analyzer._replay.recorded.medium import Medium, medium_of
from winf_analyzer._replay.recorded.queueing import queueing_of
from winf_analyzer._replay.recorded.queues.unseen_wires import unseen_wires
from winf_analyzer._replay.recorded.recording import Recording
from winf_analyzer._replay.recorded.traffic import Traffic, traffic_of
from winf_analyzer._replay.reference_runs import FLOW_SECONDS
from winf_analyzer._replay.scenarios import shortened
from winf_analyzer._replay.topologies.world import World
from winf_analyzer._replay.unknowns import THIRD_PARTY, Link, Unknowns

if TYPE_CHECKING:
    from winf_analyzer._dataset.dataset import Dataset


class RecordedWorld(NamedTuple):
    """A world built from a recording."""

    world: World
    """The world as the engine reads it, with the flows under study."""

    origin_ns: int
    """Start of the world on the recording's clock."""

    notes: list[str]
    """Assumptions about what the recording does not show."""

    unknowns: Unknowns
    """What the recording leaves open, for predictions to vary over."""

    with_wires: Callable[[float | None], RecordedWorld]
    """The same where wires of which nothing is known have this share of the longest delay that they may have; None: and
    those that only drops of queues show are none."""

    filled: Collection[Link] = ()
    """Links whose queues bulk transfers in place of recorded flows fill."""

    aggregates: Callable[[Collection[Link]], Aggregates | None] = lambda _: None
    """A-MPDUs of the recording if the queues of these links are full."""

    def with_full_queues(
        self, world: World, unknowns: Unknowns, links: Collection[Link]
    ) -> tuple[World, Unknowns, list[str]]:
        """A world like this one whose ``links`` carry more than was recorded, what is open in it, and notes."""
        together = self.aggregates(links)
        if together is None or not together.filled:
            return world, unknowns, []
        presumed = tuple(dict.fromkeys((*unknowns.presumed_aggregation, *together.presumed)))
        notes = [*([] if "aggregation" in world["mac"] else [together.note]), *together.filled_notes]
        return with_full_queues(world, together), replace(unknowns, presumed_aggregation=presumed), notes


def world_of(
    dataset: Dataset, flows: Sequence[str] | None, *, transfers: bool = False, lifted: Sequence[str] = ()
) -> RecordedWorld:
    """Build the world of a dataset.

    Several recordings that were not merged are assumed to share a clock, like those of simulators.

    Args:
        dataset: a dataset.
        flows: names of the flows under study (``tcp 10.0.0.1:49153 10.0.0.3:5001``); by default all TCP flows, or if
            there are none all unicast flows, with more than :data:`.studied.MIN_FLOW_PACKETS` packets. TCP flows
            that are not named respond, under :data:`KEPT_CONTROLLER_NAME`; other traffic is sent as recorded.
        transfers: replace UDP flows with bulk transfers, because congestion control does not affect UDP, and let TCP
            sources that waited for their applications send as much as they can.
        lifted: names of further flows that are taken out of the recording and declared, so that a scenario may leave
            them out.

    Raises:
        UsageError: the recording has no such flow; the message lists its flows.
        UnusableInput: the recording lacks data that a world needs.
    """
    recording = Recording.of(dataset)
    traffic = traffic_of(recording, flows, transfers=transfers, lifted=lifted)
    medium = medium_of(recording, traffic)

    def made(share: float | None) -> RecordedWorld:
        presumed = {
            name: round(share * hosts.most_source_ns)
            for name, hosts in traffic.hosts.items()
            if share and hosts.most_source_ns
        }
        return RecordedWorld(
            *_parts(recording, traffic.with_sources(presumed), medium, transfers=transfers, by_drops=share is not None),
            with_wires=made,
            filled=frozenset(traffic.filled_links if transfers else ()),
            aggregates=partial(aggregates, recording.frames, recording.exchanges, recording.view),
        )

    return made(0)


def _parts(
    recording: Recording, traffic: Traffic, medium: Medium, *, transfers: bool, by_drops: bool
) -> tuple[World, int, list[str], Unknowns]:
    """World, its start, notes and what is open, see :class:`RecordedWorld`."""
    queueing = queueing_of(recording, traffic, medium)
    unknown = [flow for flow in traffic.tcp if traffic.hosts[flow.name].source_ns is None]
    unseen = unseen_wires(recording.frames, unknown, queueing.limit) if by_drops else {}
    traffic = traffic.with_sources(unseen)
    first_backoff_ns = medium.usual_cw_min * medium.parameters["slot_ns"]
    most_packets = queueing.limit.bounds[1]
    sources = declared_flows(recording, traffic, first_backoff_ns, most_packets, transfers=transfers)
    scheduled = scheduled_flows(medium.others)
    if sources.waits_for_applications:
        # What such sources leave idle is no backoff.
        cw_min = min(medium.parameters["cw_min"], medium.usual_cw_min)
        medium = medium._replace(parameters=medium.parameters | {"cw_min": cw_min})
    queueing = queueing._replace(limit=queueing.limit.holding(sources.waiting))
    wireless = declared_links(recording, traffic, medium, queueing.queue)
    links = [*wireless.links, *sources.wired]
    hosts = sorted({node for link in links for node in (link["from"], link["to"])} - set(medium.nodes))
    world: World = {
        "name": recording.dataset.path.name.removesuffix(".winf"),
        "duration_ns": recording.duration_ns,
        "mac": medium.parameters,
        "nodes": [{"name": node, **queueing.of_node} for node in [*medium.nodes, *hosts]],
        "links": links,
        "flows": [*sources.flows, *scheduled],
        "hearing": medium.hearing,
        "background": medium.busy,
    }
    if wireless.changes:
        world["changes"] = wireless.changes
    notes = [*medium.notes, *queueing.notes, *wireless.notes, *sources.notes]
    repair_ns = route_repair_ns(recording.frames)
    if repair_ns is not None:
        world |= {"route_repair_ns": repair_ns, "route_repair_holds": True}
        notes.append(f"routes break when the MAC drops a packet; observed repair time {repair_ns / 1e6:.0f} ms")
    unclear = [flow.name for flow in traffic.tcp if acknowledges_two(flow.first, flow.back) is None]
    unknowns = replace(
        wireless.unknowns,
        queue_packets=queueing.limit.bounds,
        least_lifetime_ns=queueing.least_lifetime_ns,
        unclear_acks=tuple(unclear),
        unclear_recoveries=sources.presumed_recoveries,
        unseen_wires=sources.unseen_wires,
        wires_of_drops=tuple(name for name, span_ns in unseen.items() if span_ns),
    )
    studied = [flow for flow in traffic.flows if flow not in traffic.responding]
    if unknowns.model_errors is THIRD_PARTY:
        unknowns = _seen_from_beside(unknowns, recording, studied, traffic.links, medium)
        if sources.as_recorded is not None:
            unknowns = replace(unknowns, flows_as_recorded=(*sources.as_recorded, *scheduled))
    elif sources.as_recorded is None:
        until_ns = recording.origin_ns + shortened(world, FLOW_SECONDS)[0]["duration_ns"]
        payloads = {flow["name"]: flow["payload_bytes"] for flow in sources.flows}
        of_flows = [(flow, payloads[flow.name]) for flow in studied]
        unknowns = replace(unknowns, recorded=outcomes(recording.frames, of_flows, recording.origin_ns, until_ns))
    return world, recording.origin_ns, [*notes, queueing.limit.note], unknowns


def _seen_from_beside(
    unknowns: Unknowns, recording: Recording, studied: Sequence[StudiedFlow], links: Collection[Link], medium: Medium
) -> Unknowns:
    """With what a station that recorded beside the senders shows, which drawn worlds have to agree with."""
    is_limit_unknown = medium.parameters.get("rts_threshold_bytes") is not None and (
        "rts_retry_limit" not in medium.parameters
    )
    senders = {sender for sender, _ in links}
    return replace(
        unknowns,
        delivered_bps={flow.name: bps for flow in studied if (bps := delivered_bps(flow))},
        repeated=repeated_shares(recording.exchanges, recording.view),
        assumed_pairs=tuple(medium.presumed),
        missing_packets=missing_packets(recording.frames, senders) if is_limit_unknown else {},
        heard=heard_beside(recording.neighbours, medium.nodes, senders | {sender for sender, _ in medium.others}),
    )
