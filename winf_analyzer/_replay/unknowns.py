"""What a recording leaves open about its world, and worlds drawn over it."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import exp, log
from random import Random

from winf_analyzer._replay.topologies.world import World

Link = tuple[str, str]

_DELAYED_ACK_NS = 200_000_000


@dataclass(frozen=True)
class Unknowns:
    """What had to be presumed, or was inferred from little."""

    queue_packets: tuple[int, int] | None = None
    """Bounds of queue limits; None if they are known. All queues have one limit."""

    losses: dict[Link, tuple[float, int]] = field(default_factory=dict)
    """Per link its loss rate, and the number of attempts that it was inferred from; 0 if it was assumed."""

    losses_or_collisions: dict[Link, float] = field(default_factory=dict)
    """Per link the share of attempts that failed, where it is unknown how many of them did not collide."""

    airtime_errors: dict[Link, float] = field(default_factory=dict)
    """Per link the standard error of its airtimes, as a share of them."""

    unclear_acks: tuple[str, ...] = ()
    """Flows of which it is not known whether their acknowledgements are delayed."""

    def without(self, changes: Iterable[str]) -> Unknowns:
        """What is left open once a scenario sets these keys, see :mod:`.scenarios`."""
        known = self
        for key in changes:
            if key == "queue":
                known = replace(known, queue_packets=None)
            elif key.startswith("link.") and key.endswith(".loss"):
                ends = tuple(key.removeprefix("link.").removesuffix(".loss").split(">"))
                known = replace(
                    known,
                    losses={link: loss for link, loss in known.losses.items() if link != ends},
                    losses_or_collisions={
                        link: share for link, share in known.losses_or_collisions.items() if link != ends
                    },
                )
            if key == "link.loss":
                known = replace(known, losses={}, losses_or_collisions={})
        return known

    def draw(self, world: World, number: int) -> World:
        """The ``number``-th world of those that the recording allows; the given one stays.

        Queue limits are log-uniform; loss rates follow the posterior of Jeffreys' prior, or are uniform up to the share
        of failed attempts; airtimes of a link scale together, normally distributed; acknowledgements that are unclear
        are delayed in half of the worlds.
        """
        random = Random(number)  # noqa: S311 - draws that repeat
        drawn = copy.copy(world)
        queue = None
        if self.queue_packets is not None:
            low, high = self.queue_packets
            queue = round(exp(random.uniform(log(low), log(high))))
            drawn["nodes"] = [
                node | {"interface_queue": {**node["interface_queue"], "packets": queue}}
                if "interface_queue" in node
                else node
                for node in world["nodes"]
            ]
        drawn["links"] = [self._link(copy.deepcopy(link), queue, random) for link in world["links"]]
        delayed = {name for name in self.unclear_acks if random.random() < 0.5}
        drawn["flows"] = [
            flow | {"transport": {**flow.get("transport", {}), "delayed_ack_ns": _DELAYED_ACK_NS}}
            if flow["name"] in delayed
            else flow
            for flow in world["flows"]
        ]
        return drawn

    def _link(self, link: World, queue: int | None, random: Random) -> World:
        ends = (link["from"], link["to"])
        if queue is not None:
            link["queue"] = {**link.get("queue", {}), "packets": queue}
        wireless = link.get("medium", {}).get("wireless")
        if wireless is None:
            return link
        if ends in self.losses:
            loss, attempts = self.losses[ends]
            if attempts:
                # Whole attempts, rounded to what matters, so that all machines draw the same.
                lost = round(loss * attempts)
                loss = random.betavariate(lost + 0.5, attempts - lost + 0.5)
            wireless["loss"] = round(min(loss, 0.999), 6)
        elif ends in self.losses_or_collisions:
            wireless["loss"] = round(random.uniform(0, self.losses_or_collisions[ends]), 6)
        factor = 1 + self.airtime_errors.get(ends, 0.0) * random.gauss(0, 1)
        for point in wireless.get("airtimes", []):
            point["airtime_ns"] = max(1, round(point["airtime_ns"] * max(factor, 0.1)))
        return link
