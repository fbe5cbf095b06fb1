"""Replays of the counterfactual study: seeds by the rule, kept, and intervals made of them as in the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import winf_analyzer
from benchmarks.replay.counterfactual import predictions, replays, truths
from benchmarks.replay.counterfactual.precision import MORE_REPLAY_SEEDS, REPLAY_SEEDS, STEPS
from benchmarks.replay.counterfactual.questions import CONTROLLERS
from benchmarks.replay.counterfactual.replays import BY_CHANCE, DRAWN, UNREPRODUCED, means, replayed, unknown
from benchmarks.replay.counterfactual.runs import OBSERVERS, Run
from benchmarks.replay.counterfactual.runs import SEEDS as TRUTH_SEEDS
from benchmarks.replay.counterfactual.worlds import WORLDS
from winf_analyzer._replay.unknowns import OWN_RECORDING, THIRD_PARTY

RUN = Run(WORLDS[0])
SAMPLE = Path(__file__).parents[2] / "sample_captures" / "ns3_tcp" / "recording"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder of its own for what is kept, and the sample as the recording of every run."""
    monkeypatch.setattr(replays, "CACHE", tmp_path)
    monkeypatch.setattr(replays, "DRAWS", 5)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "recording").symlink_to(SAMPLE)
    monkeypatch.setattr(replays, "made", lambda run: tmp_path / "run")
    return tmp_path


def test_means_and_intervals_are_those_of_the_program(cache, monkeypatch):
    monkeypatch.setattr(replays, "unknown", lambda summary: [])
    found, reason = replayed(RUN, CONTROLLERS[:1])
    assert reason == ""
    dataset = winf_analyzer.ingest([SAMPLE], cache / "other.winf")
    own = winf_analyzer.replay(dataset, controllers=["new_reno"], seeds=REPLAY_SEEDS, draws=5).summary
    for column in ("throughput_bps", "throughput_low_bps", "throughput_high_bps", "rtt_p50_ms", "rtt_p50_high_ms"):
        expected = own.group_by("flow").agg(pl.col(column).mean()).sort("flow")
        assert_frame_equal(found.select("flow", column).sort("flow"), expected)
    assert found["seeds"].unique().to_list() == [REPLAY_SEEDS]


def test_a_replay_is_kept_and_made_again_for_another_question_alone(cache, monkeypatch):
    times = []

    def keep(run, questions, folder):
        times.append([question.controller for question in questions])
        (folder / "facts.json").write_text(json.dumps({"reason": "nothing to replay"}))

    monkeypatch.setattr(replays, "_keep", keep)
    for questions in (CONTROLLERS[:1], CONTROLLERS[:1], CONTROLLERS[:2]):
        assert replayed(RUN, questions) == (None, "nothing to replay")
    assert times == [["new_reno"], ["new_reno", "vegas_linux"]]
    replayed(replace(RUN, record="sniffer"), CONTROLLERS[:1])
    assert len(times) == 3, "another recording"


def test_the_controllers_whose_means_are_not_known_have_more_seeds(cache, monkeypatch):
    monkeypatch.setattr(replays, "unknown", lambda summary: ["vegas_linux"])
    found, _ = replayed(RUN, CONTROLLERS[:2])
    seeds = dict(found.select("controller", "seeds").unique().iter_rows())
    assert seeds == {"new_reno": REPLAY_SEEDS, "vegas_linux": MORE_REPLAY_SEEDS}


def rows(controller, bps, rtt_ms=(50.0, 50.0, 50.0)):
    return pl.DataFrame(
        {
            "controller": controller,
            "mode": "tcp",
            "flow": "a",
            "seed": [1, 2, 3],
            "throughput_bps": bps,
            "rtt_p50_ms": rtt_ms,
        }
    )


def test_which_means_are_not_known_follows_from_the_seeds_alone():
    calm, wild, long = (
        rows("new_reno", [1e6, 1.001e6, 0.999e6]),
        rows("bbr", [1e6, 2e6, 1.5e6]),
        rows("cubic", [1e6, 1e6, 1e6], (50.0, 90.0, 20.0)),
    )
    assert unknown(pl.concat([calm, wild, long])) == ["bbr", "cubic"]


