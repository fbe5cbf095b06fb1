"""Channel busy share, as an access point announces it, and what it leaves of the theoretical maximum."""

import math

import pytest
from exchange_builder import SIFS, T_ACK, A, busy_second, one, t_data, table

from winf_analyzer.estimators import estimate

SECOND = {"window_start_ns": 1_000_000_000}
EXCHANGE_US = 2293.273


def share(rows, mode):
    return one(estimate(table(rows), ["busy_share"], [mode]), state="sender", sender=A, **SECOND)


def test_corrected_leaves_the_maximum_less_the_load():
    row = share(busy_second(), "corrected")
    assert row["idle_ratio"] == pytest.approx(0.734673, rel=1e-6)
    assert row["available_bps"] / 1e6 == pytest.approx(3.322716, rel=1e-6)


def test_paper_counts_air_and_durations_in_255ths():
    row = share(busy_second(), "paper")
    utilization = math.floor(100 * EXCHANGE_US / 1e6 * 255)
    assert row["idle_ratio"] == pytest.approx(1 - utilization / 255, rel=1e-9)
    assert row["available_bps"] == pytest.approx(row["capacity_bps"] * row["idle_ratio"], rel=1e-12)


def test_a_duration_reserves_beyond_the_frames():
    # The Duration of a data frame without its ACK covers SIFS and ACK all the same.
    unanswered = busy_second(kind="basic", complete=False, ack_ns=None, ack_start_ns=None, nav_data_us=SIFS + T_ACK)
    for row in unanswered:
        row["end_ns"] = row["data_ns"]
    answered = busy_second(kind="basic")
    witness = [dict(row, sender=A, complete=True) for row in unanswered[1:2]]
    seen = [share([*rows, *witness], "paper")["idle_ratio"] for rows in (unanswered, answered)]
    assert seen[0] == seen[1] == pytest.approx(1 - math.floor(100 * (t_data(1500) + SIFS + T_ACK) / 1e6 * 255) / 255)
