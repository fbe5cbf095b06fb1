"""Whether a world that a third station recorded delivers what its flows delivered, and what it may be off by.

Sequence numbers of TCP tell what a flow delivered, whoever recorded it. Who hears whom they do not tell, nor does a
station beside the path see what it does not hear. A replay of the recorded flows in the world made of the recording
shows how much that matters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from math import expm1, log, log1p
from statistics import fmean
from typing import Any

from winf_analyzer import _core
from winf_analyzer._replay.runs import companions
from winf_analyzer._replay.scenarios import shortened
from winf_analyzer._replay.storing import tables_of
from winf_analyzer._replay.topologies.world import KEPT_CONTROLLER_NAME, World
from winf_analyzer._replay.unknowns import Unknowns

SEEDS = (1, 2)
FLOW_SECONDS = 60.0
"""What is replayed at most of the flows under study, together."""

CLEARLY = 0.5
"""Another assumption is made where it leaves at most this share of the difference, a logarithm."""

STARVED = 0.05
"""A flow with less than this share of the fastest one starves: its few packets are chance."""


def reproduced(world: World, unknowns: Unknowns) -> tuple[World, Unknowns, list[str]]:
    """The world that delivers what was recorded, as far as assumptions allow it, what it is off by, and notes.

    Stations of which no recording shows whether they hear each other are assumed to; where the flows delivered clearly
    what they do if none of these hear each other, none do. Errors of the model are at least what is left.
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
    if unknowns.assumed_pairs and off > log1p(unknowns.model_errors.get("throughput_bps", 0.0)):
        apart = _without_pairs(world, unknowns.assumed_pairs)
        off_apart = difference(_delivered(apart), unknowns.delivered_bps)
        if off_apart <= CLEARLY * off:
            world, off = apart, off_apart
            notes.append(
                "stations of which no recording shows whether they hear each other are assumed not to: "
                "flows delivered more than they would share"
            )
    share = expm1(off)
    errors = {figure: max(error, share) for figure, error in unknowns.model_errors.items()}
    if share > unknowns.model_errors.get("throughput_bps", 0.0):
        notes.append(
            f"a replay of the recorded flows is {100 * share:.0f} % off what they delivered: "
            "the recorder did not hear what decides it; intervals are so much longer"
        )
    return world, replace(unknowns, model_errors=errors), notes


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
    part, _ = shortened(world, FLOW_SECONDS)
    runs = _core.replay(
        "reproduction", json.dumps(part), [(KEPT_CONTROLLER_NAME, "corrected", "{}")], SEEDS, **companions(part)
    )
    found: dict[str, list[float]] = {}
    for run in runs:
        for name, bps in tables_of(run)["replay_summary"].select("flow", "throughput_bps").iter_rows():
            found.setdefault(name, []).append(bps)
    return {name: fmean(values) for name, values in found.items()}


def _without_pairs(world: World, pairs: tuple[tuple[str, str], ...]) -> World:
    """The world in which these stations do not hear each other."""
    graph: dict[str, Any] = world["hearing"]["graph"]
    apart = set(pairs)
    kept = {
        "decodes": [pair for pair in graph["decodes"] if tuple(pair) not in apart],
        "powers": [each for each in graph.get("powers", ()) if (each["from"], each["to"]) not in apart],
    }
    return world | {"hearing": {"graph": graph | {name: rows for name, rows in kept.items() if name in graph}}}
