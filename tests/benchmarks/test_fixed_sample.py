"""The recommended answer on a fixed sample of the study: two seconds of one run of each group."""

import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.accuracy.fixed_sample import BOUNDS, FOLDER, fixed_sample, measured
from benchmarks.accuracy.summary import GROUPS

RUNS = {run.scenario.group: run for run in fixed_sample()}
LIMITS = tomllib.loads((FOLDER / BOUNDS).read_text(encoding="utf-8"))


def test_every_group_has_a_recording_and_bounds():
    assert set(RUNS) == set(LIMITS) == set(GROUPS)
    assert all(run.capture.exists() for run in RUNS.values())


@pytest.mark.parametrize("group", RUNS)
def test_the_recommended_answer_is_within_its_bounds(group):
    found, limits = measured(RUNS[group]), LIMITS[group]
    assert found["declined"] <= limits["declined"]
    if "error" in limits:
        assert found["error"] is not None
        assert found["error"] <= limits["error"]
    if "coverage" in limits:
        assert found["coverage"] is not None
        assert found["coverage"] >= limits["coverage"]
