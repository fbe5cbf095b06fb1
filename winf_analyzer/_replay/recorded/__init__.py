"""The world of a recording: what a replay against a dataset runs in.

::

    views          whose recording speaks for each link
    conversations  who talks to whom, in packets of which sizes
    routes         the way that packets take
    flows          which flows are lifted out, and how they are declared
    breaks         routes that break when the MAC gives up
    transport      TCP's constants, seen or presumed
    sources        what a source shows of its initial window and least timeout
    links          rates, airtimes, and losses that are no collisions
    losses         attempts that the channel failed, told from collisions
    hearing        who hears whom
    answers        who is known by CTS and ACK only
    mac            parameters of the MAC, seen or presumed
    retries        its retry limits
    contention     how stations contend:
    access         whether what was just received is passed on without a backoff
    capture        RTS that outlast other frames
    background     what others do on the medium
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from winf_analyzer._hidden import find as hidden_pairs
from winf_analyzer._mac.of_dataset import mac_parameters
from winf_analyzer._replay.recorded import conversations, cross_traffic, links, views
from winf_analyzer._replay.recorded.ack_only_stations import heard_answering, named, recorders
from winf_analyzer._replay.recorded.audibility import CLAIMED, heard_by_whom, hearing
from winf_analyzer._replay.recorded.contention import contention
from winf_analyzer._replay.recorded.flows import Lifted, declare, lift
from winf_analyzer._replay.recorded.losses import channel_losses
from winf_analyzer._replay.recorded.mac import Dialect, answer_ns, mac
from winf_analyzer._replay.recorded.route_failures import route_repair_ns
from winf_analyzer._replay.recorded.sources import seen
from winf_analyzer._replay.topologies.world import World
from winf_analyzer._util.errors import UnusableInput

if TYPE_CHECKING:
    from winf_analyzer._dataset.dataset import Dataset

QUEUE_PACKETS = 50
"""Presumed limit of a queue, where none is known: ns-2's, and that of the papers' simulations."""

FEWEST_ATTEMPTS = 20
"""Fewer do not tell a loss: two of three attempts at an ARP reply are no channel that loses two thirds."""


class Recorded(NamedTuple):
    """A world built from a recording."""

    world: World
    """Nodes, links, hearing, background and the flows that were lifted out, as the engine reads them."""

    origin_ns: int
    """The instant of the recording, on its own clock, at which the world starts."""

    notes: list[str]
    """What was presumed, because the recording does not tell it."""


def world_of(dataset: Dataset, flows: Sequence[str] | None, *, transfers: bool = False) -> Recorded:
    """Build the world of a dataset.

    Only what was recorded counts. Several recordings that were not merged are taken to share a clock, as those of
    simulators do.

    Args:
        dataset: a dataset.
        flows: names of the flows to lift out of the recording (``tcp 10.0.0.1:49153 10.0.0.3:5001``); by default all
            TCP flows, or else all flows to one station, of more than :data:`.flows.MIN_PACKETS` packets.
        transfers: replace those that are not TCP with transfers that always have data to send, because controllers
            have no say in datagrams.

    Raises:
        UsageError: a flow that the recording does not have; the message lists those it has.
        UnusableInput: the recording does not hold what a world needs.
    """
    frames, exchanges = dataset.scan("frames"), dataset.scan("exchanges")
    stations = recorders(frames, exchanges)
    frames, exchanges = named(frames, stations), named(exchanges, stations)
    where = str(dataset.path)
    legs = conversations.legs(frames)
    chosen = lift(legs, flows, where, transfers=transfers)
    view = views.links(exchanges)
    first_ns, last_ns = _span(exchanges, where)
    duration_ns = last_ns - first_ns
    facts = links.facts(exchanges, view)
    dialect = Dialect.of(dataset.metadata)
    used = {pair for flow in chosen for pair in flow.links}
    parameters, notes = mac(facts, exchanges, view, used, dialect, mac_parameters(dataset))
    access_ns = parameters["difs_ns"] + parameters["cw_min"] * parameters["slot_ns"]
    others = cross_traffic.packets(exchanges, view, chosen, first_ns, access_ns)
    nodes = sorted({node for pair in (*used, *others) for node in pair})
    neighbours = _neighbours(dataset, frames, exchanges, stations)
    graph, more = _hearing(exchanges, neighbours, nodes, chosen, used | set(others), dialect)
    notes += more
    if not dialect.mac:
        shown, more = contention(frames, exchanges, view, graph["graph"], parameters["slot_ns"])
        parameters |= shown
        notes += more
    busy, more = _background(exchanges, chosen, set(others), nodes, first_ns, duration_ns, parameters)
    notes += more
    rates = {kind: links.answer_rates(frames, names) for kind, names in _ANSWERS.items()}
    wireless, more = _links(exchanges, view, facts, used | set(others), graph, rates, answer_ns(parameters))
    notes += more
    offered = {(row["conversation"], row["origin"]): row for row in conversations.offered(frames).iter_rows(named=True)}
    known = seen(frames, {f.conversation: f.path[0] for f in chosen if f.tcp and f.first["observer"] == f.path[0]})
    declared = []
    for flow in chosen:
        source = known.get(flow.conversation)
        spec, more = declare(flow, offered.get((flow.conversation, flow.first["origin"])), source, first_ns, last_ns)
        declared.append(spec)
        notes += more
    world: World = {
        "name": dataset.path.name.removesuffix(".winf"),
        "duration_ns": duration_ns,
        "mac": parameters,
        "nodes": [{"name": node, "interface_queue": {"packets": QUEUE_PACKETS}} for node in nodes],
        "links": wireless,
        "flows": [*declared, *(_sent_again(pair, packets) for pair, packets in others.items())],
        "hearing": graph,
        "background": busy,
    }
    repair_ns = route_repair_ns(frames)
    if repair_ns is not None:
        world["route_repair_ns"] = repair_ns
        notes.append(f"routes break when the MAC gives up, and take {repair_ns / 1e6:.0f} ms to be repaired, as seen")
    return Recorded(world, first_ns, [*notes, f"queues of {QUEUE_PACKETS} packets presumed"])


_ANSWERS = {"control_rate_bps": ["cts"], "ack_rate_bps": ["ack", "block_ack"]}


def _sent_again(pair: tuple[str, str], packets: list[tuple[int, int]]) -> dict[str, Any]:
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
    """First and last instant of the recordings, ns."""
    row = exchanges.select(first=pl.col("start_ns").min(), last=pl.col("end_ns").max()).collect(engine="streaming")
    first, last = row.row(0)
    if first is None or last is None or last <= first:
        raise UnusableInput(f"{where}: no exchange has a time; there is nothing to replay against.")
    return first, last


def _neighbours(
    dataset: Dataset, frames: pl.LazyFrame, exchanges: pl.LazyFrame, stations: dict[str, str]
) -> pl.DataFrame:
    """The ``neighbours`` table, and who is known by answers only."""
    columns = ["node", "neighbour", "heard", "delivery_ratio", "signal_dbm"]
    by_name = dataset.scan("neighbours").select(columns).with_columns(pl.col("node").replace(stations)).collect()
    by_answers = heard_answering(frames, exchanges).join(by_name, on=["node", "neighbour"], how="anti")
    return pl.concat([by_name, by_answers.select(columns)], how="vertical_relaxed")


def _hearing(
    exchanges: pl.LazyFrame,
    neighbours: pl.DataFrame,
    nodes: list[str],
    chosen: list[Lifted],
    answered: set[tuple[str, str]],
    dialect: Dialect,
) -> tuple[dict[str, Any], list[str]]:
    pairs = hidden_pairs(exchanges, neighbours.lazy()).filter(pl.col("confidence") >= CLAIMED)
    announced = exchanges.filter(pl.col("kind") == "broadcast").select("sender").unique().collect(engine="streaming")
    silent = set(nodes) - set(announced["sender"]) if dialect.addressed_only else set()
    return hearing(
        nodes,
        answered,
        [flow.path for flow in chosen],
        neighbours,
        silent,
        set(pairs.select("sender", "hidden_from").iter_rows()),
    )


def _background(
    exchanges: pl.LazyFrame,
    chosen: list[Lifted],
    sent_again: set[tuple[str, str]],
    nodes: list[str],
    origin_ns: int,
    duration_ns: int,
    parameters: dict[str, Any],
) -> tuple[list[dict[str, Any]], list[str]]:
    observers = exchanges.group_by("source", "observer").agg(uses=pl.len()).collect(engine="streaming")
    known: dict[Any, list[list[int]]] = {}
    declared, stood_in = [], []
    for node in nodes:
        place = cross_traffic.observer_for(node, observers)
        if place is None:
            continue
        source, observer, own = place
        if (source, observer) not in known:
            heard = exchanges.filter(pl.col("source") == source, pl.col("observer").eq_missing(observer))
            known[source, observer] = cross_traffic.intervals(
                heard, chosen, sent_again, origin_ns, duration_ns, parameters["difs_ns"]
            )
        if known[source, observer]:
            declared.append({"node": node, "busy_ns": known[source, observer]})
            if not own:
                stood_in.append(node)
    notes = [f"{', '.join(stood_in)}: presumed to sense what another recording holds"] if stood_in else []
    return declared, notes


def _links(
    exchanges: pl.LazyFrame,
    view: pl.DataFrame,
    facts: pl.DataFrame,
    used: set[tuple[str, str]],
    graph: dict[str, Any],
    rates: dict[str, dict[str, float]],
    answer_ns: int,
) -> tuple[list[dict[str, Any]], list[str]]:
    heard_by = heard_by_whom(graph["graph"])
    own = view.filter(pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender")))
    losses = channel_losses(exchanges, heard_by, answer_ns)
    told = set(own.select("sender", "receiver").iter_rows())
    rows = {(row["sender"], row["receiver"]): row for row in facts.iter_rows(named=True)}
    declared, notes = [], []
    for a, b in sorted(used):
        row = rows.get((a, b)) or rows.get((b, a))
        medium: dict[str, Any] = {}
        if row is not None and row["rate_mbps"]:
            medium["rate_bps"] = round(row["rate_mbps"] * 1e6)
        if row is not None and row["overhead_us"] is not None:
            medium["airtimes"] = _airtimes(row)
        medium |= {name: round(rate[a] * 1e6) for name, rate in rates.items() if a in rate}
        disturbers = (heard_by.get(b, set()) | {b}) - {a}
        if (a, b) in told and disturbers <= {sender for sender, _ in told} | {b}:
            loss = _loss_either_way((a, b), losses, rows)
            if loss is None:
                notes.append(f"{a} > {b}: too few attempts to tell losses of the channel; presumed none")
            medium["loss"] = loss or 0.0
        else:
            notes.append(f"{a} > {b}: not all who may disturb it were recorded; losses presumed to be collisions")
        declared.append({"from": a, "to": b, "medium": {"wireless": medium}, "queue": {"packets": QUEUE_PACKETS}})
    return declared, notes


def _loss_either_way(
    link: tuple[str, str], losses: dict[tuple[str, str], float], facts: dict[Any, dict[str, Any]]
) -> float | None:
    """The loss of a link, or where it was hardly tried that of the way back: a channel is much the same both ways."""
    tried = (way for way in (link, link[::-1]) if way in losses and facts[way]["attempts"] >= FEWEST_ATTEMPTS)
    return next((losses[way] for way in tried), None)


def _airtimes(row: dict[str, Any]) -> list[dict[str, int]]:
    """Two points of the line of airtimes."""
    sizes = sorted({round(row["smallest"]), max(round(row["largest"]), round(row["smallest"]) + 1)})
    line = [(size, 1e3 * (row["overhead_us"] + row["per_byte_us"] * size)) for size in sizes]
    return [{"packet_bytes": size, "airtime_ns": max(1, round(airtime))} for size, airtime in line]
