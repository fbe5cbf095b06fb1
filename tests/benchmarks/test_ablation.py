"""Leaving rules out of the model: that each can be, what it changes, and what is counted of it."""

import importlib
import sys
from pathlib import Path

import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

import winf_analyzer as winf
from benchmarks.accuracy.ablation import document, measured
from benchmarks.accuracy.ablation.captures import Spoken, spoken
from benchmarks.accuracy.ablation.leaving_out import acting, terms_of, without, without_term
from benchmarks.accuracy.ablation.rules import RULES
from benchmarks.accuracy.fixed_sample import fixed_sample
from winf_analyzer._models.saturation.interval import bounds

BY_NAME = {rule.name: rule for rule in RULES}
RUNS = {run.scenario.group: run for run in fixed_sample()}


def _place(rule):
    return getattr(importlib.import_module(rule.module), rule.function)


def test_names_are_told_apart():
    assert len(BY_NAME) == len(RULES)


def test_a_rule_is_back_once_it_was_left_out():
    before = {rule.name: _place(rule) for rule in RULES}
    for rule in RULES:
        with without(rule):
            assert _place(rule) is not before[rule.name]
    terms = bounds.terms
    with acting(), without_term("alone"):
        assert bounds.terms()["alone"].meta.eq(pl.lit(0.0))
    assert {rule.name: _place(rule) for rule in RULES} == before
    assert bounds.terms is terms


ACTING = {
    "hidden": {"capture_effect", "correction"},
    "ns2": {"own_views", "traced_collisions"},
    "n": {"batch", "batches", "at_once"},
    "unheard": {"unheard_load", "idle_times"},
    "rate_control": {"rate_changes"},
}
"""Groups, and rules that have something to say of the recording of each."""

SILENT = {
    "hidden": {"batch", "unheard_load", "rate_changes"},
    "ns2": {"hidden_senders", "at_once"},
    "n": {"capture_effect", "late_repetitions", "tcp_flows"},
    "unheard": {"capture_effect", "batch", "at_once"},
    "rate_control": {"correction", "traced_collisions"},
}
"""Groups, and rules that have nothing to say there."""


@pytest.mark.parametrize("group", ACTING)
def test_rules_act_where_their_signs_are(group, tmp_path):
    recording = measured.of_run(RUNS[group])
    dataset = winf.ingest([recording.capture], tmp_path / "run.winf")
    with acting() as rules, terms_of(recording.sender, recording.receiver) as terms:
        winf.estimate(dataset, estimators=["saturation"], mode="corrected")
    assert rules <= BY_NAME.keys()
    assert rules >= ACTING[group]
    assert rules.isdisjoint(SILENT[group])
    assert terms
    assert terms < bounds.terms().keys()


def test_what_a_rule_changes_stands_beside_the_truth(tmp_path, monkeypatch):
    monkeypatch.setattr(measured, "RULES", [BY_NAME["correction"], BY_NAME["lone_pairs"]])
    recording = measured.of_run(RUNS["hidden"])
    found = measured.measure(recording._replace(window="1s"))
    names = set(found["without"])
    assert {"", "correction"} < names
    assert "lone_pairs" not in names
    whole = found.filter(window_start_ns=measured.WHOLE).rows_by_key("without", named=True, unique=True)
    assert whole[""]["available_bps"] != whole["correction"]["available_bps"]
    assert whole[""]["truth_bps"] == recording.truth[measured.WHOLE]
    for name in names - {"", "correction"}:
        # A term makes the interval wider, and leaves the answer.
        assert whole[name]["available_bps"] == whole[""]["available_bps"]
        assert whole[name]["available_high_bps"] < whole[""]["available_high_bps"]


def test_rules_are_counted_of_what_is_a_recording_with_a_link(tmp_path):
    (tmp_path / "notes.txt").write_text("no recording")
    assert spoken(tmp_path / "notes.txt") is None
    rules = spoken(RUNS["hidden"].capture)
    assert rules
    assert "correction" in rules


def _row(recording, without, start, truth, value, margin):
    return {
        **{"recording": recording, "group": "g", "without": without, "window_start_ns": start, "truth_bps": truth},
        **{"available_bps": value, "available_low_bps": value - margin, "available_high_bps": value + margin},
    }


def test_effects_are_those_of_the_recordings_in_which_a_rule_acts():
    found = pl.DataFrame(
        [
            _row("a", "", -1, 10.0, 9.0, 2.0),
            _row("a", "", 0, 10.0, 9.0, 2.0),
            _row("b", "", -1, 10.0, 20.0, 1.0),
            _row("a", "r", -1, 10.0, 7.0, 2.0),
            _row("a", "r", 0, 10.0, 9.05, 2.0),
            # 300 % off counts as 100.
            _row("d", "", -1, 10.0, 10.0, 1.0),
            _row("d", "r", -1, 10.0, 40.0, 1.0),
            # Less than 1 % of the truth is no change.
            _row("e", "", -1, 10.0, 10.0, 1.0),
            _row("e", "r", -1, 10.0, 10.05, 1.0),
            _row("a", "term t", -1, 10.0, 9.0, 0.5),
            _row("b", "term t", -1, 10.0, 20.0, 0.5),
            # It says nothing of this one.
            _row("c", "", -1, 10.0, 10.0, 1.0),
            _row("c", "term t", -1, 10.0, 10.0, 1.0),
        ]
    )
    rule, term = document.effects(found).sort("without").iter_rows(named=True)
    assert (rule["acts"], rule["changes"]) == (3, 2)
    assert rule["error_without"] == pytest.approx((0.3 + 1.0) / 2)
    assert rule["error_with"] == pytest.approx((0.1 + 0.0) / 2)
    assert (rule["hold_without"], rule["hold_with"]) == (pytest.approx(1 / 3), 1.0)
    assert (rule["windows_without"], rule["windows_with"]) == (1.0, 1.0)
    assert (term["acts"], term["changes"]) == (2, 2)
    assert term["narrower"] == pytest.approx((0.75 + 0.5) / 2)
    assert (term["hold_without"], term["hold_with"]) == (0.0, 0.5)
    assert term["windows_without"] is None


def test_the_page_lists_every_rule_and_term(tmp_path):
    found = pl.DataFrame(
        [
            _row("a", "", -1, 10.0, 9.0, 2.0),
            _row("a", "batch", -1, 10.0, 5.0, 2.0),
            _row("a", "term load", -1, 10.0, 9.0, 1.0),
        ]
    )
    document.write(found, Spoken(20, {"batch": 7, "stalls": 20}), tmp_path / "rules.md")
    page = (tmp_path / "rules.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in BY_NAME)
    assert "| `batch` | packets that travel together | 1 | 1 | 50 % → 10.0 % | 0.0 % → 100 % | – | 7 |" in page
    assert "| `stalls` | A-MPDUs shortened by losses | 0 | 0 | – | – | – | – |" in page
    assert "| `load` | 1 | 50 % | 100 % → 100 % | – |" in page
