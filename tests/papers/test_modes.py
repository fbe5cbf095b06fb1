"""The page on what `corrected` does otherwise than `paper` has every controller and estimator, and real differences."""

import pytest

from benchmarks.replay.modes import CORRECTED, DIFFERENCES, ESTIMATORS, SCENES, measured
from benchmarks.replay.tables import DOCS
from winf_analyzer import _core
from winf_analyzer.estimators._registry import ESTIMATORS as REGISTERED

SAME = {"saturation", "wbest"}
"""Their docstrings say that they have one method."""


def test_every_controller_with_two_modes_has_its_differences():
    assert set(DIFFERENCES) == set(SCENES) == {name for name, *_, modes, _ in _core.controllers() if len(modes) > 1}


def test_every_estimator_with_two_methods_has_its_differences():
    assert set(ESTIMATORS) == set(REGISTERED) - SAME


def test_every_difference_is_a_row_of_the_page_with_an_effect():
    rows = [line.split(" | ") for line in (DOCS / "modes.md").read_text(encoding="utf-8").splitlines() if "|" in line]
    for differences in DIFFERENCES.values():
        for one in differences:
            (row, *_) = [row for row in rows if row[0] == f"| {one.corrected}"]
            assert one.why
            assert row[2].startswith(one.why)
            assert one.formula or "±" in row[3], f"no effect of {one.corrected}"


@pytest.mark.slow(reason="runs of a mesh access network, of Stack and of a string")
@pytest.mark.parametrize("controller", ["xcp_b", "wcp", "c3tcp"])
def test_settings_change_what_they_are_said_to_change(controller):
    arms = {one.corrected: one.settings for one in DIFFERENCES[controller]}
    found = measured(controller, arms, seeds=(1,))
    for name in arms:
        assert found[name, "throughput"] != found[CORRECTED, "throughput"], name
