"""DSDV: routes that follow positions late, and messages that take airtime.

C. Perkins, P. Bhagwat, "Highly Dynamic Destination-Sequenced Distance-Vector Routing (DSDV) for Mobile Computers",
SIGCOMM 1994, with ns-2.35's constants. Every node numbers its own entry with even numbers that grow with each periodic
update. A newer number wins, of equal numbers the shorter route. A route that changed is advertised at once if it got
shorter or broke, and after the settling time if it got longer, for a shorter one may be on its way.

Messages reach everybody in range at once. Without losses routes depend on positions alone; with them each node in
range misses a message with a given probability, and routes change though nobody moves. The airtime of messages is given
to the world as time in which every node in sensing range finds the medium busy.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count

Positions = Mapping[str, tuple[float, float]]

PERIOD_S = 15.0
"""Between periodic updates, of which each node takes 75 to 100 % (ns-2: `perup_`)."""
SETTLING_S = 6.0
"""How long a longer route waits (ns-2: `wst0_`)."""
TRIGGERED_S = 1.0
"""Least time between triggered updates of a node (ns-2: `DSDV_MIN_TUP_PERIOD`)."""
SILENT_PERIODS = 3
"""Periods without a word after which a neighbour counts as gone (ns-2: `min_update_periods_`)."""
START_S = 2.0
"""Nodes send their first update within this time (ns-2: `DSDV_STARTUP_JITTER`)."""
ENTRY_BYTES, IP_BYTES, MAC_BYTES = 12, 20, 28
"""Of a message: each entry (ns-2), the IP header, the MAC header with FCS."""
PREAMBLE_S, BROADCAST_BPS = 192e-6, 1e6
"""Long preamble and PLCP header, and the rate of broadcasts in 802.11b."""


@dataclass
class Route:
    """An entry of a routing table."""

    metric: float
    """Hops; infinite: broken."""
    sequence: int
    """Even from the destination, odd where the route broke."""
    next_hop: str
    advertised_from_s: float
    """When it may be advertised."""
    changed: bool
    """Whether it changed since the node last told of it."""


@dataclass
class Node:
    """What a node knows."""

    name: str
    sequence: int = 0
    routes: dict[str, Route] = field(default_factory=dict)
    heard_s: dict[str, float] = field(default_factory=dict)
    """When each neighbour last sent."""
    triggered_s: float = -math.inf
    """When it last sent a triggered update."""
    wakes_s: float = math.inf
    """When it is to look for something to tell next."""

    def next_trigger_s(self) -> float:
        """When the earliest change that it has not told of may be told; infinite: there is none."""
        changed = (route.advertised_from_s for route in self.routes.values() if route.changed)
        return max(min(changed, default=math.inf), self.triggered_s + TRIGGERED_S)


@dataclass(frozen=True)
class Message:
    """An update on the air."""

    at_s: float
    sender: str
    entries: int
    is_periodic: bool

    @property
    def airtime_s(self) -> float:
        """Duration of the frame."""
        return PREAMBLE_S + 8 * (MAC_BYTES + IP_BYTES + ENTRY_BYTES * self.entries) / BROADCAST_BPS


@dataclass(frozen=True)
class Routing:
    """What routing did in a run."""

    next_hops: list[dict[str, dict[str, str]]]
    """Next hop by node and destination, at the start of every second."""
    messages: list[Message]

    def path(self, second: int, source: str, destination: str) -> list[str] | None:
        """The nodes that a packet sent in this second passes; None: a node on the way has no route."""
        tables, path = self.next_hops[second], [source]
        while path[-1] != destination:
            following = tables[path[-1]].get(destination)
            if following is None or following in path:
                return None
            path.append(following)
        return path


def simulate(
    positions_at: Callable[[float], Positions],
    out_of_service_at: Callable[[float], set[str]],
    range_m: float,
    seconds: int,
    seed: int,
    loss: float = 0.0,
) -> Routing:
    """Run DSDV over moving nodes; tables are sampled every second. `loss`: probability that a node misses a message."""
    rng = random.Random(seed)  # noqa: S311 (a simulation's randomness)
    losses = random.Random(f"losses {seed}")  # noqa: S311 (a simulation's randomness)
    nodes = {name: Node(name) for name in positions_at(0.0)}
    order = count()
    events = [(rng.uniform(0, START_S), next(order), name, True) for name in nodes]
    heapq.heapify(events)
    messages: list[Message] = []
    samples: list[dict[str, dict[str, str]]] = []
    while len(samples) < seconds:
        now, _, name, is_periodic = events[0] if events else (math.inf, 0, "", False)
        if now > len(samples):
            samples.append(_sampled(nodes))
            continue
        heapq.heappop(events)
        if is_periodic:
            heapq.heappush(events, (now + PERIOD_S * rng.uniform(0.75, 1.0), next(order), name, True))
        if name in out_of_service_at(now):
            continue
        node = nodes[name]
        if is_periodic:
            told = _periodic(node, now)
        elif now == node.wakes_s:
            node.wakes_s, told = math.inf, _triggered(node, now)
        else:
            continue
        hearers = [node]
        if told:
            messages.append(Message(now, name, len(told), is_periodic))
            positions, down = positions_at(now), out_of_service_at(now)
            near = (other for other in nodes.values() if math.dist(positions[name], positions[other.name]) <= range_m)
            reached = (other for other in near if other is not node and other.name not in down)
            hearers += [other for other in reached if losses.random() >= loss]
        for other in hearers:
            if other is not node:
                _take(other, name, told, now)
            at = max(other.next_trigger_s(), now)
            if at < other.wakes_s:
                other.wakes_s = at
                heapq.heappush(events, (at, next(order), other.name, False))
    return Routing(samples, messages)


Told = dict[str, tuple[float, int]]
"""Metric and sequence number by destination."""


def _periodic(node: Node, now: float) -> Told:
    """Everything that the node may advertise, itself with a new number; silent neighbours are gone."""
    gone = {name for name, heard in node.heard_s.items() if now - heard > SILENT_PERIODS * PERIOD_S}
    for route in node.routes.values():
        if route.next_hop in gone and route.metric < math.inf:
            route.metric, route.sequence, route.advertised_from_s, route.changed = (
                math.inf,
                route.sequence + 1,
                now,
                True,
            )
    for name in gone:
        del node.heard_s[name]
    node.sequence += 2
    told = _told(node, now, lambda _: True)
    return {**told, node.name: (0.0, node.sequence)}


def _triggered(node: Node, now: float) -> Told:
    """What changed, if there is something that may be told."""
    told = _told(node, now, lambda route: route.changed)
    if told:
        node.triggered_s = now
        told[node.name] = (0.0, node.sequence)
    return told


def _told(node: Node, now: float, wanted: Callable[[Route], bool]) -> Told:
    told: Told = {}
    for destination, route in node.routes.items():
        if route.advertised_from_s <= now and wanted(route):
            told[destination] = (route.metric, route.sequence)
            route.changed = False
    return told


def _take(node: Node, sender: str, told: Told, now: float) -> None:
    """Read a neighbour's update."""
    node.heard_s[sender] = now
    for destination, (metric, sequence) in told.items():
        if destination == node.name:
            if sequence > node.sequence:
                # Somebody takes this node for lost: a newer number brings it back.
                node.sequence = sequence + sequence % 2
            continue
        old = node.routes.get(destination)
        new = metric + 1
        if old is None:
            if new == math.inf:
                continue
        elif sequence < old.sequence or (sequence == old.sequence and new >= old.metric):
            continue
        is_longer = old is not None and old.metric < new < math.inf
        is_other = old is None or (old.metric, old.next_hop) != (new, sender)
        changed = is_other or (old is not None and old.changed)
        node.routes[destination] = Route(new, sequence, sender, now + SETTLING_S if is_longer else now, changed)


def _sampled(nodes: Mapping[str, Node]) -> dict[str, dict[str, str]]:
    return {
        name: {end: route.next_hop for end, route in node.routes.items() if route.metric < math.inf}
        for name, node in nodes.items()
    }


def busy_intervals(
    messages: list[Message], positions_at: Callable[[float], Positions], sense_m: float, until_s: float
) -> dict[str, list[tuple[int, int]]]:
    """When each node finds the medium busy with messages, ns: the sender and whoever senses it; apart and in order."""
    busy: dict[str, list[tuple[int, int]]] = {}
    for message in messages:
        positions = positions_at(message.at_s)
        start, end = (round(1e9 * at) for at in (message.at_s, message.at_s + message.airtime_s))
        if end > until_s * 1e9:
            continue
        for name, position in positions.items():
            if math.dist(position, positions[message.sender]) <= sense_m:
                spans = busy.setdefault(name, [])
                if spans and start <= spans[-1][1]:
                    spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
                else:
                    spans.append((start, end))
    return busy
