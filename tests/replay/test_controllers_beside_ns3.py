"""CUBIC and BBR beside what ns-3 recorded over one and two wireless hops."""

from __future__ import annotations

import pytest

from benchmarks.replay.controllers_ns3 import of_engine, of_ns3
from benchmarks.replay.reference.record_controllers_ns3 import SETTINGS

GOODPUT = 0.05
RTT = 0.1


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_goodput_and_round_trip_times_are_those_of_ns3(setting):
    recorded = of_ns3()
    for controller, found in of_engine(setting, seeds=10).items():
        there = recorded[setting.name, controller]
        assert found.goodput_bps == pytest.approx(there.goodput_bps, rel=GOODPUT), controller
        assert found.rtt_p50_ms == pytest.approx(there.rtt_p50_ms, rel=RTT), controller
