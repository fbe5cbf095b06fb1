"""The max-min rates that S003 prints, under the two MACs that its text allows."""

from __future__ import annotations

import pytest

import winf_analyzer
from benchmarks.replay.s003 import MAX_MIN_PRINTED
from benchmarks.replay.worlds import neighbourhoods, short_control


def max_min_kbps(world):
    replayed = winf_analyzer.replay(topology=world, controllers=["max_min"], seeds=1)
    return [rate / 1e3 for rate in replayed.summary["throughput_bps"]]


@pytest.mark.parametrize("name", MAX_MIN_PRINTED)
def test_short_control_frames_fit_the_absolute_rates(name):
    world = neighbourhoods(name, 10)
    printed = MAX_MIN_PRINTED[name]
    assert max_min_kbps(short_control(world)) == pytest.approx(printed, rel=0.12)
    assert max(max_min_kbps(world)) < 0.75 * max(printed)
