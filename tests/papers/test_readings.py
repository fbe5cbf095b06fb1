"""Readings of the papers: scenes with one thing changed, and with which of them a statement holds."""

import dataclasses

import pytest

import winf_analyzer
from winf_analyzer._papers import reproductions
from winf_analyzer._papers.reproductions import _run
from winf_analyzer._papers.reproductions._reading import AS_IT_IS, Reading, beside, paired, tried, with_mac
from winf_analyzer._papers.reproductions._studies import STUDIES
from winf_analyzer._papers.reproductions._study import BESIDE, Arm, Figure, Statement
from winf_analyzer._papers.reproductions._worlds import chain

SLOW = {"control_rate_bps": 100_000}
FIGURE = Figure(
    "S004-fig4",
    "throughput",
    (Statement("TCP carries less than 3 Mbit/s", lambda m, xs: m["TCP", xs[0]] < 3e6),),
    {"TCP": {"": 2e6}},
)
TRIED = tried(
    "tried",
    "one flow over a chain",
    lambda _, seconds, hops=1: chain(hops, seconds),
    (Arm("TCP", "new_reno"), Arm("Vegas", "vegas")),
    (
        Reading("two hops", {"hops": 2}),
        with_mac("slow control frames", **SLOW),
        Reading("Vegas of Linux", settings={"vegas": {"gamma_segments": 2.0}}),
    ),
    (FIGURE,),
    seeds=2,
    seconds=4,
    quick=(1, 2),
)


def test_the_first_place_is_the_scene_as_elsewhere():
    assert TRIED.places[0] == AS_IT_IS.name
    assert TRIED.world(TRIED.places[0], 1, 2.0) == chain(1, 2.0)


def test_a_reading_changes_the_scene_or_the_world_or_settings():
    assert TRIED.world("two hops", 1, 2.0) == chain(2, 2.0)
    plain, slow = chain(1, 2.0), TRIED.world("slow control frames", 1, 2.0)
    assert slow == {**plain, "mac": {**plain["mac"], **SLOW}}
    (vegas,) = (arm for arm in TRIED.arms if arm.controller == "vegas")
    assert vegas.settings_at("Vegas of Linux") == {"gamma_segments": 2.0}
    assert vegas.settings_at("two hops") == {}


def test_settings_of_an_arm_and_of_a_reading_are_joined():
    assert _run._joined({"queue": {"chi": 1, "tau": 2}, "a": 1}, {"queue": {"tau": 3}, "b": 2}) == {
        "queue": {"chi": 1, "tau": 3},
        "a": 1,
        "b": 2,
    }


def test_a_statement_is_decided_with_each_reading(monkeypatch, tmp_path):
    places = TRIED.places[:3]
    monkeypatch.setattr(reproductions, "STUDIES", (dataclasses.replace(TRIED, places=places, quick_places=places),))
    rows = winf_analyzer.reproduce(["S004-fig4"], quick=True, output=tmp_path)
    (verdict,) = rows["verdict"].unique()
    assert "TCP carries less than 3 Mbit/s: holds with 2 of 3 readings (all but as elsewhere)" in verdict
    assert "printed numbers are off by up to" in verdict
    assert "with the best reading (slow control frames) by" in verdict
    assert (tmp_path / "S004-fig4-readings.csv").is_file()
    assert rows["printed"].drop_nulls().to_list() == [2e6] * len(places)


def test_places_that_others_are_compared_with_are_no_readings():
    readings = paired("far", (Reading("near"),), hops=3)
    assert [reading.name for reading in readings] == [beside(AS_IT_IS.name, "far"), "near", beside("near", "far")]
    assert readings[-1].scene == {"hops": 3}
    means = {"near": 1.0, "as elsewhere": 3.0, beside("near", "far"): 2.0, beside("as elsewhere", "far"): 2.0}
    runs = [{"arm": "TCP", "place": place, "seed": 1, "metrics": {"rtt": rtt}} for place, rtt in means.items()]
    outcome = _run.Outcome(["as elsewhere", *(reading.name for reading in readings)], 1.0, "1", runs)
    shorter = Statement("shorter than far", lambda m, xs: m["TCP", xs[0]] < m["TCP", beside(xs[0], "far")])
    figure = Figure("S004-fig3", "rtt", (shorter,), readings=True)
    assert outcome.turned_by(figure) == ["near"]
    assert outcome.verdict(figure) == "shorter than far: holds with 1 of 2 readings (near)"


@pytest.mark.parametrize(
    "study", [study for study in STUDIES if study.figures[0].readings], ids=lambda study: study.name
)
def test_every_reading_can_be_made_and_differs(study):
    """A world or settings that are those of another reading would try nothing."""
    if study.name.startswith(("s000", "s002")):
        pytest.skip("routes of mobiles take long")
    seen = []
    for place in study.places:
        world = study.world(place, 1, 2.0)
        settings = [(arm.label, dict(arm.settings_at(place))) for arm in study.arms if arm.settings_at(place)]
        assert BESIDE in place or (world, settings) not in seen, f"{place} is another reading under a second name"
        seen.append((world, settings))
