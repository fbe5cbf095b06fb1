"""The study of findings: what a run without the cause is, and what a promised gain is compared with."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from benchmarks.findings import document, scoring
from benchmarks.findings.runs import PARTS, Pair, Run, pairs

FULL = Pair(
    name="full",
    finding="saturated_channel",
    seed=1,
    common={"links": 4},
    cause={"background": 6000},
    without={"background": 150},
    removed={"links": 3, "background": 4000},
)


def test_names_and_seeds_are_of_one_pair_each():
    every = [pair for part in PARTS for pair in pairs(part)]
    assert len({pair.name for pair in every}) == len({pair.seed for pair in every}) == len(every)


def test_options_that_take_something_away_stand_in_place_of_the_common_ones():
    assert FULL.arguments(FULL.removed)[:2] == ["--links=3", "--background=4000"]
    assert FULL.arguments(FULL.cause)[:2] == ["--links=4", "--background=6000"]


@pytest.fixture
def claims(monkeypatch):
    row = {"name": "saturated_channel", "confidence": 0.9, "effect_bps": 3e6, "effect_low_bps": 1e6}
    row |= {"effect_high_bps": 5e6, "without_low_bps": 6.5e6, "without_high_bps": 9e6}
    tables = {"with": pl.DataFrame([row]), "without": pl.DataFrame([row]).clear()}
    monkeypatch.setattr(scoring, "findings_of", lambda capture, link: tables[capture.name])


@pytest.mark.usefixtures("claims")
def test_a_gain_is_compared_with_what_is_there_when_what_was_named_is_gone():
    """The other run of the pair, in which nearly all are silent, would have 20 Mb/s."""
    runs = [
        Run(FULL, True, Path("with"), "a", "b", saturated_bps=4e6, removed_bps=6e6),
        Run(FULL, False, Path("without"), "a", "b", saturated_bps=24e6, removed_bps=24e6),
    ]
    found = document.effects(scoring.score("held_out", runs)).row(0, named=True)
    assert (found["regained"], found["saturated_without"]) == (2.0, 6.0)
    assert found["error"] == pytest.approx(1 / 6)
    assert (found["holds"], found["then_holds"]) == (True, False)
    assert document.coverage(document.effects(scoring.score("held_out", runs))).rows() == [
        ("held_out", 1, pytest.approx(1 / 6), 1, 0)
    ]


@pytest.mark.parametrize("counts", ["1 | 1 | 0", "2 | 1 | 0", "1 | 1 | 1"])
@pytest.mark.usefixtures("claims")
def test_scores_as_good_as_the_page_do_not_fall_behind_it(counts):
    runs = [Run(FULL, True, Path("with"), "a", "b", saturated_bps=4e6, removed_bps=6e6)]
    page = f"| held_out | `saturated_channel` | {counts} |\n"
    assert document.worse(scoring.score("held_out", runs), page) == []


@pytest.mark.usefixtures("claims")
def test_a_cause_that_is_missed_and_a_wrong_claim_fall_behind_the_page():
    runs = [
        Run(FULL, True, Path("without"), "a", "b", saturated_bps=4e6, removed_bps=6e6),
        Run(FULL, False, Path("with"), "a", "b", saturated_bps=4e6, removed_bps=6e6),
    ]
    scores = scoring.score("held_out", runs)
    said = ["held_out, saturated_channel: 1 missed, 1 wrong; on the page 0 and 1"]
    assert document.worse(scores, "| held_out | `saturated_channel` | 1 | 1 | 1 |\n") == said
    assert document.worse(scores, "| held_out | `saturated_channel` | 1 | 0 | 0 |\n") != []
    assert document.worse(scores, "| held_out | `saturated_channel` | 1 | 0 | 1 |\n") == []
