"""Windows of every kind; the measure of a union of intervals in them, against counting nanoseconds one by one."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winf_analyzer import _core
from winf_analyzer._aggregate import idle, windows
from winf_analyzer._aggregate.chunks import EMPTY_STAYS, Context
from winf_analyzer._aggregate.settings import Settings

INTERVALS = pl.Schema({"medium": pl.UInt32(), "start_ns": pl.Int64(), "end_ns": pl.Int64()})
WINDOWS = pl.Schema({"medium": pl.UInt32(), "window_start_ns": pl.Int64()})
START = pl.col("window_start_ns")


def busy(intervals, starts, window_ns):
    frame = pl.DataFrame(intervals, schema=INTERVALS, orient="row")
    asked = pl.DataFrame(starts, schema=WINDOWS, orient="row")
    asked = asked.with_columns(from_ns=START, to_ns=START + window_ns, covered_ns=pl.lit(window_ns))
    edges = pl.concat([asked.select("medium", edge_ns=edge) for edge in ("from_ns", "to_ns")])
    edges = edges.unique().sort("medium", "edge_ns")
    before = pl.DataFrame(_core.BusyTime().up_to(frame, edges)).rename({"filled_ns": "busy_ns"})
    context = Context(Settings(window_ns=window_ns), MEDIA, asked, pl.DataFrame())
    rows = idle.from_airtime(context, edges.hstack(before)).with_columns(busy_ns=(1 - pl.col("idle_ratio")) * window_ns)
    return {
        (medium, start): round(busy) for medium, start, busy in rows.select(*WINDOWS.names(), "busy_ns").iter_rows()
    }


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
    assert busy(intervals, starts, window_ns) == expected


@pytest.mark.parametrize(
    ("chosen", "start"),
    [
        ({}, 2000),
        ({"running": True}, 2000),
        ({"step_ns": 250}, 2250),
        ({"per_exchange": True}, 1500),
    ],
)
def test_the_part_of_time_an_exchange_falls_into(chosen, start):
    chosen = Settings(window_ns=1000, **chosen)
    assert pl.select(windows.part_start(pl.lit(2499), chosen)).item() == start


@pytest.mark.parametrize(
    "wrong",
    [
        {"step_ns": 0},
        {"step_ns": 300},
        {"step_ns": 2000},
        {"window_ns": 10_000, "step_ns": 1},
        {"step_ns": 500, "running": True},
        {"step_ns": 500, "per_exchange": True},
    ],
)
def test_steps_that_make_no_windows_are_refused(wrong):
    with pytest.raises(ValueError, match="step"):
        Settings(**{"window_ns": 1000, **wrong})


MEDIA = pl.DataFrame({"medium": [0], "first_ns": [1600], "last_ns": [9000]}, schema_overrides={"medium": pl.UInt32()})


@pytest.mark.parametrize(
    ("chosen", "spans"),
    [
        ({}, [(1000, 1000, 2000), (3000, 3000, 4000)]),
        ({"running": True}, [(1000, 1000, 2000), (3000, 1600, 4000)]),
        ({"step_ns": 500}, [(1500, 1500, 2500), (2500, 2500, 3500), (3000, 3000, 4000)]),
        ({"per_exchange": True}, [(700, 700, 1700), (2500, 2500, 3500)]),
    ],
)
def test_the_windows_in_which_something_happened(chosen, spans):
    chosen = Settings(window_ns=1000, **chosen)
    ends = pl.DataFrame({"medium": [0, 0], "end_ns": [1699, 3499]}, schema_overrides={"medium": pl.UInt32()})
    parts = ends.with_columns(window_start_ns=windows.part_start(pl.col("end_ns"), chosen))
    found = windows.listed(parts, MEDIA, chosen, EMPTY_STAYS).sort("window_start_ns")
    assert found.select("window_start_ns", "from_ns", "to_ns").rows() == spans


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(-100, 100), st.integers(0, 9)), max_size=20),
    st.lists(st.tuples(st.integers(-120, 100), st.integers(0, 60)), min_size=1, max_size=6, unique_by=lambda w: w[0]),
)
def test_sums_are_those_of_the_points_inside(points, spans):
    frame = pl.DataFrame(points, schema={"medium": pl.UInt32, "at_ns": pl.Int64, "n": pl.Int64}, orient="row")
    asked = pl.DataFrame(
        [(medium, start, start, start + length) for medium in (0, 1) for start, length in spans],
        schema={"medium": pl.UInt32, "window_start_ns": pl.Int64, "from_ns": pl.Int64, "to_ns": pl.Int64},
        orient="row",
    )
    for medium, start, _, end, n in windows.sums_within(frame, asked, ["n"]).iter_rows():
        assert (n or 0) == sum(value for m, at, value in points if m == medium and start <= at < end)