@pytest.mark.parametrize(
    ("third_party", "unreproduced", "share"),
    [(False, 0.0, OWN_RECORDING), (True, 0.0, THIRD_PARTY), (True, 0.7, dict.fromkeys(THIRD_PARTY, 0.7))],
)
def test_intervals_are_longer_by_todays_shares(cache, monkeypatch, third_party, unreproduced, share):
    monkeypatch.setattr(replays, "unknown", lambda summary: [])
    replayed(RUN, CONTROLLERS[:1])
    (kept,) = (cache / "replays").iterdir()
    summary, draws = (pl.read_parquet(kept / f"{name}.parquet") for name in ("summary", "draws"))
    facts = {
        "third_party": third_party,
        "unreproduced": unreproduced,
        "fastest_bps": 1e9,
        "by_chance": [],
        "biases": {},
    }
    found = means(summary, draws, facts).row(0, named=True)
    for name, off in (("throughput_bps", "throughput_high_bps"), ("rtt_p50_ms", "rtt_p50_high_ms")):
        assert found[off] == pytest.approx(found[f"{DRAWN}{off}"] * (1 + share[name]))
    assert found[UNREPRODUCED] == unreproduced


def test_shares_that_are_found_again_need_no_replay_again(tmp_path, monkeypatch):
    package = tmp_path / "package"
    package.mkdir()
    monkeypatch.setattr(winf_analyzer, "__file__", str(package / "__init__.py"))

    def code(text):
        (package / "unknowns.py").write_text(text)
        replays._code.cache_clear()
        return replays._code()

    before = code("A = 1\nOWN_RECORDING = {1}\nTHIRD_PARTY = {2}\n")
    assert code("A = 1\nOWN_RECORDING = {3}\nTHIRD_PARTY = {4}\n") == before
    assert code("A = 2\nOWN_RECORDING = {1}\nTHIRD_PARTY = {2}\n") != before
    replays._code.cache_clear()


def test_what_a_replay_is_off_follows_from_its_own_shares():
    share = 0.1
    assert THIRD_PARTY["throughput_bps"] < share < THIRD_PARTY["rtt_p50_ms"]
    errors = {figure: max(error, share) for figure, error in THIRD_PARTY.items()}
    for said, third_party, off in ((OWN_RECORDING, False, 0.0), (THIRD_PARTY, True, 0.0), (errors, True, share)):
        by_chance = pl.DataFrame({"controller": ["bbr", "bbr"], "flow": ["a", "b"]})
        biases = {"a": {"rtt_ms": 0.5}}
        facts = replays._facts(SimpleNamespace(model_errors=said, fastest_bps=1.0, by_chance=by_chance, biases=biases))
        assert facts == {
            "third_party": third_party,
            "unreproduced": off,
            "fastest_bps": 1.0,
            "biases": biases,
            "by_chance": ["bbr"],
        }


def test_what_a_replay_says_of_chance_is_of_its_controllers(cache, monkeypatch):
    monkeypatch.setattr(replays, "unknown", lambda summary: [])
    found, _ = replayed(RUN, CONTROLLERS[:2])
    assert not found[BY_CHANCE].any(), "nothing contends in the sample"
    (kept,) = (cache / "replays").iterdir()
    facts = json.loads((kept / "facts.json").read_text())
    (kept / "facts.json").write_text(json.dumps(facts | {"by_chance": ["vegas_linux"]}))
    found, _ = replayed(RUN, CONTROLLERS[:2])
    assert dict(found.select("controller", BY_CHANCE).iter_rows()) == {"new_reno": False, "vegas_linux": True}


def test_the_command_predicts_in_processes_of_its_own(tmp_path):
    """One world whose runs and replay are there already; nothing is simulated."""
    world, question = WORLDS[0], CONTROLLERS[0]
    environment = os.environ | {"WINF_COUNTERFACTUAL_CACHE": str(tmp_path)}
    rows = ["source,destination,port,protocol,goodput_bps,rtt_p50_ms,rtt_p95_ms,segments,retransmissions"]
    rows.append("10.0.0.1,10.0.0.2,5001,tcp,1000000,50,90,1000,1")
    made = [truths.true_run(world, question, seed) for seed in TRUTH_SEEDS[: STEPS[0]]]
    for run in [*made, *(predictions.recorded_run(world, observer) for observer in OBSERVERS)]:
        folder = tmp_path / run.folder.name
        folder.mkdir()
        (folder / "truth.csv").write_text("\n".join(rows))
    for observer in OBSERVERS:
        kept = tmp_path / "replays" / replays.folder(predictions.recorded_run(world, observer), CONTROLLERS[:1]).name
        kept.mkdir(parents=True)
        (kept / "facts.json").write_text(json.dumps({"reason": "nothing to replay"}))
    (tmp_path / "world").touch()  # newer than its source, so that no compiler is needed
    command = ["-m", "benchmarks.replay.counterfactual", "--jobs", "2", "--most", "0", "--details"]
    chosen = ["--world", world.name, "--question", question.name]
    done = subprocess.run([sys.executable, *command, *chosen], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("goodput      - - - 1e+06 nothing to replay") == 2
