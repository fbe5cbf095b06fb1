"""NewReno over S004's chains and in its mesh beside what ns-2 recorded, at two ranges of carrier sense."""

from __future__ import annotations

import pytest

from benchmarks.replay.engine import mean
from benchmarks.replay.new_reno_ns2 import NS2, SETTINGS, WITHIN, of_engine, of_ns2

GIVEN = NS2["held"]
SOME = [setting for setting in SETTINGS if setting.scene == "mesh" or setting.hops in (1, 3, 6)]


@pytest.mark.parametrize("setting", SOME, ids=lambda one: f"{one.scene}-{one.hops}-{one.sensed_m}")
def test_goodput_windows_and_round_trip_times_are_those_of_ns2(setting):
    there, here = of_ns2()[GIVEN][setting], of_engine(setting, seeds=(1,))
    for column, (name, within) in WITHIN.items():
        assert mean(here[column]) == pytest.approx(mean(there[column]), rel=within), name


def test_what_ns2_recorded_is_complete():
    recorded = of_ns2()
    assert set(recorded) == set(NS2.values())
    assert all(set(runs) == set(SETTINGS) for runs in recorded.values())
    assert {len(values) for runs in recorded.values() for columns in runs.values() for values in columns.values()} == {
        5
    }
