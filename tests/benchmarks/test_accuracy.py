"""The accuracy study: its grid and its words here, one tiny scenario of it where ns-3 is installed."""

import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.accuracy import document, figures, runs, scoring, summary
from benchmarks.accuracy.held_out import held_out
from benchmarks.accuracy.parts import PARTS, everything, parts
from benchmarks.accuracy.scenarios import development, scenarios


def test_the_grid_covers_what_it_should():
    grid = scenarios()
    assert len(grid) >= 40
    assert len({scenario.name for scenario in grid}) == len(grid)
    assert {scenario.group for scenario in grid} == set(summary.GROUPS) == set(summary.GOALS)
    assert {scenario.rts for scenario in grid} == {False, True}
    assert min(scenario.links for scenario in grid) == 1
    assert max(scenario.links for scenario in grid) == 8
    assert max(scenario.load for scenario in grid) == 0.9


def test_every_group_is_split_in_halves_by_name_alone():
    grid = scenarios()
    chosen = development(grid)
    assert chosen == development(list(reversed(grid)))
    for group in summary.GROUPS:
        names = {scenario.name for scenario in grid if scenario.group == group}
        assert len(names & chosen) == len(names) // 2


def test_what_is_held_out_is_new_and_large_enough_in_every_group():
    grid, new = scenarios(), held_out()
    assert len(new) >= 40
    assert not {scenario.name for scenario in grid} & {scenario.name for scenario in new}
    seeds = {scenario.arguments()[-1] for scenario in grid}
    assert not seeds & {scenario.arguments()[-1] for scenario in new}
    for group in summary.GROUPS:
        assert sum(scenario.group == group for scenario in new) >= 6


def test_every_scenario_belongs_to_one_part():
    part_of = parts()
    assert set(part_of) == {scenario.name for scenario in everything()}
    assert set(part_of.values()) == set(PARTS)
    assert {name for name, part in part_of.items() if part == "development"} == development(scenarios())


@pytest.fixture
def scores():
    keys = [
        {"estimator": estimator, "mode": "corrected", "context": context, "part": part, "group": group}
        for estimator in ("saturation", "rt_winf")
        for context in scoring.CONTEXTS
        for part in PARTS
        for group in summary.GROUPS
    ]
    return pl.DataFrame(
        [
            key
            | {"scenario": f"{key['group']}-{key['part']}", "window_start_ns": 10**9, "truth_bps": 2e6}
            | {"available_bps": 2.2e6, "available_low_bps": 1.9e6, "available_high_bps": 2.4e6, "capacity_bps": 5e6}
            for key in keys
        ]
    )


def test_errors_and_coverage(scores):
    errors = summary.errors(summary.runs(scores))
    assert errors["median"].to_list() == pytest.approx([0.1] * errors.height)
    coverage = summary.coverage(scores)
    assert set(coverage["coverage"]) == {1.0}
    assert coverage["width"].to_list() == pytest.approx([0.25] * coverage.height)
    assert "all" in set(coverage["group"])


def test_the_document_and_the_figures_are_written(scores, tmp_path):
    document.write(scores, everything(), tmp_path / "accuracy.md")
    figures.write(summary.runs(scores), summary.errors(summary.runs(scores)), tmp_path)
    text = (tmp_path / "accuracy.md").read_text(encoding="utf-8")
    assert "| `saturation` corrected | 10 % / 10 % |" in text
    assert "{{" not in text
    for name in ("accuracy_truth.svg", "accuracy_error.svg"):
        assert (tmp_path / name).read_text(encoding="utf-8").endswith("</svg>\n")


@pytest.mark.skipif(runs.ns3_version() is None, reason="ns-3 is not installed")
def test_a_tiny_scenario_is_simulated_kept_and_scored(tmp_path):
    scenario = replace(next(s for s in scenarios() if s.name == "pair-b11-adhoc-basic-1x0"), seconds=2)
    (run,) = runs.run_all([scenario], tmp_path, 1)
    assert run.mac == {"slot_us": 20, "sifs_us": 10, "aifsn": 2, "cw_min": 31, "cw_max": 1023}
    assert run.truth["truth_bps"].to_list() == pytest.approx([5.8e6, 5.8e6], rel=0.05)
    kept = run.capture.stat().st_mtime_ns
    assert runs.run_all([scenario], tmp_path, 1)[0].capture.stat().st_mtime_ns == kept
    found = scoring.score(run, "development").filter(estimator="saturation", mode="corrected")
    assert set(found["context"]) == set(scoring.CONTEXTS)
    assert (found["available_bps"] / found["truth_bps"] - 1).abs().max() < 0.05
