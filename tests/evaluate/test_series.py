"""Averages over windows that are not a series' own."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winf_analyzer._evaluate.series import averages

SERIES = {"series": pl.Int64, "t_ns": pl.Int64, "window_ns": pl.Int64, "value": pl.Float64}
WINDOWS = {"series": pl.Int64, "t_ns": pl.Int64, "window_ns": pl.Int64}
S = 10**9


def averaged(series, windows):
    found = averages(pl.DataFrame(series, SERIES, orient="row"), pl.DataFrame(windows, WINDOWS, orient="row"))
    return found.select("value", "cover", "volume").rows()


def test_a_window_across_two():
    rows = [(0, 0, 2 * S, 1.0), (0, 2 * S, 2 * S, 3.0)]
    assert averaged(rows, [(0, S, 2 * S)]) == [(2.0, 1.0, 4.0)]


def test_what_is_covered_in_part_counts_in_part():
    assert averaged([(0, 0, S, 4.0)], [(0, S // 2, 2 * S)]) == [(4.0, 0.25, 2.0)]


def test_nothing_known_is_null():
    rows = [(0, 0, S, None), (1, 0, S, float("nan")), (2, 0, 0, 5.0), (3, 0, S, 7.0)]
    asked = [(number, 0, S) for number in range(5)] + [(3, 5 * S, S), (3, -5 * S, S)]
    assert [value for value, _, _ in averaged(rows, asked)] == [None, None, None, 7.0, None, None, None]


def test_overlapping_windows_average():
    rows = [(0, 0, 2 * S, 1.0), (0, S, 2 * S, 3.0)]
    assert averaged(rows, [(0, 0, 3 * S)]) == [(2.0, 1.0, 8.0)]


def test_times_since_1970_lose_no_precision():
    start = 1_760_000_000 * S + 1
    rows = [(0, start + n * S, S, 1e9 + n) for n in range(100)]
    for n in (0, 50, 99):
        ((value, cover, _),) = averaged(rows, [(0, start + n * S, S)])
        assert value == pytest.approx(1e9 + n, abs=0.01)
        assert cover == 1


WINDOW = st.tuples(st.just(0), st.integers(0, 50), st.integers(1, 20), st.floats(0, 10))


@given(st.lists(WINDOW, max_size=12), st.integers(0, 60), st.integers(1, 30))
def test_it_is_what_adding_up_instant_by_instant_gives(rows, start, length):
    here = [[value for _, t, w, value in rows if t <= at < t + w] for at in range(start, start + length)]
    ((value, cover, volume),) = averaged(rows, [(0, start, length)])
    known = sum(len(values) for values in here)
    total = sum(sum(values) for values in here)
    assert cover == pytest.approx(sum(map(bool, here)) / length)
    assert volume == pytest.approx(total / 1e9, abs=1e-15)
    assert value is None if known == 0 else value == pytest.approx(total / known, abs=1e-6)
