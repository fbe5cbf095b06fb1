"""The world of a recording, in which a replay against a dataset runs.

::

    views                  the recording that represents each link
    conversations          end points, packet counts and packet sizes
    routes                 the path of packets
    flows                  the flows under study, as the engine declares them
    route_failures         routes that break when the MAC drops a packet
    transport              TCP constants, observed or assumed
    sources                initial window and minimum timeout of a TCP source
    pauses                 what applications wrote, where a source waited for them
    queues                 limits of queues
    standing_queues        limits of queues that stand full of acknowledgements
    disciplines            what waits above the queues of interfaces
    lifetimes              how long packets may wait in queues
    reductions             how windows go down in fast recovery
    wires                  hosts behind the stations at the ends
    links                  rates, attempts and failures
    airtimes               airtimes by packet size
    rate_steps             airtimes one after the other, where rate control settles on other rates
    aggregation            A-MPDUs
    losses                 channel losses, as opposed to collisions
    declared_links         the links as the engine declares them
    audibility             which node decodes which node
    unheard_cts            stations that do not hear each other, by CTS that a sniffer missed
    ack_only_stations      stations known only by their CTS and ACK
    mac                    MAC parameters, observed or assumed
    retries                retry limits
    contention_deviations  deviations of the MAC from the standard:
    access                 whether forwarded packets skip the backoff
    capture                capture of RTS frames
    cross_traffic          traffic of other flows
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from winf_analyzer._hidden import MIN_CONFIDENCE
from winf_analyzer._hidden import find as hidden_pairs
from winf_analyzer._mac.of_dataset import mac_parameters
from winf_analyzer._replay.recorded import conversations, cross_traffic, links, views, wires
from winf_analyzer._replay.recorded.ack_only_stations import (
    inferred_observers,
    overheard_responders,
    with_inferred_observers,
)
from winf_analyzer._replay.recorded.aggregation import aggregates
from winf_analyzer._replay.recorded.airtimes import size_airtimes
from winf_analyzer._replay.recorded.audibility import CAPTURE_DB, audibility_graph, heard_beside
from winf_analyzer._replay.recorded.capture import presumed_capture
from winf_analyzer._replay.recorded.contention_deviations import contention_deviations
from winf_analyzer._replay.recorded.declared_links import begin_with_first_steps, declared_links, later_steps
from winf_analyzer._replay.recorded.disciplines import limit_below, waits_above
from winf_analyzer._replay.recorded.flows import StudiedFlow, delivered_bps, engine_flow, responding_flows, select_flows
from winf_analyzer._replay.recorded.lifetimes import flow_waits, lifetime
from winf_analyzer._replay.recorded.mac import MacDialect, mac
from winf_analyzer._replay.recorded.pauses import writes
from winf_analyzer._replay.recorded.queues import queue_limit
from winf_analyzer._replay.recorded.rate_steps import rate_steps
from winf_analyzer._replay.recorded.reductions import window_reductions, with_reduction
from winf_analyzer._replay.recorded.retries import missing_packets, repeated_shares
from winf_analyzer._replay.recorded.route_failures import route_repair_ns
from winf_analyzer._replay.recorded.sources import source_behaviour
from winf_analyzer._replay.recorded.standing_queues import ack_waits
from winf_analyzer._replay.recorded.transport import acknowledges_two
from winf_analyzer._replay.recorded.unheard_cts import hidden_by_cts
from winf_analyzer._replay.topologies.world import KEPT_CONTROLLER, KEPT_CONTROLLER_NAME, World
from winf_analyzer._replay.unknowns import THIRD_PARTY, Link, Unknowns
from winf_analyzer._util.errors import UnusableInput

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


def world_of(
    dataset: Dataset, flows: Sequence[str] | None, *, transfers: bool = False, lifted: Sequence[str] = ()
) -> RecordedWorld:
    """Build the world of a dataset.

    Several recordings that were not merged are assumed to share a clock, like those of simulators.

    Args:
        dataset: a dataset.
        flows: names of the flows under study (``tcp 10.0.0.1:49153 10.0.0.3:5001``); by default all TCP flows, or if
            there are none all unicast flows, with more than :data:`.flows.MIN_FLOW_PACKETS` packets. TCP flows that are
            not named respond, under :data:`KEPT_CONTROLLER_NAME`; other traffic is sent as recorded.
        transfers: replace UDP flows with bulk transfers, because congestion control does not affect UDP, and let TCP
            sources that waited for their applications send as much as they can.
        lifted: names of further flows that are taken out of the recording and declared, so that a scenario may leave
            them out.

    Raises:
        UsageError: the recording has no such flow; the message lists its flows.
        UnusableInput: the recording lacks data that a world needs.
    """
    frames, exchanges = (views.read_once(dataset.scan(table)) for table in ("frames", "exchanges"))
    stations = inferred_observers(frames, exchanges)
    frames, exchanges = with_inferred_observers(frames, stations), with_inferred_observers(exchanges, stations)
    where = str(dataset.path)
    hops = conversations.conversation_hops(frames)
    studied = select_flows(hops, flows, where, transfers=transfers)
    if lifted:
        names = {flow.name for flow in studied}
        studied += [flow for flow in select_flows(hops, lifted, where) if flow.name not in names]
    responding = responding_flows(hops, studied) if flows is not None else []
    studied = [*studied, *responding]
    view = views.links(exchanges)
    first_ns, last_ns = _span(exchanges, where)
    duration_ns = last_ns - first_ns
    facts = links.facts(exchanges, view)
    dialect = MacDialect.of(dataset.metadata)
    used = {pair for flow in studied for pair in flow.links}
    parameters, notes = mac(facts, exchanges, view, used, dialect, mac_parameters(dataset))
    together = aggregates(frames, exchanges, view)
    if together:
        parameters["aggregation"] = together.parameters
        notes.append(together.note)
    access_ns = parameters["difs_ns"] + parameters["cw_min"] * parameters["slot_ns"]
    others = cross_traffic.packets(exchanges, view, studied, first_ns, access_ns)
    nodes = sorted({node for pair in (*used, *others) for node in pair})
    neighbours = _neighbours(dataset, frames, exchanges, stations)
    graph, more_notes, presumed = _audibility(exchanges, neighbours, nodes, studied, used | set(others), dialect)
    notes += more_notes
    rates = {kind: links.response_rates(frames, names) for kind, names in _RESPONSES.items()}
    if not dialect.mac:
        shown, more_notes = contention_deviations(
            frames, exchanges, view, graph["graph"], parameters["slot_ns"], parameters["difs_ns"]
        )
        parameters |= shown
        notes += more_notes
        powers, shown, more_notes = presumed_capture(graph["graph"], rates["control_rate_bps"], CAPTURE_DB)
        graph["graph"] |= powers
        parameters |= shown
        notes += more_notes
    busy, more_notes = _background(exchanges, studied, set(others), nodes, first_ns, duration_ns, parameters)
    notes += more_notes
    hosts = {flow.name: wires.wires(frames, flow) for flow in studied if flow.tcp}
    rts_attempts = parameters.get("rts_retry_limit") or parameters["short_retry_limit"]
    senders = [(flow, hosts[flow.name].source_ns or 0) for flow in studied if flow.tcp]
    direct = [flow for flow in studied if flow.tcp and not hosts[flow.name].destination_ns]
    waits = flow_waits(frames, senders)
    life = lifetime(waits)
    mpdus = together.mpdus if together else {}
    queues = queue_limit(frames, exchanges, senders, rts_attempts, mpdus, direct, expires=life.ns is not None)
    below = limit_below(waits, [int(flow.first["mss"] or 0) for flow, _ in senders])
    above = below is not None or waits_above(ack_waits(frames, direct) if life.ns is not None else [], life.ns)
    if above:
        queues = below._replace(longest_ns=queues.longest_ns) if below is not None else queues
        notes.append("FQ-CoDel above the queues of interfaces (observed), with the constants of RFC 8290")
    queue: dict[str, Any] = {"packets": queues.packets}
    if life.ns is not None:
        queue["lifetime_ns"] = life.ns
        notes.append(f"queues drop what has waited for {life.ns / 1e6:.0f} ms (observed)")
    measured = size_airtimes(exchanges, view, together.overhead_us if together else 0.0)
    wireless, unknowns, more_notes = declared_links(
        exchanges,
        view,
        facts,
        used | set(others),
        graph,
        rates,
        queue,
        together,
        measured,
    )
    notes += more_notes
    steps = rate_steps(exchanges, view, measured, first_ns, together.overhead_us if together else 0.0)
    steps = {link: of_link for link, of_link in steps.items() if link in used or link in others}
    notes += begin_with_first_steps(wireless, steps)
    offered = {
        (row["conversation"], row["origin"]): row for row in conversations.offered_load(frames).iter_rows(named=True)
    }
    known = source_behaviour(
        frames, {f.conversation: f.path[0] for f in studied if f.tcp and f.first["observer"] == f.path[0]}
    )
    written = {} if transfers else writes(frames, [(f, hosts[f.name].source_ns) for f in studied if f.tcp])
    recovered = window_reductions(frames, studied)
    declared, kept = [], []
    for flow in studied:
        source = known.get(flow.conversation)
        load = offered.get((flow.conversation, flow.first["origin"]))
        spec, more_notes = engine_flow(flow, load, source, written.get(flow.name), first_ns, last_ns)
        notes += more_notes
        if flow.tcp:
            spec, more_notes = with_reduction(spec, recovered.get(flow.name))
            notes += more_notes
            spec, wired = wires.with_wires(spec, flow, hosts[flow.name])
            wireless += [link for link in wired if link not in wireless]
            notes += wires.notes(flow, hosts[flow.name])
        if flow not in responding:
            declared.append(spec)
            continue
        kept.append(spec | {"controller": KEPT_CONTROLLER, "background": True})
        notes.append(f"{flow.name}: not under study; assumed to run {KEPT_CONTROLLER_NAME}, and responds")
    wired_nodes = sorted({node for link in wireless for node in (link["from"], link["to"])} - set(nodes))
    world: World = {
        "name": dataset.path.name.removesuffix(".winf"),
        "duration_ns": duration_ns,
        "mac": parameters,
        "nodes": [
            {"name": node, "interface_queue": queue} | ({"fq_codel": {}} if above else {})
            for node in [*nodes, *wired_nodes]
        ],
        "links": wireless,
        "flows": [*declared, *kept, *(_scheduled_flow(pair, packets) for pair, packets in others.items())],
        "hearing": graph,
        "background": busy,
    }
    if steps:
        world["changes"] = later_steps(steps)
    repair_ns = route_repair_ns(frames)
    if repair_ns is not None:
        world |= {"route_repair_ns": repair_ns, "route_repair_holds": True}
        notes.append(f"routes break when the MAC drops a packet; observed repair time {repair_ns / 1e6:.0f} ms")
    unclear = [flow.name for flow in studied if flow.tcp and acknowledges_two(flow.first, flow.back) is None]
    presumed_recoveries = tuple(name for name, found in recovered.items() if found.is_presumed)
    unknowns = replace(
        unknowns, queue_packets=queues.bounds, unclear_acks=tuple(unclear), unclear_recoveries=presumed_recoveries
    )
    if life.ns is None:
        unknowns = replace(unknowns, least_lifetime_ns=max(life.longest_ns, queues.longest_ns))
    if unknowns.model_errors is THIRD_PARTY:
        told = {flow.name: bps for flow in studied if flow not in responding and (bps := delivered_bps(flow))}
        asks = parameters.get("rts_threshold_bytes") is not None and "rts_retry_limit" not in parameters
        missing = missing_packets(frames, {a for a, _ in used}) if asks else {}
        beside = heard_beside(neighbours, nodes, {a for a, _ in (*used, *others)})
        unknowns = replace(
            unknowns,
            delivered_bps=told,
            repeated=repeated_shares(exchanges, view),
            assumed_pairs=tuple(presumed),
            missing_packets=missing,
            heard=beside,
        )
    return RecordedWorld(world, first_ns, [*notes, queues.note], unknowns)


_RESPONSES = {"control_rate_bps": ["cts"], "ack_rate_bps": ["ack", "block_ack"]}


def _scheduled_flow(pair: tuple[str, str], packets: list[tuple[int, int]]) -> dict[str, Any]:
    return {
        "name": f"others {pair[0]} > {pair[1]}",
        "path": list(pair),
        "source": {"scheduled": packets},
        "payload_bytes": max(size for _, size in packets),
        "header_bytes": 0,
        "ack_bytes": 0,
        "background": True,
    }


def _span(exchanges: pl.LazyFrame, where: str) -> tuple[int, int]:
    """Start of the first and end of the last exchange, ns."""
    row = exchanges.select(first=pl.col("start_ns").min(), last=pl.col("end_ns").max()).collect(engine="streaming")
    first, last = row.row(0)
    if first is None or last is None or last <= first:
        raise UnusableInput(f"{where}: no exchange has known times, so there is nothing to replay against.")
    return first, last


def _neighbours(
    dataset: Dataset, frames: pl.LazyFrame, exchanges: pl.LazyFrame, stations: dict[str, str]
) -> pl.DataFrame:
    """The ``neighbours`` table, and rows about stations known only by their responses."""
    columns = ["node", "neighbour", "heard", "delivery_ratio", "signal_dbm"]
    by_name = dataset.scan("neighbours").select(columns).with_columns(pl.col("node").replace(stations)).collect()
    by_answers = overheard_responders(frames, exchanges).join(by_name, on=["node", "neighbour"], how="anti")
    return pl.concat([by_name, by_answers.select(columns)], how="vertical_relaxed")


def _audibility(
    exchanges: pl.LazyFrame,
    neighbours: pl.DataFrame,
    nodes: list[str],
    studied: list[StudiedFlow],
    answered: set[tuple[str, str]],
    dialect: MacDialect,
) -> tuple[dict[str, Any], list[str], list[Link]]:
    pairs = hidden_pairs(exchanges, neighbours.lazy()).filter(pl.col("confidence") >= MIN_CONFIDENCE)
    broadcasters = exchanges.filter(pl.col("kind") == "broadcast").select("sender").unique().collect(engine="streaming")
    silent = set(nodes) - set(broadcasters["sender"]) if dialect.addressed_only else set()
    return audibility_graph(
        nodes,
        answered,
        [flow.path for flow in studied],
        neighbours,
        silent,
        set(pairs.select("sender", "hidden_from").iter_rows()) | hidden_by_cts(exchanges, answered),
    )


def _background(
    exchanges: pl.LazyFrame,
    studied: list[StudiedFlow],
    rescheduled_links: set[tuple[str, str]],
    nodes: list[str],
    origin_ns: int,
    duration_ns: int,
    parameters: dict[str, Any],
) -> tuple[list[dict[str, Any]], list[str]]:
    observers = exchanges.group_by("source", "observer").agg(uses=pl.len()).collect(engine="streaming")
    known: dict[Any, list[list[int]]] = {}
    declared, substituted = [], []
    for node in nodes:
        place = cross_traffic.observer_for(node, observers)
        if place is None:
            continue
        source, observer, own = place
        if (source, observer) not in known:
            heard = exchanges.filter(pl.col("source") == source, pl.col("observer").eq_missing(observer))
            known[source, observer] = cross_traffic.intervals(
                heard, studied, rescheduled_links, origin_ns, duration_ns, parameters["difs_ns"]
            )
        if known[source, observer]:
            declared.append({"node": node, "busy_ns": known[source, observer]})
            if not own:
                substituted.append(node)
    notes = (
        [f"{', '.join(substituted)}: assumed to sense the exchanges of another node's recording"] if substituted else []
    )
    return declared, notes
