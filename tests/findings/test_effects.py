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
    return effect(("a", "b"), answers(now, half, own_bps=1e6), answers(raw, raw_half), answers(then, then_half))


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
    assert effect(("a", "b"), answers(4e6, 1e6, own_bps=1e6), answers(4e6, 1e6), gone) == NOTHING


def test_an_interval_that_reaches_further_down_does_so_without_the_cause_as_well():
    """As of a link of which it is not known whether it aggregates: 10 Mb/s, or 4 in single frames."""
    then = answers(10e6, 0.0).with_columns(available_low_bps=4e6)
    found = effect(("a", "b"), answers(2e6, 0.0, own_bps=1e6), answers(2e6, 0.0), then)
    unknown = CHANGED * 8e6
    assert found["without_low_bps"] == pytest.approx(10e6 - math.hypot(6e6, unknown))
    assert found["without_high_bps"] == pytest.approx(10e6 + unknown)
    assert found["effect_low_bps"] == pytest.approx(8e6 - math.hypot(6e6, unknown))
    assert found["effect_high_bps"] == pytest.approx(8e6 + unknown)


def _two_links(*own_bps):
    """Of a download, and of its acknowledgements."""
    return pl.concat(answers(4e6, 1e6, receiver, own_bps=own) for receiver, own in zip("bc", own_bps, strict=True))


def test_the_link_that_carries_most_is_told_of():
    both = _two_links(1e6, 9e6)
    assert effect((None, None), both, both, both)["receiver"] == "c"


def test_acknowledgements_of_a_download_are_not_told_of_without_it():
    both = _two_links(50e6, 1e6)
    acks = both.filter(receiver="c")
    assert effect((None, None), both, both, acks) == NOTHING
    assert effect(("a", "c"), both, both, acks)["receiver"] == "c"
