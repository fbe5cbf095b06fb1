"""What a link gains without a cause, and how sure that is, from the model's two answers."""

from __future__ import annotations

import math

import polars as pl
import pytest

from winf_analyzer._findings.effects import CHANGED, CORRELATION, NOTHING, effect

ANSWERS = ("sender", "receiver", "capacity_bps", "available_bps", "available_low_bps", "available_high_bps")


def answers(available, half, receiver="b", **more):
    row = ("a", receiver, 20e6, available, available - half, available + half)
    return pl.DataFrame([row], schema=ANSWERS, orient="row").with_columns(**{k: pl.lit(v) for k, v in more.items()})


def of(now=4e6, half=1e6, raw=4e6, raw_half=1e6, then=10e6, then_half=2e6):
    return effect(("a", "b"), answers(now, half, samples=9), answers(raw, raw_half), answers(then, then_half))


def test_the_interval_has_both_answers_and_what_the_recording_cannot_show():
    found = of()
    unknown = CHANGED * 6e6
    half = math.sqrt(1e6**2 + 2e6**2 - 2 * CORRELATION * 1e6 * 2e6 + unknown**2)
    assert found["effect_bps"] == pytest.approx(6e6)
    assert found["effect_low_bps"] == pytest.approx(6e6 - half)
    assert found["effect_high_bps"] == pytest.approx(6e6 + half)
    half = math.sqrt(2e6**2 + unknown**2)
    assert (found["without_low_bps"], found["without_high_bps"]) == (
        pytest.approx(10e6 - half),
        pytest.approx(10e6 + half),
    )


def test_a_cause_that_costs_nothing_leaves_nothing_unknown():
    found = of(then=4e6, then_half=1e6)
    assert found["without_high_bps"] - found["without_bps"] == pytest.approx(1e6)


def test_what_the_judgement_of_the_recording_added_to_the_interval_widens_both():
    found = of(half=2e6)
    assert found["without_high_bps"] - found["without_bps"] == pytest.approx(math.hypot(4e6, CHANGED * 6e6))


def test_the_gain_is_that_of_the_model_on_top_of_the_answer():
    found = of(now=3e6)
    assert (found["available_bps"], found["without_bps"]) == (3e6, pytest.approx(9e6))


def test_a_link_that_is_not_there_without_the_cause_gains_nothing_that_could_be_said():
    gone = answers(10e6, 1e6, receiver="c")
    assert effect(("a", "b"), answers(4e6, 1e6, samples=9), answers(4e6, 1e6), gone) == NOTHING
