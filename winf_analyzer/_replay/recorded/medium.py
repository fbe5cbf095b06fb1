"""The medium of a world: its MAC, who hears whom, and what else is on the air."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._hidden import MIN_CONFIDENCE
from winf_analyzer._hidden import pairs_of as hidden_pairs
from winf_analyzer._mac import PRESETS
from winf_analyzer._mac.of_dataset import mac_parameters
from winf_analyzer._replay.recorded.flows import cross_traffic
from winf_analyzer._replay.recorded.hearing.audibility import CAPTURE_DB, audibility_graph
from winf_analyzer._replay.recorded.hearing.unheard_cts import hidden_by_cts
from winf_analyzer._replay.recorded.links.facts import response_rates
from winf_analyzer._replay.recorded.mac.aggregation import Aggregates, aggregates
from winf_analyzer._replay.recorded.mac.capture import presumed_capture, spread_data_capture
from winf_analyzer._replay.recorded.mac.contention_deviations import contention_deviations
from winf_analyzer._replay.recorded.mac.parameters import mac
from winf_analyzer._replay.recorded.recording import Recording
from winf_analyzer._replay.recorded.traffic import Traffic
from winf_analyzer._replay.unknowns import Link

_CW_MIN = {"802.11b": PRESETS["hr_dsss"].cw_min, "802.11g": PRESETS["erp"].cw_min}
"""Of the PHYs of the engine's presets."""

_RESPONSES = {"control_rate_bps": ["cts"], "ack_rate_bps": ["ack", "block_ack"]}


class Medium(NamedTuple):
    """What the flows of a world contend for."""

    parameters: dict[str, Any]
    """The engine's ``mac``."""

    aggregates: Aggregates | None
    """A-MPDUs, if there are any."""

    others: dict[Link, list[tuple[int, int]]]
    """Packets of other flows that contend again: times after the origin, ns, and sizes, bytes."""

    nodes: list[str]
    """Stations of the world, in order of their names."""

    hearing: dict[str, Any]
    """The engine's ``hearing``."""

    presumed: list[Link]
    """Stations that are assumed to hear each other, because no recording shows it."""

    response_rates: dict[str, dict[str, float]]
    """Rates of responses to each station, Mbit/s, by their name in the engine."""

    busy: list[dict[str, Any]]
    """The engine's ``background``: when each node senses what does not contend again."""

    notes: list[str]
    """Assumptions about what the recording does not show."""

    @property
    def usual_cw_min(self) -> int:
        """ACWmin of the PHY (IEEE 802.11 secs. 15.3.3 and 17.4.4)."""
        return _CW_MIN[self.parameters["preset"]]


def medium_of(recording: Recording, traffic: Traffic) -> Medium:
    """The medium that the flows of ``traffic`` find."""
    frames, exchanges, view = recording.frames, recording.exchanges, recording.view
    parameters, notes = mac(
        recording.facts, exchanges, view, traffic.links, recording.dialect, mac_parameters(recording.dataset)
    )
    together = aggregates(frames, exchanges, view)
    if together:
        parameters["aggregation"] = together.parameters
        notes.append(together.note)
    access_ns = parameters["difs_ns"] + parameters["cw_min"] * parameters["slot_ns"]
    others = cross_traffic.packets(
        *(frames, exchanges, view, traffic.flows, recording.origin_ns, access_ns),
        aggregating=together.mpdus if together else (),
    )
    nodes = sorted({node for pair in (*traffic.links, *others) for node in pair})
    hearing, more_notes, presumed = _hearing(recording, traffic, nodes, traffic.links | set(others))
    notes += more_notes
    rates = {kind: response_rates(frames, names) for kind, names in _RESPONSES.items()}
    if not recording.dialect.mac:
        shown, more_notes = contention_deviations(
            frames, exchanges, view, hearing["graph"], parameters["slot_ns"], parameters["difs_ns"]
        )
        parameters |= shown
        notes += more_notes
        powers, shown, more_notes = presumed_capture(hearing["graph"], rates["control_rate_bps"], CAPTURE_DB)
        hearing["graph"] |= powers
        parameters |= shown
        notes += more_notes
        rates_mbps = recording.facts["rate_mbps"].drop_nulls().to_list()
        shown, more_notes = spread_data_capture(hearing["graph"], parameters, rates_mbps)
        parameters |= shown
        notes += more_notes
    busy, more_notes = _background(recording, traffic, set(others), nodes, parameters["difs_ns"])
    return Medium(parameters, together, others, nodes, hearing, presumed, rates, busy, [*notes, *more_notes])


def _hearing(
    recording: Recording, traffic: Traffic, nodes: list[str], answered: set[Link]
) -> tuple[dict[str, Any], list[str], list[Link]]:
    """The engine's ``hearing``, notes, and the pairs that are assumed to hear each other."""
    exchanges, neighbours = recording.exchanges, recording.neighbours
    pairs = hidden_pairs(recording.dataset, exchanges, neighbours.lazy()).filter(pl.col("confidence") >= MIN_CONFIDENCE)
    broadcasters = exchanges.filter(pl.col("kind") == "broadcast").select("sender").unique().collect(engine="streaming")
    silent = set(nodes) - set(broadcasters["sender"]) if recording.dialect.addressed_only else set()
    return audibility_graph(
        nodes,
        answered,
        [flow.path for flow in traffic.flows],
        neighbours,
        silent,
        set(pairs.select("sender", "hidden_from").iter_rows()) | hidden_by_cts(exchanges, answered),
    )


def _background(
    recording: Recording, traffic: Traffic, rescheduled: set[Link], nodes: list[str], gap_ns: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """The engine's ``background``, of what neither runs under a controller nor contends again, and notes."""
    exchanges = recording.exchanges
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
                heard, traffic.flows, rescheduled, recording.origin_ns, recording.duration_ns, gap_ns
            )
        if known[source, observer]:
            declared.append({"node": node, "busy_ns": known[source, observer]})
            if not own:
                substituted.append(node)
    notes = (
        [f"{', '.join(substituted)}: assumed to sense the exchanges of another node's recording"] if substituted else []
    )
    return declared, notes
