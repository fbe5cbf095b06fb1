"""What overlaps that cannot be say about the times of a recording."""

import polars as pl
import pytest

from winf_analyzer._hidden import clock

RADIOS = pl.DataFrame({"node": ["a", "b", "c", "d"], "radio": ["a", "a", "c", "d"]})


def overlaps(late_starts):
    """Late starts of `b` while `a` sends, and of `d` while `c` sends."""
    return pl.DataFrame(
        {"source": ["s", "s"], "sender": ["a", "c"], "other": ["b", "d"], "late_starts": [late_starts, 50]}
    )


ATTEMPTS = pl.DataFrame({"source": ["s"] * 4, "sender": ["a", "b", "c", "d"], "attempts": [400, 600, 1000, 1000]})


def audit(check, value, verdict):
    return pl.DataFrame({"source": ["s"], "check": [check], "value": [value], "verdict": [verdict]})


def rate(late_starts, checked=None):
    errors = clock.error_rates(overlaps(late_starts), ATTEMPTS, RADIOS, checked)
    return errors.filter(source="s")["error_rate"].item()


@pytest.mark.parametrize(("late_starts", "expected"), [(0, clock.ERROR_RATE), (1, clock.ERROR_RATE), (20, 0.02)])
def test_late_starts_of_one_radio_are_errors(late_starts, expected):
    assert rate(late_starts) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("checked", "expected"),
    [
        (audit("overlap", 0.0, "good"), clock.ERROR_RATE),
        (audit("overlap", 0.004, "good"), 0.004),
        (audit("overlap", 0.2, "unusable"), 1.0),
        (audit("sifs", 0.3, "unusable"), 1.0),
        (audit("completeness", 0.1, "unusable"), clock.ERROR_RATE),
        (audit("overlap", None, "not_applicable"), clock.ERROR_RATE),
    ],
)
def test_the_audit_counts_errors_too(checked, expected):
    assert rate(0, checked) == pytest.approx(expected)


def test_stations_of_one_radio_are_no_pair():
    pairs = pl.DataFrame({"sender": ["a", "b", "a", "x"], "other": ["b", "a", "c", "y"]})
    assert clock.of_different_radios(pairs, RADIOS).rows() == [("a", "c"), ("x", "y")]
    assert clock.of_different_radios(pairs, RADIOS.clear()).height == 4
