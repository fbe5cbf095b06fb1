"""Whether a world that a third station recorded delivers what its flows delivered, and what it may be off by.

Sequence numbers of TCP tell what a flow delivered, whoever recorded it. Who hears whom they do not tell, nor does a
station beside the path see what it does not hear. A replay of the recorded flows in the world made of the recording
shows how much that matters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import expm1, inf, log, log1p
from statistics import fmean
from typing import Any

from winf_analyzer import _core
from winf_analyzer._replay.runs import companions
from winf_analyzer._replay.scenarios import shortened
from winf_analyzer._replay.storing import tables_of
from winf_analyzer._replay.topologies.world import KEPT_CONTROLLER_NAME, World
from winf_analyzer._replay.unknowns import Link, Unknowns

SEEDS = (1, 2)
FLOW_SECONDS = 60.0
"""What is replayed at most of the flows under study, together."""

CLEARLY = 0.5
"""Another assumption is made where it leaves at most this share of the difference, a logarithm."""

STARVED = 0.05
"""A flow with less than this share of the fastest one starves: its few packets are chance."""


NOTABLE = 0.09
"""Another assumption is tried where the flows deliver so much more or less than was recorded: other replays of what a
station beside the senders recorded were as much off in one case of ten when this was chosen."""

MIN_GIVEN_UP = 8
"""Fewer packets that a replay gives up are chance."""

MAX_LIMIT = 255
"""The largest dot11ShortRetryLimit."""

MOST_STATIONS = 8
"""Of more stations none is tried alone: each takes a replay."""


def reproduced(world: World, unknowns: Unknowns) -> tuple[World, Unknowns, list[str]]:
    """The world that delivers what was recorded, as far as assumptions allow it, what it is off by, and notes.

    Stations of which no recording shows whether they hear each other are assumed to; where the flows delivered clearly
    what they do if none of these hear each other, or one of them none, that is so. Errors of the model are at least
    what is left.
    """
    if not unknowns.delivered_bps:
        return world, unknowns, []
    try:
        return _reproduced(world, unknowns)
    except (RuntimeError, ValueError):  # the replay itself says why the world cannot be run
        return world, unknowns, []


def _reproduced(world: World, unknowns: Unknowns) -> tuple[World, Unknowns, list[str]]:
    notes = []
    off = difference(_delivered(world), unknowns.delivered_bps)
    if unknowns.assumed_pairs and off > log1p(NOTABLE):
        others = [(who, _without_pairs(world, pairs)) for who, pairs in _apart(unknowns.assumed_pairs)]
        offs = [difference(_delivered(apart), unknowns.delivered_bps) for _, apart in others]
        if min(offs) <= CLEARLY * off:
            off = min(offs)
            who, world = others[offs.index(off)]
            notes.append(
                f"{who} of which no recording shows whether they hear each other are assumed not to: "
                "flows delivered what they do then"
            )
    lasting, note = _without_giving_up(world, unknowns.missing_packets)
    if lasting is not None:
        world, off = lasting, difference(_delivered(lasting), unknowns.delivered_bps)
        notes.append(note)
    share = expm1(off)
    errors = {figure: max(error, share) for figure, error in unknowns.model_errors.items()}
    if share > unknowns.model_errors.get("throughput_bps", 0.0):
        notes.append(
            f"a replay of the recorded flows is {_words(share)} off what they delivered: "
            "the recorder did not hear what decides it; intervals are so much longer"
        )
    return world, replace(unknowns, model_errors=errors), notes


def _words(share: float) -> str:
    return f"{100 * share:.0f} %" if share < 1 else f"a factor of {1 + share:.3g}"


def _without_giving_up(world: World, missing: Mapping[str, int]) -> tuple[World | None, str]:
    """The world in which an RTS is sent until there is a CTS, if more packets would be given up than are missing."""
    if not missing:
        return None, ""
    part, runs = _runs(world)
    scale = world["duration_ns"] / part["duration_ns"] / len(runs)
    given_up: dict[str, float] = {}
    for run in runs:
        for link, dropped in tables_of(run)["replay_links"].select("link", "dropped_retry").iter_rows():
            sender = link.partition(" > ")[0]
            given_up[sender] = given_up.get(sender, 0.0) + scale * dropped
    for sender, packets in sorted(given_up.items()):
        if packets >= MIN_GIVEN_UP and missing.get(sender, inf) <= CLEARLY * packets:
            note = (
                f"RTS are sent until there is a CTS: of {sender} at most {missing[sender]} packets were given up, "
                f"{packets:.0f} would be"
            )
            return world | {"mac": world["mac"] | {"rts_retry_limit": MAX_LIMIT}}, note
    return None, ""


def difference(replayed: Mapping[str, float], delivered: Mapping[str, float]) -> float:
    """Mean logarithm of how far apart the flows that do not starve are; either way counts the same."""
    fastest = max(delivered.values(), default=0.0)
    apart = [
        abs(log(max(replayed[name], STARVED * bps) / bps))
        for name, bps in delivered.items()
        if name in replayed and bps > STARVED * fastest
    ]
    return fmean(apart) if apart else 0.0


def _delivered(world: World) -> dict[str, float]:
    """Throughput of the flows under study."""
    found: dict[str, list[float]] = {}
    for run in _runs(world)[1]:
        for name, bps in tables_of(run)["replay_summary"].select("flow", "throughput_bps").iter_rows():
            found.setdefault(name, []).append(bps)
    return {name: fmean(values) for name, values in found.items()}


def _runs(world: World) -> tuple[World, Sequence[Any]]:
    """A replay of the recorded flows, and the part of the world that it is of."""
    part, _ = shortened(world, FLOW_SECONDS)
    flows = [(KEPT_CONTROLLER_NAME, "corrected", "{}")]
    return part, list(_core.replay("reproduction", json.dumps(part), flows, SEEDS, **companions(part)))


def _apart(pairs: Sequence[Link]) -> Iterator[tuple[str, Sequence[Link]]]:
    """Which of the pairs may not hear each other: all, or those of one station."""
    yield "stations", pairs
    stations = sorted({station for pair in pairs for station in pair})
    for station in stations if len(stations) <= MOST_STATIONS else []:
        yield f"{station} and stations", [pair for pair in pairs if station in pair]


def _without_pairs(world: World, pairs: Sequence[Link]) -> World:
    """The world in which these stations do not hear each other."""
    graph: dict[str, Any] = world["hearing"]["graph"]
    apart = set(pairs)
    kept = {
        "decodes": [pair for pair in graph["decodes"] if tuple(pair) not in apart],
        "powers": [each for each in graph.get("powers", ()) if (each["from"], each["to"]) not in apart],
    }
    return world | {"hearing": {"graph": graph | {name: rows for name, rows in kept.items() if name in graph}}}
