"""How worlds that chance decides are judged: beside the goals of all worlds, with nothing left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.replay.counterfactual.judged import beyond, is_known, section
from benchmarks.replay.counterfactual.predictions import Prediction

ONE = Prediction("w", True, "sniffer", "itself", "f", "goodput", 11.0, 9.0, 12.0, 10.0, False)


@pytest.mark.parametrize(("predicted", "true_error", "left"), [(11.0, 0.04, 0.06), (9.0, 0.04, -0.06), (9.0, 0.2, 0.0)])
def test_an_error_is_shortened_by_the_standard_error_of_its_truth_and_changes_no_sign(predicted, true_error, left):
    found = beyond(replace(ONE, predicted=predicted, true_error=true_error))
    assert found.error == pytest.approx(left)
    assert (found.true, found.low, found.high, found.covered) == (10.0, 9.0, 12.0, True)


def test_nothing_is_made_of_what_is_not_predicted():
    without = replace(ONE, predicted=None)
    assert beyond(without) is without


def test_known_and_unknown_truths_are_apart_and_all_are_in_one_of_them():
    known = [replace(ONE, predicted=10.1, imprecision=1.0), replace(ONE, predicted=10.2, imprecision=0.2)]
    unknown = [replace(ONE, predicted=15.0, imprecision=1.1, true_error=0.45)]
    assert [is_known(each) for each in known + unknown] == [True, True, False]
    text = section(
        known + unknown,
        {"goodput": (0.02, 0.06)},
        lambda some: " ".join(f"{each.error:.2f}" for each in some),
        {"sniffer": "one sniffer"},
    )
    assert "| goodput, truth known | 0.01 0.02 of 2 |" in text
    assert "| goodput, truth not known | 0.50 of 1 |" in text
    assert "| goodput, all, beyond the truth's standard error | 0.01 0.02 0.05 of 3 |" in text
    goal = "one sniffer, goodput, truth known: median at most 2 %, 90th percentile at most 6 %"
    assert f"| {goal} | 0.01 0.02 | yes |" in text
    off = [replace(each, predicted=10.7) for each in known]
    assert f"| {goal} | 0.07 0.07 | **no** |" in section(
        off,
        {"goodput": (0.02, 0.06)},
        lambda some: " ".join(f"{each.error:.2f}" for each in some),
        {"sniffer": "one sniffer"},
    )
