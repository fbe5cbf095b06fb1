"""The worlds of the counterfactual study, fixed before it is run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.replay.counterfactual import disagreement, document, known, predictions, truths
from benchmarks.replay.counterfactual.agents import agent_flows
from benchmarks.replay.counterfactual.chance import by_chance
from benchmarks.replay.counterfactual.disagreement import held_runs, said
from benchmarks.replay.counterfactual.halves import goal_rows, sets, statements
from benchmarks.replay.counterfactual.precision import GOALS
from benchmarks.replay.counterfactual.predictions import Prediction, recorded_run
from benchmarks.replay.counterfactual.questions import CONTROLLERS, QUESTIONS
from benchmarks.replay.counterfactual.runs import RECORDED_SEEDS, SEEDS, Flow, Run, observers
from benchmarks.replay.counterfactual.scatter import Apart
from benchmarks.replay.counterfactual.scores import ranked, summary, weighted_quantile
from benchmarks.replay.counterfactual.truths import true_run, with_seeds
from benchmarks.replay.counterfactual.worlds import ADDED_WORLDS, FIRST_WORLDS, PHYS, WORLDS

HALVES = {held_out: [world for world in FIRST_WORLDS if world.held_out == held_out] for held_out in (False, True)}


def test_there_are_enough_worlds_and_half_of_them_are_held_out():
    assert len(FIRST_WORLDS) >= 30
    assert len({world.name for world in WORLDS}) == len(WORLDS)
    assert WORLDS == FIRST_WORLDS + ADDED_WORLDS
    assert abs(len(HALVES[True]) - len(HALVES[False])) <= 1
    assert len({question.name for question in QUESTIONS}) == 9, "itself, five controllers, a flow, a rate, a queue"


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
    assert all(world.held_out for world in ADDED_WORLDS)
    assert not [world for world in ADDED_WORLDS if content(world) in [content(other) for other in FIRST_WORLDS]]


def test_fields_that_came_later_change_no_folder_of_a_run_that_was_made_before():
    """Of the world `crossing` under NewReno with seed 1, as it was kept when worlds had no spacing."""
    world = next(world for world in WORLDS if world.name == "crossing")
    assert Run(world, seed=1).folder.name == "crossing-212a2f77fa"
    later = [replace(world, spacing_m=150), replace(world, pausing=1), replace(world, pausing=150)]
    later += [replace(world, segment_bytes="1448"), replace(world, udp_bytes=160), replace(world, later_s=2)]
    assert len({Run(each, seed=1).folder for each in [world, *later]}) == 7


def test_a_rate_is_doubled_where_the_phy_has_twice_the_rate():
    rates = {
        "DsssRate5_5Mbps": 5.5,
        "DsssRate1Mbps": 1,
        "DsssRate11Mbps": 11,
        "DsssRate2Mbps": 2,
        "HtMcs3": 26,
        "HtMcs5": 52,
    }
    rates |= {"VhtMcs3": 26, "VhtMcs5": 52, "HeMcs3": 34.4, "HeMcs5": 68.8}
    rates |= {"HtMcs1": 13, "VhtMcs1": 13, "HeMcs1": 17.2}
    rates |= {f"{name}OfdmRate{mbps}Mbps": mbps for name in ("", "Erp") for mbps in (6, 12, 18, 24, 36, 48)}
    for phy in PHYS.values():
        if phy.doubled is not None:
            modes = zip(phy.modes.split(","), phy.doubled.split(","), strict=True)
            assert all(rates[doubled] == 2 * rates[mode] for mode, doubled in modes)


def test_a_run_in_which_a_link_of_802_11n_stopped_is_no_truth(monkeypatch):
    def run(run):
        stopped = run.seed in dead
        return [
            Flow("a", "b", 5001, "tcp", 2e7 if stopped else 9e6, 1.0, 2.0, 0.0),
            Flow("a", "b", 5002, "tcp", 40.0 if stopped else 9e6, 1.0, 2.0, 0.0),
            Flow("a", "b", 9, "udp", 0.0, None, None, None),
        ]

    monkeypatch.setattr(truths, "truth", run)
    worlds = {world.phy: world for world in WORLDS if world.simulator == "ns-3"}
    dead = {SEEDS[0], SEEDS[2]}
    found = with_seeds(worlds["802.11n"], CONTROLLERS[0], 3)
    assert (len(found.seeds), found.runs) == (3, 5), "two more are run"
    assert {flow.goodput_bps for flows in found.seeds for flow in flows} == {9e6}
    found = with_seeds(worlds["802.11b"], CONTROLLERS[0], 3)
    assert (len(found.seeds), found.runs) == (3, 3), "a flow that starves is the truth"
    dead = set(SEEDS)
    found = with_seeds(worlds["802.11n"], CONTROLLERS[0], 3)
    assert (len(found.seeds), found.runs) == (6, 6), "no run is left"


def test_the_recording_of_802_11n_is_the_first_whose_flows_live(monkeypatch):
    def goodputs(run):
        return [
            Flow("a", "b", 5001, "tcp", 1e6, 1.0, 2.0, 0.0),
            Flow("a", "b", 5002, "tcp", dead[run.seed], 1.0, 2.0, 0.0),
        ]

    worlds = {world.phy: world for world in WORLDS if world.simulator == "ns-3"}
    monkeypatch.setattr(predictions, "truth", goodputs)
    dead = dict.fromkeys(RECORDED_SEEDS, 0.0) | {RECORDED_SEEDS[2]: 1e6}
    assert recorded_run(worlds["802.11n"], "sniffer").seed == RECORDED_SEEDS[2]
    dead[RECORDED_SEEDS[2]] = 0.0
    assert recorded_run(worlds["802.11n"], "sniffer").seed == RECORDED_SEEDS[0], "none lives"
    assert recorded_run(worlds["802.11b"], "sniffer").seed == RECORDED_SEEDS[0], "a flow that starves may be recorded"
    assert not set(RECORDED_SEEDS) & set(SEEDS), "no truth is recorded"


def test_a_question_is_asked_where_it_makes_sense():
    by_name = {question.name: question for question in QUESTIONS}
    worlds = {world.name: world for world in WORLDS}
    assert not by_name["one flow fewer"].asked_of(worlds["chain1"])
    assert by_name["one flow fewer"].asked_of(worlds["star3_11a"])
    assert not by_name["twice the rate"].asked_of(worlds["star4_minstrel"])
    assert not by_name["queue of 20"].asked_of(worlds["chain1"])
    of_ns2 = {question.name for question in QUESTIONS if question.asked_of(worlds["ns2_star3"])}
    assert of_ns2 == {"itself", "ns-2's Vegas", "one flow fewer", "queue of 20"}
    run = true_run(worlds["ns2_star3"], by_name["queue of 20"], 1)
    assert (run.controller, run.world.queue_packets, run.world.name) == ("Newreno", 20, "ns2_star3")
    assert recorded_run(worlds["ns2_star3"], "every_node").controller == "Newreno"
    assert observers(worlds["ns2_star3"]) == ("every_node",)


def test_chance_decides_a_world_whose_truths_are_mostly_unknown():
    def of(world, *imprecisions):
        return [known.Known(True, world, str(place), 12, value) for place, value in enumerate(imprecisions)]

    found = [*of("calm", 0.2, 0.9, 1.0), *of("half", 1.5, 9.0, 0.9, 0.9), *of("wild", 1.1, 3.0, 0.1)]
    assert known.by_chance(found) == {"wild"}


def test_agents_of_ns2_know_their_flows():
    """Segment 1 is sent twice, 2 once; the acknowledgement of 2 covers both and measures nothing (Karn)."""
    ends, back = "[0:0 2:1 32 0]", "[2:1 0:0 30 0]"
    lines = [
        *(f"s {at} _0_ AGT  --- 5 tcp 1000 [0 0 0 0] ------- {ends} [{n} 0] 0 0" for at, n in ((0.1, 0), (0.2, 1))),
        f"s 0.11 _2_ AGT  --- 6 ack 40 [0 0 0 0] ------- {back} [0 0] 0 0",
        f"r 0.15 _0_ AGT  --- 6 ack 40 [13a 0 1 800] ------- {back} [0 0] 2 0",
        f"r 0.15 _1_ MAC  --- 6 ack 40 [13a 0 1 800] ------- {back} [0 0] 2 0",
        *(f"s {at} _0_ AGT  --- 5 tcp 1000 [0 0 0 0] ------- {ends} [{n} 0] 0 0" for at, n in ((0.3, 2), (0.4, 1))),
        f"r 0.5 _0_ AGT  --- 6 ack 40 [13a 0 1 800] ------- {back} [2 0] 2 0",
    ]
    (flow,) = agent_flows(lines)
    source, destination, port, protocol, bps, p50, p95, segments, again = flow.row(1.0)
    assert (source, destination, port, protocol) == ("node-0", "node-2", 1, "tcp")
    assert bps == round(3 * 8000 / 0.9)
    assert (p50, p95) == (pytest.approx(50.0), pytest.approx(50.0))
    assert (segments, again) == (4, 1)


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


def test_a_weighted_quantile_is_that_of_values_repeated_by_their_weights():
    values = [(3.0, 1.0), (1.0, 2.0), (2.0, 1.0)]
    assert [weighted_quantile(values, share) for share in (0.25, 0.5, 0.51, 0.75, 0.76, 1.0)] == [1, 1, 2, 2, 3, 3]


def test_what_chance_makes_follows_from_the_seeds():
    calm = [Apart(True, "calm", "goodput", error, 3) for error in [0.01] * 9 + [0.03]]
    wild = [Apart(True, "wild", "goodput", error, 3) for error in [0.03] * 5 + [0.3] * 5]
    chance = by_chance([*calm, *wild])
    assert chance["wild", "goodput"] == (pytest.approx(0.02), pytest.approx(0.2))
    # Means of three beside means of three, and one beside the mean of two: variances of 2/3 and 3/2.
    assert chance["calm", "goodput"] == (pytest.approx(0.01 * 2 / 3), pytest.approx(0.01 * 2 / 3))
    many = [Apart(True, "many", "goodput", error, 24) for error in [0.3] * 24]
    # The model has as many seeds then: variances of 2/24 and 24/23.
    assert by_chance(many)["many", "goodput"] == pytest.approx([0.3 * (23 / 288) ** 0.5] * 2)
    both = [*many, *(Apart(True, "many", "goodput", error, 3) for error in [0.0] * 3)]
    assert by_chance(both)["many", "goodput"][0] == 0, "each flow counts once"


def test_the_page_has_every_part(monkeypatch):
    worlds = ("chain2", "hidden", "duplex3")
    found = [Apart(True, world, figure, 0.01, 3) for world in worlds for figure in ("goodput", "RTT, median")]
    found += [Apart(False, "chain1", figure, 0.01, 3) for figure in ("goodput", "RTT, median")]
    monkeypatch.setattr(document, "scatter", lambda make: [*found, Apart(True, "hidden", "goodput", 0.9, 3)])
    monkeypatch.setattr(
        known,
        "known",
        lambda make: [
            known.Known(True, "hidden", "itself", 24, 7.0),
            known.Known(True, "duplex3", "itself", 3, 0.5),
            known.Known(False, "chain1", "itself", 6, 1.5),
        ],
    )
    answers = [
        replace(prediction("itself", at, 10.0, low=9.0, high=11.0), world=world, observer=observer, figure=figure)
        for world, at in zip(worlds, (10.1, 15.0, 10.28), strict=True)
        for observer in ("every_node", "sniffer")
        for figure in ("goodput", "RTT, median")
    ]
    answers += [
        replace(prediction("itself", 10.1, 10.0), world=world, figure="loss", truths=3, stopped=stopped)
        for world, stopped in (("star3_11n", 2), ("chain5", 1))
    ]
    text = document.document(answers)
    assert "| chain2 | 1.0 / 1.0 % / 100 % | 1.0 / 1.0 % / 100 % | 0.7 / 0.7 % |" in text
    assert "- judged, new: `duplex3`.\n- chance decides: `hidden`." in text
    assert "| judged | 4 | 1.9 / 2.8 % / 100 % |" in text, "two of them with losses alone"
    assert "| all of before | 4 | 25.5 / 50.0 % / 100 % |" in text
    goal = "every node, goodput: median at most 2 %, 90th percentile at most 6 %"
    assert f"| {goal} | 1.9 / 2.8 %, yes | 25.5 / 50.0 %, **no** | 2.8 / 2.8 %, **no** |" in text
    assert "| development | 0 | 1 | 0 | 0 | 1 | 1 |" in text
    assert "| held-out | 1 | 0 | 0 | 1 | 1 | 0 |" in text
    assert "| hidden | 1 | 7.0 | 1200 |\n| chain1 | 1 | 1.5 | 14 |" in text, "24 * 7 ** 2, 6 * 1.5 ** 2"
    assert "no truth: 0 of 0 of the development half and 2 of 5 of the held-out half. In 1 other runs" in text
    parts = ("Ten scores", "Where chance decides", "Where the truth is known", "How far apart the simulators")
    assert all(f"## {part}" in text for part in parts)


def test_every_prediction_of_a_held_out_world_is_judged_or_of_a_world_that_chance_decides():
    answers = [replace(prediction("itself", 1.0, 1.0), world=world.name) for world in WORLDS if world.held_out]
    found = sets(answers, {"hidden", "duplex3"})
    assert [each.world for each in found["chance decides"]] == ["hidden", "duplex3"]
    assert len(found["judged"]) == len(answers) - 2
    for one, other in (("judged", "chance decides"), ("all of before", "all new")):
        assert len(found[one]) + len(found[other]) == len(answers)
    assert len(found["judged, of before"]) + len(found["judged, new"]) == len(found["judged"])
    assert {each.world for each in found["all new"]} == {world.name for world in ADDED_WORLDS}


def test_goals_are_met_up_to_their_bounds():
    def met(*answers):
        found = statements(
            [replace(each, figure=figure) for each in answers for figure in GOALS], {"sniffer": "s"}, str
        )
        return [each.holds for each in found]

    held = [prediction("itself", 10.15, 10.0, low=9.0, high=11.0)] * 9
    missed = [prediction("itself", 10.15, 10.0, low=10.1, high=11.0)]
    other = [prediction("BBR", 12.4, 12.0, low=11.0, high=13.0)]
    assert met(*held, *missed, *other) == [True] * 5
    assert met(*held, *other)[1] is False, "all are too many"
    off = [replace(each, predicted=10.25) for each in held]
    assert met(*off, *missed, *other)[0] is False, "2.5 % in the median"
    assert met(*held, *missed, replace(other[0], predicted=200.0))[4] is False, "BBR is ranked first"


def test_a_goal_about_nothing_is_neither_met_nor_missed():
    one = [replace(prediction("itself", 10.15, 10.0, low=9.0, high=11.0), figure=figure) for figure in GOALS]
    rows = goal_rows([list(statements(each, {"sniffer": "s"}, str)) for each in (one, [])])
    assert [row[2] for row in rows] == ["–"] * 5
    assert rows[0][1].endswith(", yes")
    assert rows[4][1] == "–", "one controller is not ranked"


def test_intervals_are_asked_for_single_runs_where_chance_decides():
    wide = replace(prediction("itself", 10.0, 10.0, low=5.0, high=20.0), of_runs=(4.0, 6.0, 15.0, 20.0))
    narrow = replace(wide, low=9.0, high=11.0, question="Vegas")
    assert (wide.held_runs, narrow.held_runs) == (0.75, 0.0)
    assert prediction("itself", 1.0, 1.0).held_runs is None
    assert held_runs([wide, narrow, replace(wide, starved=True, of_runs=(9.0,))]) == pytest.approx(0.375)
    assert held_runs([]) is None


def test_an_answer_says_that_chance_decides_if_one_of_its_flows_does():
    one = prediction("itself", 10.0, 10.0)
    says = replace(one, flow="g", says_chance=True)
    answers = [one, says, replace(one, question="Vegas"), replace(one, question="BBR", predicted=None)]
    assert said(answers) == (1, 2), "two flows are one answer, and what is not predicted is none"
    quiet = replace(one, world="calm", imprecision=0.5)
    loud = [replace(each, imprecision=3.0) for each in answers[:2]]
    text = disagreement.section(loud, [*loud, quiet], {"sniffer": "one sniffer"})
    assert "| the replay says that chance decides, in worlds that chance decides | 1 of 1 |" in text
    assert "| the replay says that chance decides, where the truth is known | 0 of 1 |" in text
    assert "chance decides | 1 of 1 | yes |" in text
    assert "truth is known | 0 of 1 | yes |" in text
    text = disagreement.section([replace(each, says_chance=False) for each in loud], loud, {"sniffer": "one sniffer"})
    assert "chance decides | 0 of 1 | **no** |" in text
