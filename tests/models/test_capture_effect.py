"""The chances of surviving a later frame, found again from failures that were simulated with them."""

import polars as pl
import pytest
from test_dcf_monte_carlo import BASIC, contenders
from test_fixed_point import station

from winf_analyzer._models.saturation.failures import capture_effect
from winf_analyzer._models.saturation.solvers import dcf_monte_carlo

MINE, OTHER = {"subject": True, "packets_per_s": 60.0}, {"hidden": True, "packets_per_s": 200.0}


def found(stations, first, answered, attempts=20_000):
    chances = {"first_destroyed": pl.lit(first), "answered_destroyed": pl.lit(answered)}
    (outcome,) = dcf_monte_carlo.of_subject(stations, backlogged=False, seed=3, **chances).to_dicts()
    recorded = pl.DataFrame(
        {
            "case": [0],
            "attempts": [float(attempts)],
            "unanswered": [attempts * outcome["first_failed"]],
            "answered": [attempts * (1 - outcome["first_failed"])],
            "unacknowledged": [attempts * (1 - outcome["first_failed"]) * outcome["answered_failed"]],
        }
    )
    return capture_effect.chances(stations, recorded).row(0, named=True)


@pytest.mark.parametrize("first", [0.0, 0.5, 1.0])
def test_of_data_without_rts(first):
    stations = contenders(station() | BASIC | MINE, station() | BASIC | OTHER)
    assert found(stations, first, 1.0)["first_destroyed"] == pytest.approx(first, abs=0.15)


@pytest.mark.parametrize("answered", [0.0, 1.0])
def test_of_data_after_a_cts(answered):
    stations = contenders(station() | MINE, station() | OTHER)
    chances = found(stations, 0.0, answered)
    assert chances["first_destroyed"] == pytest.approx(0, abs=0.25)
    assert chances["answered_destroyed"] == pytest.approx(answered, abs=0.35)


def test_what_is_presumed_stands_where_nothing_was_recorded():
    assert found(contenders(station() | MINE, station() | OTHER), 0.5, 0.5, 0) == {
        "case": 0,
        "first_destroyed": 0.0,
        "answered_destroyed": 1.0,
    }
