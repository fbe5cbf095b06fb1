"""Whether a replay of the recorded flows does what these did, where their sources recorded themselves.

That what they delivered, and their round trips where they have time stamps, come again does not prove a world right;
that they do not proves it wrong. An assumption is then made otherwise if the flows do clearly more what they did, and
intervals of the flows that still do not reach as far as they are off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import exp, log, log1p, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from winf_analyzer._replay.reference_runs import reference_runs
from winf_analyzer._replay.reproduction import CLEARLY, STARVED, as_recorded, difference, throughputs
from winf_analyzer._replay.scenarios import changed
from winf_analyzer._replay.storing import tables_of
from winf_analyzer._replay.topologies.world import World
from winf_analyzer._replay.unknowns import MIN_WIRE_NS, PRESUMED_LIFETIMES_NS, RecordedOutcome

if TYPE_CHECKING:
    from winf_analyzer._replay.recorded import RecordedWorld

SEEDS = (1, 2, 3)

THROUGHPUT, RTT = "throughput_bps", "rtt_p50_ms"

SAME_WAY = {THROUGHPUT: [THROUGHPUT], RTT: [RTT, "rtt_ms", "rtt_p95_ms", "delay_ms"]}
"""Figures that are off as one is that a recording shows."""

NOTABLE = 0.1
"""Where flows are off by no more than this no other assumption is made: single runs differ, and so do sources."""

OFF = 0.05
"""Intervals reach as far as figures are off by more than this; less is what the model is off anyway."""

SURELY = 3.0
"""Standard deviations of single runs, as far as three seeds show them, that no chance explains."""

WIRES = (1.0, 0.5, 0.25)
"""Shares of the longest delay that an unseen wire may have, which are tried."""


BECAUSE = "flows then do what they did"
NO_WIRES = f"drops of queues seem to show wires, but none are assumed: {BECAUSE}"


class _Off(NamedTuple):
    """By flow and figure the logarithm of recorded over replayed, and how much of it may be chance."""

    logs: Mapping[tuple[str, str], float]
    chance: Mapping[tuple[str, str], float]

    @property
    def total(self) -> float:
        """Mean of what is off."""
        return fmean(abs(value) for value in self.logs.values()) if self.logs else 0.0

    def beyond(self, share: float) -> dict[tuple[str, str], float]:
        """What is off by more than this, and by more than single runs are."""
        return {
            key: value for key, value in self.logs.items() if abs(value) > max(log1p(share), SURELY * self.chance[key])
        }


def beside_recorded(made: RecordedWorld) -> RecordedWorld:
    """The world in which recorded flows do what they did, as far as assumptions allow it, what is open, and notes."""
    try:
        return _beside_recorded(made) if made.unknowns.recorded else _without_wires_of_drops(made)
    except (RuntimeError, ValueError):  # the replay itself says why the world cannot be run
        return made


def _beside_recorded(made: RecordedWorld) -> RecordedWorld:
    off = _off(made)
    if off.beyond(NOTABLE):
        tried = [(each, _off(each)) for each in _alternatives(made, off)]
        better = [each for each in tried if each[1].total <= CLEARLY * off.total]
        if better:
            # That sources are limited elsewhere explains everything, and so comes last.
            made, off = min(better, key=lambda each: (bool(each[0].unknowns.limited_elsewhere), each[1].total))
    sure = off.beyond(OFF)
    biases: dict[str, dict[str, float]] = {}
    for (flow, figure), value in sure.items():
        biases.setdefault(flow, {}).update(dict.fromkeys(SAME_WAY[figure], exp(value)))
        if figure == THROUGHPUT and (flow, RTT) not in off.logs:
            # With as much on the way, who delivers more has shorter round trips.
            biases[flow].update(dict.fromkeys(SAME_WAY[RTT], exp(-value)))
    notes = [*made.notes, *_said(sure)]
    return made._replace(notes=notes, unknowns=replace(made.unknowns, biases=biases))


def _without_wires_of_drops(made: RecordedWorld) -> RecordedWorld:
    """That of a station beside the senders, which may have missed what waited: drops then seem to show a wire."""
    delivered = made.unknowns.delivered_bps
    if not (made.unknowns.wires_of_drops and delivered):
        return made
    other = made.with_wires(None)
    off, without = (
        difference(throughputs(as_recorded(each.world, each.unknowns)), delivered) for each in (made, other)
    )
    if off <= log1p(NOTABLE) or without > CLEARLY * off:
        return made
    return other._replace(notes=[*other.notes, NO_WIRES])


def _said(sure: Mapping[tuple[str, str], float]) -> Iterator[str]:
    """A sentence per flow that is off."""
    words = {THROUGHPUT: "delivers", RTT: "has a median round trip of"}
    for flow in dict.fromkeys(flow for flow, _ in sure):
        parts = [
            f"{words[figure]} {exp(-value):.2g} times what it was"
            for (name, figure), value in sure.items()
            if name == flow
        ]
        yield f"{flow}: replayed as it was recorded it {' and '.join(parts)}; intervals reach so far"


def _off(made: RecordedWorld) -> _Off:
    recorded = made.unknowns.recorded
    _, runs = reference_runs(made.world, SEEDS)
    values: dict[tuple[str, str], list[float]] = {}
    true: dict[tuple[str, str], float] = {}
    columns = ["flow", THROUGHPUT, RTT, "start_ns", "end_ns"]
    for run in runs:
        for flow, bps, rtt_ms, start_ns, end_ns in tables_of(run)["replay_summary"].select(columns).iter_rows():
            if flow not in recorded or end_ns <= start_ns:
                continue
            done = recorded[flow]
            true[flow, THROUGHPUT] = 8e9 * done.delivered_bytes / (end_ns - start_ns)
            values.setdefault((flow, THROUGHPUT), []).append(bps)
            if done.rtt_p50_ms and rtt_ms:
                true[flow, RTT] = done.rtt_p50_ms
                values.setdefault((flow, RTT), []).append(rtt_ms)
    fastest = max((bps for (_, figure), bps in true.items() if figure == THROUGHPUT), default=0.0)
    starved = {flow for (flow, figure), bps in true.items() if figure == THROUGHPUT and bps < STARVED * fastest}
    logs, chance = {}, {}
    for key, of_seeds in values.items():
        if key[0] not in starved and len(of_seeds) > 1 and min(of_seeds) > 0:
            logarithms = [log(value) for value in of_seeds]
            logs[key] = log(true[key]) - fmean(logarithms)
            chance[key] = stdev(logarithms) * sqrt(1 + 1 / len(of_seeds))
    return _Off(logs, chance)


def _alternatives(made: RecordedWorld, off: _Off) -> Iterator[RecordedWorld]:
    """Other worlds that the recording allows."""
    unknowns, sure = made.unknowns, off.beyond(NOTABLE)
    if any(figure == RTT and value < 0 for (_, figure), value in sure.items()) and unknowns.least_lifetime_ns:
        lifetime_ns = PRESUMED_LIFETIMES_NS[0]
        yield made._replace(
            world=changed(made.world, changes={"queue_lifetime": lifetime_ns}),
            unknowns=replace(unknowns, least_lifetime_ns=None),
            notes=[*made.notes, f"queues drop what has waited for {lifetime_ns / 1e6:.0f} ms (assumed: {BECAUSE})"],
        )
    if unknowns.wires_of_drops:
        other = made.with_wires(None)
        yield other._replace(notes=[*other.notes, NO_WIRES])
    for share in WIRES if any(most_ns >= MIN_WIRE_NS for most_ns in unknowns.unseen_wires.values()) else ():
        other = made.with_wires(share)
        yield other._replace(notes=[*other.notes, f"wires that are not observed are assumed: {BECAUSE}"])
    fast = [flow for (flow, figure), value in sure.items() if figure == THROUGHPUT and value < 0]
    limited = sorted(flow for flow in fast if unknowns.recorded[flow].segments)
    if limited:
        note = (
            f"{', '.join(limited)}: sent less than this network carries, and nothing again: limited by what is not "
            "recorded, assumed to be the application; it writes what was sent when it was sent"
        )
        yield made._replace(
            world=_with_writes(made.world, unknowns.recorded, limited),
            unknowns=replace(unknowns, limited_elsewhere=tuple(limited)),
            notes=[*made.notes, note],
        )


def _with_writes(world: World, recorded: Mapping[str, RecordedOutcome], limited: Sequence[str]) -> World:
    flows: list[Any] = []
    for flow in world["flows"]:
        if flow["name"] in limited:
            flow = flow | {"source": {"scheduled": recorded[flow["name"]].segments}}
        flows.append(flow)
    return world | {"flows": flows}
