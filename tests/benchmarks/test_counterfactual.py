"""The worlds of the counterfactual study, fixed before it is run."""

from __future__ import annotations

import pytest

from benchmarks.replay.counterfactual.worlds import QUESTIONS, WORLDS

HALVES = {held_out: [world for world in WORLDS if world.held_out == held_out] for held_out in (False, True)}


def test_there_are_enough_worlds_and_half_of_them_are_held_out():
    assert len(WORLDS) >= 30
    assert len({world.name for world in WORLDS}) == len(WORLDS)
    assert abs(len(HALVES[True]) - len(HALVES[False])) <= 1
    assert len(set(QUESTIONS)) == 6


@pytest.mark.parametrize("held_out", [False, True])
def test_each_half_has_every_kind_of_world(held_out):
    half = HALVES[held_out]
    assert {"802.11b", "802.11g", "802.11a", "802.11n"} <= {world.phy for world in half}
    assert {"ns-2", "ns-3"} == {world.simulator for world in half}
    assert {20, 50, 200} == {world.queue_packets for world in half}
    for has in ("rts", "udp_kbps", "cross_traffic", "loss", "wire_ms", "defaults"):
        assert {bool(getattr(world, has)) for world in half} == {False, True}, has
    assert {"hidden", "chain2"} <= {world.shape for world in half}
    assert max(world.flows for world in half) >= 3


def test_no_world_is_in_both_halves():
    def content(world):
        return {key: value for key, value in vars(world).items() if key not in ("name", "held_out")}

    assert not [world for world in HALVES[True] if content(world) in [content(other) for other in HALVES[False]]]
