"""IdleGap: the header's data rate times the idle share."""

import pytest
from exchange_builder import A, busy_second, one, table

from winf_analyzer.estimators import estimate

SECOND = {"window_start_ns": 1_000_000_000}


@pytest.mark.parametrize(
    ("mode", "state", "idle"),
    [
        ("corrected", "sender", 0.770673),
        ("corrected", "receiver", 0.770673),
        ("paper", "sender", 0.837273),
        ("paper", "receiver", 0.805873),
        ("paper", "onlooker", 0.805873),
    ],
)
def test_a_second_of_100_exchanges_at_11_mbps(mode, state, idle):
    row = one(estimate(table(busy_second()), ["idle_gap"], [mode]), state=state, sender=A, **SECOND)
    assert row["idle_ratio"] == pytest.approx(idle, rel=1e-6)
    assert row["available_bps"] == pytest.approx(11e6 * idle, rel=1e-6)
    assert (row["capacity_bps"], row["r_phy_bps"], row["exchanges"]) == (None, 11e6, 100)


def test_a_rate_nobody_knows_gives_no_bandwidth():
    row = one(estimate(table(busy_second(rate_mbps=None)), ["idle_gap"], ["paper"]), state="sender", sender=A, **SECOND)
    assert (row["available_bps"], row["exchanges"]) == (None, 0)
