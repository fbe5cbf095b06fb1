"""The measure of a union of intervals in tumbling windows, against counting nanoseconds one by one."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winf_analyzer.estimators import Settings, windows

INTERVALS = pl.Schema({"medium": pl.UInt32(), "start_ns": pl.Int64(), "end_ns": pl.Int64()})
WINDOWS = pl.Schema({"medium": pl.UInt32(), "window_start_ns": pl.Int64()})
START = pl.col("window_start_ns")


def busy(intervals, starts, window_ns):
    frame = pl.DataFrame(intervals, schema=INTERVALS, orient="row")
    asked = pl.DataFrame(starts, schema=WINDOWS, orient="row")
    rows = windows.busy_ns(frame, asked.with_columns(from_ns=START, to_ns=START + window_ns))
    return {(medium, start): filled for medium, start, filled in rows.select(*WINDOWS.names(), "busy_ns").iter_rows()}


def test_a_long_interval_is_split_at_the_edges():
    assert busy([(0, 700, 3100)], [(0, w) for w in (0, 1000, 2000, 3000, 4000)], 1000) == {
        (0, 0): 300, (0, 1000): 1000, (0, 2000): 1000, (0, 3000): 100, (0, 4000): 0,
    }  # fmt: skip


def test_overlaps_count_once_and_media_apart():
    intervals = [(0, 100, 300), (0, 200, 400), (0, 250, 260), (0, 400, 450), (1, 0, 1000)]
    assert busy(intervals, [(0, 0), (1, 0)], 1000) == {(0, 0): 350, (1, 0): 1000}


def test_an_interval_of_centuries_costs_no_more_than_a_short_one():
    century = 2**61
    assert busy([(0, -century, century)], [(0, 0)], 1000) == {(0, 0): 1000}


@pytest.mark.parametrize(("t", "start"), [(0, 0), (999, 0), (1000, 1000), (-1, -1000)])
def test_windows_start_at_multiples_of_their_length(t, start):
    assert pl.select(windows.part_start(pl.lit(t), Settings(window_ns=1000))).item() == start


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(-50, 150), st.integers(-10, 60)), max_size=25),
    st.integers(1, 60),
)
def test_the_measure_is_what_counting_gives(drawn, window_ns):
    intervals = [(medium, start, start + length) for medium, start, length in drawn]
    starts = [(medium, start) for medium in range(3) for start in range(-2 * window_ns, 4 * window_ns, window_ns)]
    filled = {(medium, t) for medium, start, end in intervals for t in range(start, end)}
    expected = {
        (medium, start): sum((medium, t) in filled for t in range(start, start + window_ns)) for medium, start in starts
    }
    assert {key: value or 0 for key, value in busy(intervals, starts, window_ns).items()} == expected
