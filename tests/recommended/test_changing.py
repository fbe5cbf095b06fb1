"""The answer for a recording in which the load changed."""

import polars as pl
import pytest

from winf_analyzer._recommended.changing import with_changes

LINK = {"source": "a", "observer": None, "sender": "c", "receiver": "d"}
SECOND = 1_000_000_000


def answer(value, margin=1e6, covered_ns=SECOND):
    bounds = {"available_low_bps": value and value - margin, "available_high_bps": value and value + margin}
    return LINK | {"available_bps": value, "covered_ns": covered_ns} | bounds


def changed(*values, whole=30e6):
    windows = pl.DataFrame(
        [answer(value, covered_ns=SECOND) for value in values], schema_overrides={"available_bps": pl.Float64}
    )
    recording = pl.DataFrame([answer(whole, covered_ns=SECOND * len(values))])
    (row,) = with_changes(recording, windows).rows(named=True)
    return row


def test_where_the_windows_are_far_apart_the_answer_is_their_mean() -> None:
    row = changed(10e6, 10e6, 58e6, 58e6)
    assert row["load_changes"]
    assert (row["available_bps"], row["available_low_bps"], row["available_high_bps"]) == (34e6, 29e6, 35e6)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param((32.9e6, 31.1e6, 32.9e6, 31.1e6), id="as near as they are sure"),
        pytest.param((10e6, 58e6, 58e6), id="too few"),
        pytest.param((10e6, 58e6, None, 58e6, 10e6), id="windows without an answer"),
    ],
)
def test_otherwise_it_stays(values) -> None:
    row = changed(*values)
    assert not row["load_changes"]
    assert (row["available_bps"], row["available_low_bps"], row["available_high_bps"]) == (30e6, 29e6, 31e6)


@pytest.mark.parametrize(("apart", "told"), [(1.9e6, False), (2.1e6, True)])
def test_apart_is_twice_as_far_as_they_are_unsure(apart: float, told: bool) -> None:
    """Each is within 1 Mb/s."""
    assert changed(30e6 - apart, 30e6 + apart, 30e6 - apart, 30e6 + apart)["load_changes"] == told


@pytest.mark.parametrize(("apart", "high"), [(0.9e6, 31e6), (1.1e6, 34e6)])
def test_as_far_apart_as_they_are_unsure_the_interval_holds_their_mean_too(apart: float, high: float) -> None:
    row = changed(*8 * (33e6 - apart, 33e6 + apart))
    assert not row["load_changes"]
    assert (row["available_bps"], row["available_low_bps"], row["available_high_bps"]) == (30e6, 29e6, high)
    few = changed(*7 * (33e6 - apart, 33e6 + apart))
    assert few["available_high_bps"] == 31e6
