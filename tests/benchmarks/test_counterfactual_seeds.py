"""How many seeds a truth and a prediction of the counterfactual study are made of."""

from __future__ import annotations

import subprocess
from math import inf, sqrt
from signal import SIGSEGV
from statistics import stdev

import pytest

from benchmarks.replay.counterfactual import runs, truths
from benchmarks.replay.counterfactual.precision import GOALS, PART, STEPS, imprecision, is_worth_more, standard_error
from benchmarks.replay.counterfactual.questions import QUESTIONS
from benchmarks.replay.counterfactual.runs import RECORDED_SEEDS, SEEDS, Flow, Run
from benchmarks.replay.counterfactual.truths import is_run, simulate, truth_of, with_seeds
from benchmarks.replay.counterfactual.worlds import WORLDS

WORLD = next(world for world in WORLDS if world.name == "hidden")
ASKED = [question for question in QUESTIONS if question.asked_of(WORLD)]
BPS, RTT_MS = 1e6, 100.0


@pytest.mark.parametrize(("number", "student"), [(3, 1.321), (6, 1.111), (24, 1.022)])
def test_the_standard_error_has_students_factor(number, student):
    """Quantiles of Student's distribution at 84.13 %, from a table."""
    values = [100.0 + place for place in range(number)]
    expected = student * stdev(values) / sqrt(number) / (sum(values) / number)
    assert standard_error(values) == pytest.approx(expected, rel=0.01)
    assert standard_error(values[:1]) == inf


def values(goodputs, rtts):
    return {"goodput": goodputs, "RTT, median": rtts}


def test_the_flow_and_figure_that_are_known_least_decide():
    calm, wild = [100.0, 100.1, 99.9], [100.0, 130.0, 70.0]
    allowed = {figure: PART * high for figure, (_, high) in GOALS.items()}
    assert allowed == {"goodput": pytest.approx(0.02), "RTT, median": pytest.approx(1 / 12)}
    assert imprecision([values(calm, calm)]) < 1
    for flows in ([values(calm, calm), values(calm, wild)], [values(calm, wild), values(calm, calm)]):
        assert imprecision(flows) == pytest.approx(standard_error(wild) / allowed["RTT, median"])
    assert imprecision([values(calm, calm), values(wild, calm)]) == pytest.approx(standard_error(wild) / 0.02)


def test_flows_that_starve_have_no_say():
    calm, starved = [100.0, 100.1, 99.9], [1.0, 9.0, 0.1]
    assert imprecision([values(calm, calm), values(starved, starved)]) < 1
    assert imprecision([values(calm, calm), values([10.0, 2.0, 4.0], calm)]) > 1


def simulator(monkeypatch, spread):
    """Runs whose goodputs alternate around a mean; returns those that were made."""
    made = []

    def run(run):
        made.append((run.controller, run.without, run.doubled, run.seed))
        off = spread(run) * (1 if SEEDS.index(run.seed) % 2 else -1)
        return [Flow("a", "b", 5001, "tcp", BPS * (1 + off), RTT_MS, 2 * RTT_MS, 0.0)]

    monkeypatch.setattr(truths, "truth", run)
    monkeypatch.setattr(truths, "program", lambda: None)
    return made


@pytest.mark.parametrize(("spread", "seeds"), [(0.001, 3), (0.03, 6), (0.05, 12), (0.09, 24), (0.12, 24), (0.5, 12)])
def test_seeds_are_added_until_the_mean_is_known_or_there_are_as_many_as_may_be(monkeypatch, spread, seeds):
    simulator(monkeypatch, lambda _: spread)
    assert len(truth_of(WORLD, ASKED[0]).seeds) == seeds
    assert (truth_of(WORLD, ASKED[0]).imprecision <= 1) == (spread < 0.1)


def test_the_last_step_is_left_out_where_four_times_its_seeds_would_not_do_either():
    assert is_worth_more(12, 2.8)
    assert not is_worth_more(12, 2.9), "12 * 2.9 ** 2 > 96"
    assert is_worth_more(6, 9.0), "six seeds do not tell that"
    assert not is_worth_more(6, 1.0)


def test_what_was_run_counts_up_to_the_last_whole_step(monkeypatch):
    made = simulator(monkeypatch, lambda _: 0.12)
    for there, seeds in ((3, 3), (5, 3), (6, 6), (23, 12), (24, 24)):
        monkeypatch.setattr(Run, "is_made", property(lambda run, there=there: run.seed in SEEDS[:there]))
        made.clear()
        assert len(truth_of(WORLD, ASKED[0], make=False).seeds) == seeds
        assert {run[3] for run in made} <= set(SEEDS[:there]), "nothing is run"


def test_of_802_11n_runs_that_are_no_truth_do_not_make_a_step_whole(monkeypatch):
    world = next(world for world in WORLDS if world.phy == "802.11n")
    dead = set(SEEDS[:3])
    monkeypatch.setattr(
        truths, "truth", lambda run: [Flow("a", "b", 1, "tcp", 0.0 if run.seed in dead else BPS, 1.0, 2.0, 0.0)]
    )
    for there, whole in ((3, False), (8, False), (9, True)):
        monkeypatch.setattr(Run, "is_made", property(lambda run, there=there: run.seed in SEEDS[:there]))
        assert is_run(world, ASKED[0], 6) == whole


def test_a_run_in_which_the_simulator_crashed_is_no_truth(monkeypatch, tmp_path):
    def crash(command, **_):
        raise subprocess.CalledProcessError(-SIGSEGV if "--seed=2" in command else 0, command)

    monkeypatch.setattr(runs, "CACHE", tmp_path)
    monkeypatch.setattr(runs, "program", lambda: "world")
    monkeypatch.setattr(subprocess, "run", crash)
    assert runs.truth(Run(WORLD, seed=2)) == []
    assert Run(WORLD, seed=2).is_made, "not again"
    with pytest.raises(subprocess.CalledProcessError):
        runs.truth(Run(WORLD, seed=1))
    flow = Flow("a", "b", 1, "tcp", BPS, 1.0, 2.0, 0.0)
    monkeypatch.setattr(truths, "truth", lambda run: [] if run.seed == 2 else [flow])
    found = with_seeds(WORLD, ASKED[0], 3)
    assert (len(found.seeds), found.runs) == (3, 4)


def test_all_truths_get_a_step_before_any_gets_the_next_and_the_least_known_first(monkeypatch):
    spreads = {question.ns3: 0.04 * place for place, question in enumerate(ASKED[:5])}
    made = simulator(monkeypatch, lambda run: 0.0 if run.doubled else spreads[run.controller])
    simulate([WORLD], jobs=1)
    first = {run for run in made if run[3] in SEEDS[: STEPS[0]]}
    assert {run[:3] for run in made[: len(first)]} == {run[:3] for run in first}, "the first step of all"
    later = [run for run in made if run[3] == SEEDS[STEPS[1] - 1]]
    assert [run[0] for run in later[:4]] == [question.ns3 for question in ASKED[4:0:-1]], "those that scatter most"
    assert {run[0] for run in made if run[3] == SEEDS[STEPS[-1] - 1]} == {question.ns3 for question in ASKED[2:5]}


def test_no_seed_is_both_recorded_and_a_truth_and_the_first_three_are_those_of_before():
    assert not set(RECORDED_SEEDS) & set(SEEDS)
    assert SEEDS[:3] == (1, 2, 3)
    assert len(SEEDS) == 2 * STEPS[-1], "of 802.11n half of the runs may be none"
