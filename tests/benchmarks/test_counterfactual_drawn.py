"""Worlds drawn at random are fixed by their seeds, and are worlds that the simulator can run."""

from __future__ import annotations

from benchmarks.replay.counterfactual.drawn import (
    DEVELOPMENT_SEEDS,
    DRAWN,
    HELD_OUT_SEEDS,
    LEAST_BPS,
    NOMINAL_MBPS,
    PATHS,
    SHAPES,
    drawn,
    is_a_world,
)
from benchmarks.replay.counterfactual.runs import Flow
from benchmarks.replay.counterfactual.worlds import PHYS, WORLDS


def test_the_worlds_of_a_seed_are_the_same_ones_and_no_seed_is_of_both_halves():
    assert not set(DEVELOPMENT_SEEDS) & set(HELD_OUT_SEEDS)
    assert tuple(drawn(int(world.name.split("_")[1]), held_out=world.held_out) for world in DRAWN) == DRAWN
    assert len({world.content[1:] for world in DRAWN}) == len(DRAWN)
    assert not {world.name for world in DRAWN} & {world.name for world in WORLDS}


def test_what_is_drawn_can_be_run():
    assert set(NOMINAL_MBPS) == set(PHYS)
    seen = {}
    for seed in range(3000):
        world = drawn(seed, held_out=False)
        paths = PATHS[world.shape] if world.shape in PATHS else int(world.shape[-1])
        paths = 1 if world.shape.startswith("chain") else paths
        assert 1 <= world.flows <= paths
        assert world.pausing <= world.flows
        assert not (world.later_s and world.flows == 1)
        assert not (world.defaults and PHYS[world.phy].standard == "802.11b")
        for key, value in vars(world).items():
            seen.setdefault(key, set()).add(value)
    assert seen["shape"] == set(SHAPES)
    assert seen["phy"] == set(PHYS)
    for key in ("rts", "cross_traffic", "defaults"):
        assert seen[key] == {False, True}, key
    for key in ("udp_kbps", "loss", "queue_packets", "wire_ms", "spacing_m", "pausing", "segment_bytes", "later_s"):
        assert len(seen[key]) > 3, key


def test_a_draw_whose_flows_deliver_nothing_is_left_out():
    def flows(*goodputs):
        return [Flow("a", "b", 5001, "tcp", bps, 1.0, 2.0, 0.0) for bps in goodputs]

    assert is_a_world(flows(0.0, LEAST_BPS))
    assert not is_a_world(flows(0.4 * LEAST_BPS, 0.5 * LEAST_BPS))
    assert not is_a_world([Flow("a", "b", 5101, "udp", 1e6, None, None, None)])
    assert not is_a_world([]), "the simulator crashed"
