"""The rate region of S003's Stack (figure 2): worlds at a rate of some flows, and the boundary found by trying."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._replay import replay
from winf_analyzer._replay.topologies.world import World

MIN_BPS = 1000
"""A rate that stands for none."""


CAPPED = {"outer": ("1-3", "7-9"), "middle": ("4-6",)}
"""The flows of Stack that are limited along one of the two sides of its rate region."""


def region_point(capped: str, rate_bps: float, seconds: float, *, acknowledged: bool = True) -> World:
    """Stack, whose outer flows (`outer`) or middle flow (`middle`) have a rate, and the others all that is left."""
    world = worlds.neighbourhood("stack", seconds)
    source = {"cbr": {"rate_bps": max(round(rate_bps), MIN_BPS)}}
    flows = [{**flow, "source": source} if flow["name"] in CAPPED[capped] else flow for flow in world["flows"]]
    return {**world, "flows": flows if acknowledged else [worlds.datagrams(flow) for flow in flows]}


THROUGH = 0.98
"""Share of its datagrams that a flow has to get through for its rate to be one that the medium carries."""

HALVINGS = 6
"""Of the span in which the greatest such rate is looked for: to one part in sixty of what the model allows."""


def measured_point(capped: str, rate_bps: float, seed: int, seconds: float) -> World:
    """Stack with datagrams: the capped flows at their rate, the others at the most at which all get :data:`THROUGH`.

    Found by trying, between 0.5 and 1.5 times what the reference allows them.
    """
    model = replay(topology=region_point(capped, rate_bps, seconds, acknowledged=False), controllers=["max_min"])
    allowed = dict(zip(model.summary["flow"], model.summary["throughput_bps"], strict=True))
    free = [name for group in CAPPED.values() for name in group if name not in CAPPED[capped]]
    least, most = 0.5, 1.5
    world = _at(allowed, free, least, seed, seconds)
    for _ in range(HALVINGS):
        middle = (least + most) / 2
        tried = _at(allowed, free, middle, seed, seconds)
        if _gets_through(tried, seed):
            least, world = middle, tried
        else:
            most = middle
    return world


def _at(allowed: Mapping[str, float], free: Sequence[str], factor: float, seed: int, seconds: float) -> World:
    rates = {name: rate * (factor if name in free else 1.0) for name, rate in allowed.items()}
    return worlds.offered("stack", rates, seed, seconds)


def _gets_through(world: World, seed: int) -> bool:
    flows = replay(topology=world, controllers=["new_reno"], seeds=[seed]).summary.filter(pl.col("sent_packets") > 0)
    return bool((flows["received_packets"] >= THROUGH * flows["sent_packets"]).all())
