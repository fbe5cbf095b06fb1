"""The figure of the counterfactual study."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from benchmarks.replay.counterfactual.figures import LABELS, PANEL, across, figure
from benchmarks.replay.counterfactual.predictions import Prediction

ONE = Prediction("calm", True, "sniffer", "itself", "f", "goodput", 11.0, 9.0, 12.0, 10.0, False)
SVG = "{http://www.w3.org/2000/svg}"


def test_the_truth_is_in_the_middle_and_what_is_far_off_at_the_edge():
    assert across(0, 1.0) == LABELS + PANEL / 2
    assert across(0, 2.0) - across(0, 1.0) == pytest.approx(across(0, 1.0) - across(0, 0.5))
    assert across(0, 9.0) == across(0, 4.0) == LABELS + PANEL
    assert across(0, 0.0) == LABELS


def test_every_prediction_that_has_an_error_is_a_dot_in_the_row_of_its_world():
    wild = replace(ONE, world="wild", predicted=20.0)
    answers = [wild, ONE, replace(ONE, figure="RTT, median"), replace(ONE, observer="every_node")]
    none = [replace(ONE, predicted=None), replace(ONE, starved=True), replace(ONE, figure="loss")]
    found = ElementTree.fromstring(figure([*answers, *none], {"wild"}))
    dots = [each for each in found.iter(f"{SVG}circle") if each.find(f"{SVG}title") is not None]
    titles = [dot.find(f"{SVG}title").text for dot in dots]
    assert sorted(titles) == ["calm, itself, f: 1.10"] * 3 + ["wild, itself, f: 2.00"]
    heights = {title: float(dot.get("cy")) for title, dot in zip(titles, dots, strict=True)}
    assert heights["wild, itself, f: 2.00"] > heights["calm, itself, f: 1.10"], "what chance decides is below"
    (x,) = [float(dot.get("cx")) for dot, title in zip(dots, titles, strict=True) if title.startswith("wild")]
    assert x == pytest.approx(across(0, 2.0), abs=0.1)
