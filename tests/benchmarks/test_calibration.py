"""What one factor on all intervals would do to a kind of runs that it was not made from."""

import sys
from pathlib import Path

import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.accuracy import calibration


def scores(group: str, errors: list[float], margin: float) -> pl.DataFrame:
    """Windows of 100 ms of a group, with a truth of 1 Mb/s and errors in Mb/s."""
    value = [1e6 + 1e6 * error for error in errors]
    return pl.DataFrame(
        {
            "group": group,
            "part": "development",
            "estimator": "recommended",
            "window": "100ms",
            "truth_bps": 1e6,
            "available_bps": value,
            "available_low_bps": [one - 1e6 * margin for one in value],
            "available_high_bps": [one + 1e6 * margin for one in value],
        }
    )


EVEN = [step / 100 for step in range(1, 101)]


def test_the_factor_is_that_of_the_others() -> None:
    rows = calibration.left_out(pl.concat([scores("a", EVEN, 0.5), scores("b", EVEN, 1.0)]))
    found = {row["group"]: row for row in rows.iter_rows(named=True)}
    assert found["a"]["coverage"] == pytest.approx(0.5)
    assert found["a"]["factor"] == pytest.approx(0.91)
    assert found["a"]["scaled"] == pytest.approx(0.45)
    assert found["b"]["factor"] == pytest.approx(1.82)
    assert found["b"]["scaled"] == 1.0


def test_groups_count_alike_however_many_windows_they_have() -> None:
    many = scores("many", [0.1] * 1000, 1.0)
    rows = calibration.left_out(pl.concat([many, scores("few", EVEN, 1.0), scores("left", EVEN, 1.0)]))
    assert rows.filter(group="left")["factor"].item() == pytest.approx(0.82)


def test_only_answers_of_development_count() -> None:
    two = pl.concat([scores("a", EVEN, 0.5), scores("b", EVEN, 1.0)])
    with_more = pl.concat([two, two.with_columns(part=pl.lit("held_out")), two.with_columns(estimator=pl.lit("x"))])
    assert calibration.left_out(with_more).equals(calibration.left_out(two))
