"""Shares by which intervals have to be longer, from predictions whose errors are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.replay.counterfactual.calibration import model_error, model_errors, needed
from benchmarks.replay.counterfactual.predictions import Prediction
from benchmarks.replay.counterfactual.scores import coverage

ONE = Prediction(
    *("chain1", False, "every_node", "itself", "10.0.0.2:5001", "goodput"),
    *(1.0, None, None, 1.0, False),
    drawn=(0.9, 1.1),
)


@pytest.mark.parametrize(
    ("true", "share"),
    [(0.9, 0.0), (1.1, 0.0), (0.72, 0.2), (1.65, 0.5)],
)
def test_an_interval_is_made_longer_up_to_the_truth(true, share):
    assert needed(replace(ONE, true=true)) == pytest.approx(share)


def test_a_prediction_outside_its_draws_belongs_to_its_interval():
    assert needed(replace(ONE, predicted=1.5, true=1.5)) == 0
    assert needed(replace(ONE, predicted=0.5, true=0.4)) == pytest.approx(0.2)


def test_what_a_replay_says_of_itself_is_not_the_model_s():
    off = replace(ONE, true=1.65, unreproduced=0.6)
    assert needed(off) == 0
    assert needed(replace(off, unreproduced=0.4)) == pytest.approx(0.5), "not enough"


def test_starved_flows_and_predictions_without_draws_have_no_say():
    assert needed(replace(ONE, starved=True)) is None
    assert needed(replace(ONE, drawn=None)) is None
    assert model_error([replace(ONE, drawn=None)]) is None


def test_nine_of_ten_intervals_hold_with_the_share_found_and_eight_with_a_hundredth_less():
    ours = [replace(ONE, true=1.1 * (1 + 0.031 * number)) for number in range(10)]
    share = model_error(ours)
    assert share == 0.25

    def held(share):
        longer = [replace(each, low=0.9 * (1 - share), high=1.1 * (1 + share)) for each in ours]
        return coverage(longer)

    assert held(share) == (9, 10)
    assert held(share - 0.01) == (8, 10)


def test_shares_are_by_observer_and_column():
    ours = [ONE, replace(ONE, observer="sniffer", true=2.2), replace(ONE, figure="RTT, median", true=1.21)]
    ours.append(replace(ONE, figure="loss", drawn=None))
    assert model_errors(ours) == {
        "every_node": {"throughput_bps": 0.0, "rtt_p50_ms": pytest.approx(0.1, abs=0.011)},
        "sniffer": {"throughput_bps": 1.0},
    }
