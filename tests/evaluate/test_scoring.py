"""Scores on numbers that can be checked by hand."""

from __future__ import annotations

import math

import polars as pl
import pytest

from winf_analyzer._evaluate.scoring import MEASURES, overview, score

PAIRS = {"who": pl.String, "estimate_bps": pl.Float64, "truth_bps": pl.Float64, "upper_bps": pl.Float64}


def scored(*rows):
    return score(pl.DataFrame(rows, PAIRS, orient="row"), ["who"]).rows(named=True)


def test_by_hand():
    (row,) = scored(("a", 12.0, 10.0, 13.0), ("a", 16.0, 20.0, 30.0), ("a", 33.0, 30.0, 32.0), ("a", 44.0, 40.0, None))
    assert list(row) == ["who", *MEASURES]
    assert row["windows"] == 4
    assert row["estimate_bps"] == 26.25
    assert row["truth_bps"] == 25
    assert row["bias_bps"] == 1.25
    assert row["mae_bps"] == 3.25
    assert row["rmse_bps"] == pytest.approx(math.sqrt((4 + 16 + 9 + 16) / 4))
    assert row["mape"] == pytest.approx((0.2 + 0.2 + 0.1 + 0.1) / 4)
    # e - mean: -14.25, -10.25, 6.75, 17.75; t - mean: -15, -5, 5, 15
    covariance = 14.25 * 15 + 10.25 * 5 + 6.75 * 5 + 17.75 * 15
    variances = (14.25**2 + 10.25**2 + 6.75**2 + 17.75**2) * 500
    assert row["correlation"] == pytest.approx(covariance / math.sqrt(variances))
    # Within: 10 <= 12 <= 13 only; 16 is below the truth, 33 above the bound, and the last has no bound.
    assert row["within_bounds"] == pytest.approx(1 / 3)


def test_a_perfect_estimate():
    (row,) = scored(*(("a", float(n), float(n), 9.0) for n in range(1, 5)))
    assert (row["bias_bps"], row["mae_bps"], row["rmse_bps"], row["mape"]) == (0, 0, 0, 0)
    assert row["correlation"] == pytest.approx(1)
    assert row["within_bounds"] == 1


def test_windows_without_traffic_have_no_relative_error():
    (row,) = scored(("a", 5.0, 0.0, None), ("a", 11.0, 10.0, None))
    assert row["mape"] == pytest.approx(0.1)
    assert row["mae_bps"] == 3
    assert row["within_bounds"] is None


@pytest.mark.parametrize("rows", [[("a", 1.0, 2.0, None)] * 2, [("a", 1.0, 2.0, None)] * 5])
def test_what_never_changes_correlates_with_nothing(rows):
    assert scored(*rows)[0]["correlation"] is None


def test_groups_and_unknown_values():
    rows = scored(("b", 1.0, 1.0, None), ("a", None, 1.0, None), (None, 2.0, 1.0, None), ("b", 1.0, None, None))
    assert [(row["who"], row["windows"]) for row in rows] == [("b", 1), (None, 1)]


def test_the_overview_has_the_view_nearest_to_the_sender():
    keys = {"log": "l", "sender": "a", "receiver": "b", "quantity": "capacity", "estimator": "e", "mode": "paper"}
    measures = dict.fromkeys(MEASURES, 1.0)
    rows = [
        keys | measures | {"state": "onlooker", "windows": 9, "bias_bps": 1.0},
        keys | measures | {"state": "receiver", "windows": 3, "bias_bps": 2.0},
        keys | measures | {"state": "receiver", "windows": 4, "bias_bps": 3.0},
        keys | measures | {"quantity": "available", "state": None, "windows": 1, "bias_bps": 4.0},
    ]
    shown = overview(pl.DataFrame([row | {"sender_idle_share": 0.1} for row in rows]))
    assert shown.select("quantity", "windows", "bias_bps").rows() == [("available", 1, 4.0), ("capacity", 4, 3.0)]
