"""The worlds of the counterfactual study, fixed before it is run."""

from __future__ import annotations

import pytest

from benchmarks.replay.counterfactual.predictions import Prediction, alive
from benchmarks.replay.counterfactual.questions import CONTROLLERS, QUESTIONS
from benchmarks.replay.counterfactual.runs import Flow, Run
from benchmarks.replay.counterfactual.scores import ranked, summary
from benchmarks.replay.counterfactual.worlds import PHYS, WORLDS

HALVES = {held_out: [world for world in WORLDS if world.held_out == held_out] for held_out in (False, True)}


def test_there_are_enough_worlds_and_half_of_them_are_held_out():
    assert len(WORLDS) >= 30
    assert len({world.name for world in WORLDS}) == len(WORLDS)
    assert abs(len(HALVES[True]) - len(HALVES[False])) <= 1
    assert len({question.name for question in QUESTIONS}) == 7, "itself, four controllers, a flow, a rate"


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


def test_a_rate_is_doubled_where_the_phy_has_twice_the_rate():
    rates = {
        "DsssRate5_5Mbps": 5.5,
        "DsssRate1Mbps": 1,
        "DsssRate11Mbps": 11,
        "DsssRate2Mbps": 2,
        "HtMcs3": 26,
        "HtMcs5": 52,
    }
    rates |= {f"{name}OfdmRate{mbps}Mbps": mbps for name in ("", "Erp") for mbps in (24, 48)}
    for phy in PHYS.values():
        if phy.doubled is not None:
            modes = zip(phy.modes.split(","), phy.doubled.split(","), strict=True)
            assert all(rates[doubled] == 2 * rates[mode] for mode, doubled in modes)


def test_a_run_in_which_a_link_of_802_11n_stopped_is_no_truth():
    def run(*goodputs_bps):
        return [Flow("a", "b", 5001 + n, "tcp", bps, 1.0, 2.0, 0.0) for n, bps in enumerate(goodputs_bps)]

    worlds = {world.phy: world for world in WORLDS}
    whole, stopped = run(9e6, 9e6), run(2e7, 40.0)
    assert alive(worlds["802.11n"], [whole, stopped]) == [whole]
    assert alive(worlds["802.11n"], [stopped]) == [stopped], "no run is left"
    assert alive(worlds["802.11b"], [whole, stopped]) == [whole, stopped], "a flow that starves is the truth"


def test_a_question_is_asked_where_it_makes_sense():
    by_name = {question.name: question for question in QUESTIONS}
    worlds = {world.name: world for world in WORLDS}
    assert not by_name["one flow fewer"].asked_of(worlds["chain1"])
    assert by_name["one flow fewer"].asked_of(worlds["star3_11a"])
    assert not by_name["twice the rate"].asked_of(worlds["star4_minstrel"])


def test_runs_that_differ_have_folders_of_their_own():
    worlds = WORLDS[:2]
    runs = [
        Run(world, seed=seed, record=record) for world in worlds for seed in (1, 2) for record in ("nobody", "sniffer")
    ]
    assert len({run.folder for run in runs}) == len(runs)
    assert "--seed=2" in Run(worlds[0], seed=2).options()


def prediction(question, predicted, true, *, low=None, high=None, starved=False):
    return Prediction("w", True, "sniffer", question, "f", "goodput", predicted, low, high, true, starved)


def test_scores_leave_starved_flows_out_and_rank_what_differs():
    first, second, third = (question.name for question in CONTROLLERS[:3])
    answers = [
        prediction(first, 11.0, 10.0, low=9.0, high=12.0),
        prediction(second, 10.0, 10.2, low=10.5, high=12.0),
        prediction(third, 9.0, 8.0),
        prediction(third, 0.2, 0.1, starved=True),
    ]
    middle, high, covered = summary(answers)
    assert (middle, high) == (pytest.approx(0.1), pytest.approx(0.125))
    assert covered == 0.5
    assert ranked(answers) == (2, 2), "the first two differ by 2 %"
