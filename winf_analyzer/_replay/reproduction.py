"""Whether a world that a third station recorded delivers what its flows delivered, and what it may be off by.

Sequence numbers of TCP tell what a flow delivered, whoever recorded it. Who hears whom they do not tell, nor does a
station beside the path see what it does not hear. A replay of the recorded flows in the world made of the recording
shows how much that matters. Where it is much, who hears whom is presumed to be as in a placement of the stations in
which the flows deliver what they did, and frames are repeated as often as they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from math import expm1, inf, log, log1p
from statistics import fmean
from typing import Any, NamedTuple

from winf_analyzer._replay.placements import placements
from winf_analyzer._replay.recorded.mac.retries import MIN_HEARD
from winf_analyzer._replay.reference_runs import reference_runs
from winf_analyzer._replay.storing import tables_of
from winf_analyzer._replay.topologies.world import World
from winf_analyzer._replay.unknowns import Link, Unknowns

SEEDS = (1, 2)
CLEARLY = 0.5
"""Another assumption is made where it leaves at most this share of the difference, a logarithm."""

RARE = 0.02
"""Shares of failed attempts far below this count as equal."""

CHANCE = 0.02
"""Differences, logarithms of two seeds, that are no larger say nothing, however near the two are."""

REPEATED = 2 / 3
"""Or where repetitions are off by at most so much of the logarithm of before."""

STARVED = 0.05
"""A flow with less than this share of the fastest one starves: its few packets are chance."""


NOTABLE = 0.09
"""Another assumption is tried where the flows deliver so much more or less than was recorded: other replays of what a
station beside the senders recorded were as much off in one case of ten when this was chosen."""

MIN_GIVEN_UP = 8
"""Fewer packets that a replay gives up are chance."""

MAX_LIMIT = 255
"""The largest dot11ShortRetryLimit."""

MAX_STATIONS = 8
"""Of more stations none is tried alone: each takes a replay."""

MAX_PLACED = 12
"""Of more stations no placements are searched."""

PLACEMENTS = 16
"""Placements that are tried; each takes a replay."""


def reproduced(world: World, unknowns: Unknowns) -> tuple[World, Unknowns, list[str]]:
    """The world that delivers what was recorded, as far as assumptions allow it, what it is off by, and notes.

    Stations of which no recording shows whether they hear each other are assumed to; where the flows delivered clearly
    what they do in a placement in which some do not, that is so. Errors of the model are at least what is left. What
    bulk transfers in place of flows deliver is no error.
    """
    if not unknowns.delivered_bps:
        return world, unknowns, []
    try:
        found, left, notes = _reproduced(as_recorded(world, unknowns), unknowns)
        return (found | {"flows": world["flows"]} if unknowns.flows_as_recorded else found), left, notes
    except (RuntimeError, ValueError):  # the replay itself says why the world cannot be run
        return world, unknowns, []


def as_recorded(world: World, unknowns: Unknowns) -> World:
    """The world with the flows that were recorded in place of bulk transfers."""
    return world | {"flows": list(unknowns.flows_as_recorded)} if unknowns.flows_as_recorded else world


def _reproduced(world: World, unknowns: Unknowns) -> tuple[World, Unknowns, list[str]]:
    notes = []
    now = _compared("", (), world, unknowns)
    off = now.delivered
    if unknowns.assumed_pairs and off > log1p(NOTABLE):
        chosen, likely = _told_apart(
            now, [_compared(who, pairs, world, unknowns) for who, pairs in _apart(world, unknowns)]
        )
        if chosen is not None:
            if len(likely) > 1:
                hearings = tuple(_without_pairs(world, each.hidden)["hearing"] for each in likely)
                unknowns = replace(unknowns, hearings=hearings)
            off, world = chosen.delivered, _without_pairs(world, chosen.hidden)
            notes.append(
                f"{chosen.who} of which no recording shows whether they hear each other are assumed not to: "
                "flows delivered what they do then"
            )
    is_open = unknowns.losses_or_collisions and unknowns.repeated
    losing = losses_beside_collisions(unknowns, _failing(reference_runs(world, SEEDS)[1])) if is_open else {}
    if losing:
        world, unknowns = _with_losses(world, losing), replace(unknowns, likely_losses=losing)
        off = difference(throughputs(world), unknowns.delivered_bps)
        notes.append(
            "losses without a collision: "
            + ", ".join(f"{a} > {b} {100 * loss:.0f} %" for (a, b), loss in losing.items())
            + ", for frames are repeated more often than collisions explain"
        )
    lasting, note = _without_giving_up(world, unknowns.missing_packets)
    if lasting is not None:
        world, off = lasting, difference(throughputs(lasting), unknowns.delivered_bps)
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
    part, runs = reference_runs(world, SEEDS)
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


class _Compared(NamedTuple):
    """How far a replay in which some pairs do not hear each other is off what was recorded; logarithms."""

    who: str
    hidden: Sequence[Link]
    delivered: float
    repeated: float
    chance: float
    """How far its seeds are off one another."""

    @property
    def total(self) -> float:
        return self.delivered + self.repeated


def _told_apart(now: _Compared, tried: Sequence[_Compared]) -> tuple[_Compared | None, Sequence[_Compared]]:
    """Who does not hear each other, if that is told, and all that may be so.

    None of them hear each other, if that is no further off than one run may be. Else it is as in a typical one of the
    placements that chance alone tells from the best.

    Args:
        now: all hear each other.
        tried: others, of which the one with most pairs is that none do.
    """
    most = CLEARLY * now.total
    best = min(tried, key=lambda each: each.total)
    none = max(tried, key=lambda each: len(each.hidden))
    # What is recorded is one run, which is off others of the same world as these are off one another.
    enough = min(max(best.total + max(best.chance, CHANCE), log1p(NOTABLE)), most)
    likely = [each for each in tried if each.total <= enough]
    is_told = none.total <= most or none.repeated < REPEATED * now.repeated
    if is_told and none.delivered - none.chance <= log1p(NOTABLE):
        return none, [none, *(each for each in likely if each is not none)]
    return (_typical(likely), likely) if best.total <= most else (None, [])


def _compared(who: str, hidden: Sequence[Link], world: World, unknowns: Unknowns) -> _Compared:
    runs = reference_runs(_without_pairs(world, hidden) if hidden else world, SEEDS)[1]
    repeated = repetitions_apart(_failing(runs), unknowns.repeated)
    first, second = (_of_runs([run]) for run in runs)
    delivered = difference(_of_runs(runs), unknowns.delivered_bps)
    return _Compared(who, hidden, delivered, repeated, difference(first, second))


def repetitions_apart(failing: Mapping[Link, float], repeated: Mapping[Link, float]) -> float:
    """Mean logarithm of how far apart the shares of attempts that fail in a replay and of recorded repetitions are."""
    apart = [abs(log((failing[link] + RARE) / (share + RARE))) for link, share in repeated.items() if link in failing]
    return fmean(apart) if apart else 0.0


def difference(replayed: Mapping[str, float], delivered: Mapping[str, float]) -> float:
    """Mean logarithm of how far apart the flows are; either way counts the same.

    A flow that starves in both is as it was, whatever its few packets are.
    """
    starved = STARVED * max(delivered.values(), default=0.0)
    apart = []
    for name, bps in delivered.items():
        if name not in replayed:
            continue
        if bps > starved:
            apart.append(abs(log(max(replayed[name], STARVED * bps) / bps)))
        elif replayed[name] > starved:
            apart.append(log(replayed[name] / starved))
    return fmean(apart) if apart else 0.0


def throughputs(world: World) -> dict[str, float]:
    """Throughput of the flows under study."""
    return _of_runs(reference_runs(world, SEEDS)[1])


def losses_beside_collisions(unknowns: Unknowns, failing: Mapping[Link, float]) -> dict[Link, float]:
    """Losses that explain why frames are repeated more often than in a replay in which all failures are collisions.

    Of links of which it is unknown how many failed attempts did not collide; at most so many as may have been.
    """
    found = {}
    for link, most in sorted(unknowns.losses_or_collisions.items()):
        if link in unknowns.repeated and link in failing:
            more = unknowns.repeated[link] - failing[link]
            if more > RARE:
                found[link] = round(min(more / (1 - failing[link]), most), 6)
    return {link: loss for link, loss in found.items() if loss > 0}


def _with_losses(world: World, losses: Mapping[Link, float]) -> World:
    links = []
    for link in world["links"]:
        loss = losses.get((link["from"], link["to"]))
        if loss is not None:
            link = link | {"medium": {"wireless": link["medium"]["wireless"] | {"loss": loss}}}
        links.append(link)
    return world | {"links": links}


def _of_runs(runs: Sequence[Any]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for run in runs:
        for name, bps in tables_of(run)["replay_summary"].select("flow", "throughput_bps").iter_rows():
            found.setdefault(name, []).append(bps)
    return {name: fmean(values) for name, values in found.items()}


def _failing(runs: Sequence[Any]) -> dict[Link, float]:
    """Share of the attempts that fail, of links with at least :data:`.recorded.retries.MIN_HEARD`."""
    sums: dict[Link, list[int]] = {}
    for run in runs:
        rows = tables_of(run)["replay_links"].select("link", "attempts", "failed_collision", "failed_channel")
        for link, attempts, collided, lost in rows.iter_rows():
            sender, _, receiver = link.partition(" > ")
            total = sums.setdefault((sender, receiver), [0, 0])
            total[0] += attempts
            total[1] += collided + lost
    return {link: failed / attempts for link, (attempts, failed) in sums.items() if attempts >= MIN_HEARD}


def _apart(world: World, unknowns: Unknowns) -> Iterator[tuple[str, Sequence[Link]]]:
    """Which of the presumed pairs may not hear each other: all, and those of placements; else those of a station."""
    pairs = unknowns.assumed_pairs
    decodes = {tuple(pair) for pair in world["hearing"]["graph"]["decodes"]}
    stations = sorted({station for pair in decodes for station in pair})
    if len(stations) <= MAX_PLACED:
        together = decodes - set(pairs)
        apart = {(a, b) for a, b in permutations(stations, 2) if (a, b) not in decodes}
        found = [
            [pair for pair in pairs if pair in hidden or pair[::-1] in hidden]
            for hidden in placements(stations, together, apart, unknowns.heard, PLACEMENTS)
        ]
        if found:
            # Seldom drawn, and common: stations are set up just in range of those that they forward for.
            found += [list(pairs)] if list(pairs) not in found else []
            yield from ((f"{len(hidden)} directed pairs of stations", hidden) for hidden in found if hidden)
            return
    yield "stations", pairs
    for station in stations if len(stations) <= MAX_STATIONS else []:
        of_station = [pair for pair in pairs if station in pair]
        if of_station:
            yield f"{station} and stations", of_station


def _typical(likely: Sequence[_Compared]) -> _Compared:
    """The one that differs in as few pairs as possible from all of them; of equals, the one that is nearest."""
    hidden = [set(each.hidden) for each in likely]
    return min(likely, key=lambda each: (sum(len(set(each.hidden) ^ other) for other in hidden), each.total))


def _without_pairs(world: World, pairs: Sequence[Link]) -> World:
    """The world in which these stations do not hear each other."""
    graph: dict[str, Any] = world["hearing"]["graph"]
    apart = set(pairs)
    kept = {
        "decodes": [pair for pair in graph["decodes"] if tuple(pair) not in apart],
        "powers": [each for each in graph.get("powers", ()) if (each["from"], each["to"]) not in apart],
    }
    return world | {"hearing": {"graph": graph | {name: rows for name, rows in kept.items() if name in graph}}}
