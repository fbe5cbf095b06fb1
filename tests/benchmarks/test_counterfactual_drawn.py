"""Worlds drawn at random are fixed by their seeds, and are worlds that the simulator can run."""

from __future__ import annotations

from benchmarks.replay.counterfactual import drawn_page, known
from benchmarks.replay.counterfactual.drawn import (
    DEVELOPMENT_SEEDS,
    DRAWN,
    HELD_OUT_SEEDS,
    MIN_BPS,
    NOMINAL_MBPS,
    PATHS,
    SHAPES,
    drawn,
    is_a_world,
)
from benchmarks.replay.counterfactual.known import Known
from benchmarks.replay.counterfactual.predictions import Prediction
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

    assert is_a_world(flows(0.0, MIN_BPS))
    assert not is_a_world(flows(0.4 * MIN_BPS, 0.5 * MIN_BPS))
    assert not is_a_world([Flow("a", "b", 5101, "udp", 1e6, None, None, None)])
    assert not is_a_world([]), "the simulator crashed"


def test_the_page_says_what_was_drawn_and_which_worlds_are_judged(monkeypatch):
    first, second = (world for world in DRAWN[-2:])
    monkeypatch.setattr(known, "known", lambda *_, **__: [Known(True, second.name, "itself", 3, 2.0)])
    found = [
        prediction(first.name, "goodput", 101.0, 0.5),
        prediction(second.name, "goodput", 150.0, 2.0),
        prediction(second.name, "RTT, median", 120.0, 2.0),
    ]
    page = drawn_page.document(found)
    assert f"- judged: `{first.name}`." in page
    assert f"- chance decides: `{second.name}`." in page
    assert "| goodput | 1.0 / 1.0 % / 100 % |" in page, "of the judged one"
    assert "| goodput | 25.5 / 50.0 % / 50 % |" in page, "of both"
    assert drawn_page.said(first) in page
    assert "Development worlds" not in page


def prediction(world, figure, predicted, imprecision):
    known = {"imprecision": imprecision, "true_error": 0.01}
    ends = (0.95 * predicted, 1.05 * predicted)
    return Prediction(
        world, True, "every_node", "itself", "10.0.0.1:5001", figure, predicted, *ends, 100.0, False, **known
    )
