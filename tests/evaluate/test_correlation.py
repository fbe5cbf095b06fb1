"""The lag at which a log and a recording agree."""

from __future__ import annotations

import math
import random

import polars as pl
import pytest

from winf_analyzer._evaluate.correlation import MAX_INTERVALS, BinnedVolume, find_lag

MS = 10**6
S = 10**9
BIN = 20 * MS


def log(rates: list[float], start_ns: int = 0, window_ns: int = S) -> pl.DataFrame:
    rows = [(start_ns + n * window_ns, window_ns, rate) for n, rate in enumerate(rates)]
    schema = {"t_ns": pl.Int64, "window_ns": pl.Int64, "value": pl.Float64}
    return pl.DataFrame(rows, schema, orient="row")


def recorded(rates: list[float], *, before_s: float, after_s: float, noise: float = 0.0) -> BinnedVolume:
    """A recording that begins at 1000 s and carries the rates, one per second, after some silence."""
    draw = random.Random(7)
    silence = [[0.0] * round(s * S / BIN) for s in (before_s, after_s)]
    per_bin = [rate * BIN / S * (1 + noise * draw.uniform(-1, 1)) for rate in rates for _ in range(S // BIN)]
    return BinnedVolume(1000 * S, BIN, pl.Series(silence[0] + per_bin + silence[1]))


VARIED = [5.0, 6.0, 2.0, 7.0, 7.5, 1.0, 4.0, 3.0, 8.0, 5.5]


@pytest.mark.parametrize("before_s", [0.0, 3.14, 7.5])
@pytest.mark.parametrize("rates", [VARIED, [4.0] * 10, [4.0]])
def test_a_whole_test_is_found(rates, before_s):
    peak = find_lag(log(rates, start_ns=-20 * S), recorded(rates, before_s=before_s, after_s=5, noise=0.3))
    expected = 1000 * S + before_s * S + 20 * S
    assert peak.lag_ns == pytest.approx(expected, abs=S // 20), "a twentieth of the log's interval"
    assert peak.height > 0.95
    assert peak.second < peak.height - 0.05
    assert peak.scale == pytest.approx(1, abs=0.06)


def test_a_recording_that_holds_part_of_the_test_is_found_by_what_varied():
    peak = find_lag(log(VARIED), recorded(VARIED[2:8], before_s=0, after_s=0))
    assert peak.lag_ns == pytest.approx(998 * S, abs=BIN)


def test_a_level_recording_of_part_of_a_level_test_is_told_to_be_unsure():
    peak = find_lag(log([4.0] * 10), recorded([4.0] * 5, before_s=0, after_s=0))
    assert peak.second > peak.height - 0.001


def test_a_test_run_twice_has_two_peaks():
    twice = VARIED + [0.0] * 5 + VARIED
    peak = find_lag(log(VARIED), recorded(twice, before_s=2, after_s=2))
    assert peak.height == pytest.approx(peak.second, abs=0.02)


def test_the_lags_may_be_bounded():
    twice = VARIED + [0.0] * 5 + VARIED
    volume = recorded(twice, before_s=2, after_s=2)
    peak = find_lag(log(VARIED), volume, (1016 * S, 1018 * S))
    assert peak.lag_ns == pytest.approx(1017 * S, abs=BIN)
    assert peak.is_inside


def test_the_end_of_bounded_lags_is_told():
    volume = recorded([4.0] * 10, before_s=2, after_s=2)
    peak = find_lag(log([4.0] * 10), volume, (999 * S, 1001 * S))
    assert peak.lag_ns == pytest.approx(1001 * S, abs=BIN)
    assert not peak.is_inside


def test_the_scale_is_what_was_carried_over_what_the_log_says():
    peak = find_lag(log(VARIED), recorded([rate / 4 for rate in VARIED], before_s=1, after_s=1))
    assert peak.scale == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("rates", [[], [0.0] * 5])
def test_nothing_to_align(rates):
    assert find_lag(log(rates), recorded(VARIED, before_s=0, after_s=0)) is None
    assert find_lag(log(VARIED), recorded(rates, before_s=0, after_s=0)) is None


def test_a_long_log_is_thinned_and_still_found():
    draw = random.Random(3)
    rates = [draw.uniform(1, 9) for _ in range(2 * MAX_INTERVALS)]
    window = 100 * MS
    bins = pl.Series([0.0] * 40 + [rate for rate in rates for _ in range(2)] + [0.0] * 40)
    peak = find_lag(log(rates, window_ns=window), BinnedVolume(0, 50 * MS, bins))
    assert peak.lag_ns == pytest.approx(40 * 50 * MS, abs=50 * MS)
    assert math.isclose(peak.height, 1, abs_tol=0.05)
