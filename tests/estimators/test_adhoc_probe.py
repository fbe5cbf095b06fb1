"""AdHoc Probe: the pair that was delayed least."""

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, one, table
from hypothesis import given
from hypothesis import strategies as st

from winf_analyzer.estimators import Settings, estimate
from winf_analyzer.estimators.adhoc_probe import capacity, least_delayed

PAIRS = [(0.0103, 0.0125), (0.0100, 0.0119), (0.0150, 0.0162), (0.0101, 0.0121)]


def probed(rows, mode="paper", settings=Settings()):  # noqa: B008
    return estimate(table(rows), ["adhoc_probe"], [mode], settings)


def back_to_back(*backoffs_us, start_us=1000.0, **columns):
    """Exchanges that follow one another after DIFS and these backoffs; the first starts at `start_us`."""
    rows, at = [], start_us
    for backoff in (None, *backoffs_us):
        at += 0 if backoff is None else 50 + backoff
        rows.append(exchange(at, **columns))
        at = rows[-1]["end_ns"] / 1000
    return rows


def chosen_bps(pairs):
    """C of pairs of 1500 octets, of delays (d1, d2) in seconds, by the expressions of the estimator."""
    rows = pl.DataFrame(pairs, schema=["d1", "d2"], orient="row") * 1e9
    rows = rows.select(
        payload_bytes=pl.lit(1500), dispersion_ns=pl.col("d2") - pl.col("d1"), delay_sum_ns=pl.col("d1") + pl.col("d2")
    )
    return rows.with_columns(capacity_bps=capacity()).select(least_delayed()).item()


def test_the_pair_of_least_delay_sum():
    assert chosen_bps(PAIRS) == pytest.approx(6315789.474, abs=1e-3)


@given(st.floats(-100, 100))
def test_a_clock_offset_does_no_harm(offset):
    assert chosen_bps([(a + offset, b + offset) for a, b in PAIRS]) == pytest.approx(6315789.474, rel=1e-6)


def test_the_shortest_backoff_wins_and_is_corrected_to_its_mean():
    rows = back_to_back(300, 40, 600)
    paper, corrected = (one(probed(rows, mode), state="sender", sender=A) for mode in ("paper", "corrected"))
    assert paper["exchanges"] == corrected["exchanges"] == 3
    assert paper["capacity_bps"] == pytest.approx(12_000e6 / (50 + 40 + 2293.273), rel=1e-6)
    assert corrected["capacity_bps"] / 1e6 == pytest.approx(4.522716, rel=1e-6)
    assert paper["available_bps"] is None


def test_recorded_queues_tell_the_pairs():
    first, second, third = back_to_back(5000, 100)
    # The second was enqueued long before the first was done, whatever the idle time says; the third came later.
    recorded = [
        first | {"queue_ns": 0, "access_ns": 3_000_000},
        second | {"queue_ns": 3_000_000, "access_ns": second["end_ns"] - first["end_ns"]},
        third | {"queue_ns": 0, "access_ns": third["end_ns"] - second["end_ns"] - 50_000},
    ]
    row = one(probed(recorded), state="sender", sender=A)
    assert row["exchanges"] == 1
    assert row["capacity_bps"] == pytest.approx(12_000e6 / (5050 + 2293.273), rel=1e-6)


@pytest.mark.parametrize(
    "rows",
    [
        back_to_back(5000),  # the sender had nothing to send in between
        [exchange(1000), exchange(3700, payload=800)],  # another size
        [exchange(1000), exchange(3700, receiver=C)],  # another link
        [exchange(1000), exchange(3700, complete=False)],  # not delivered
    ],
)
def test_what_is_no_pair(rows):
    assert probed(rows).is_empty()


def test_others_between_the_packets_do_not_break_a_backlogged_pair():
    rows = [exchange(1000), exchange(3400, sender=C, receiver=D), exchange(5900)]
    row = one(probed(rows, "corrected"), state="sender", sender=A)
    assert row["capacity_bps"] == pytest.approx(12_000e6 / 4900, rel=1e-6)


def test_running_keeps_the_best_pair():
    slow, fast, slower = (back_to_back(b, start_us=t) for b, t in ((300, 1e5), (40, 1.1e6), (600, 2.1e6)))
    elsewhere = [exchange(3.5e6, sender=C, receiver=D)]
    rows = probed([*slow, *fast, *slower, *elsewhere], settings=Settings(running=True))
    found = rows.filter(state="sender", sender=A, receiver=B).sort("window_start_ns")
    assert found["exchanges"].to_list() == [1, 2, 3, 3]
    best = 12_000e6 / (50 + 40 + 2293.273)
    assert found["capacity_bps"].to_list()[1:] == pytest.approx([best] * 3, rel=1e-6)


def test_sliding_windows_share_pairs():
    rows = [*back_to_back(300, start_us=6e5), *back_to_back(40, start_us=1.1e6), exchange(2.9e6)]
    sliding = probed(rows, settings=Settings(step_ns=500_000_000)).filter(state="sender", sender=A)
    counts = dict(sliding.sort("window_start_ns").select("window_start_ns", "exchanges").iter_rows())
    assert counts == {500_000_000: 2, 1_000_000_000: 1}
