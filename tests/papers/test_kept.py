"""Results that ship with the package: means of full runs, and whether they belong to the quick ones."""

import json

import pytest

from winf_analyzer._papers.reproductions import _kept
from winf_analyzer._papers.reproductions._run import Outcome
from winf_analyzer._papers.reproductions._studies import STUDIES
from winf_analyzer._papers.reproductions._studies.s001 import FIXED_WINDOWS

STUDY = FIXED_WINDOWS


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A folder of results with quick ones of one study."""
    monkeypatch.setattr(_kept, "_FOLDER", tmp_path)
    _quick(tmp_path, 1.0)
    return tmp_path


def _quick(folder, value):
    runs = [{"arm": "TCP", "place": 1, "seed": 1, "metrics": {"throughput": value}}]
    document = {"version": "1", "seconds": 2, "places": [1], "runs": runs}
    (folder / f"{STUDY.name}.json").write_text(json.dumps(document), encoding="utf-8")


def _outcome():
    values = [(1, 1, 10.0), (1, 2, 14.0), (2, 1, 5.0), (2, 2, 5.0)]
    runs = [
        {"arm": "TCP", "place": place, "seed": seed, "metrics": {"throughput": value, "rtt": None}}
        for place, seed, value in values
    ]
    return Outcome([1, 2], 30.0, "1.0", runs)


def test_full_results_are_kept_as_means_and_intervals(folder):
    made = _outcome()
    _kept.keep(STUDY, made, folder)
    found = _kept.kept_full(STUDY)
    assert (found.seeds, found.seconds, found.places, found.runs) == (2, 30.0, [1, 2], [])
    assert found.means("throughput", [1, 2]) == made.means("throughput", [1, 2]) == {("TCP", 1): 12.0, ("TCP", 2): 5.0}
    for place in (1, 2):
        assert found.half_width("throughput", "TCP", place) == pytest.approx(
            made.half_width("throughput", "TCP", place), rel=1e-4
        )
    assert found.mean("rtt", "TCP", 1) is None


def test_full_results_are_current_until_quick_ones_change(folder):
    assert not _kept.is_current(STUDY)
    _kept.keep(STUDY, _outcome(), folder)
    assert _kept.is_current(STUDY)
    _quick(folder, 1.5)
    assert not _kept.is_current(STUDY)


def test_kept_full_results_are_at_the_papers_length_and_repetitions():
    for study in STUDIES:
        if found := _kept.kept_full(study):
            assert (found.seeds, found.seconds, list(found.places)) == (study.seeds, study.seconds, list(study.places))


def test_full_results_belong_to_studies():
    names = {study.name for study in STUDIES}
    kept = {study.name for study in STUDIES if _kept.kept_full(study)}
    assert {path.name.removesuffix(".json") for path in (_kept._FOLDER / "full").iterdir()} == kept <= names


@pytest.mark.parametrize("study", [study for study in STUDIES if _kept.kept(study)], ids=lambda study: study.name)
def test_kept_quick_results_are_what_the_study_declares(study):
    """An arm, place, seed or metric that was added or taken away makes them stale."""
    found = _kept.kept(study)
    assert (list(found.places), found.seconds) == (list(study.quick_places), study.quick_seconds), study.name
    assert {run["seed"] for run in found.runs} == set(range(1, study.quick_seeds + 1))
    assert {run["arm"] for run in found.runs} == {arm.label for arm in study.arms}
    assert {run["place"] for run in found.runs} <= set(study.places)
    declared = {name for figure in study.figures for name in _metrics_of(figure)}
    assert study.recorded or all(set(run["metrics"]) == declared for run in found.runs)


def _metrics_of(figure):
    return {figure.metric, *(says.metric for says in figure.says), *(curve.metric for curve in figure.curves)} - {""}


def test_every_study_has_kept_quick_results():
    assert not [study.name for study in STUDIES if _kept.kept(study) is None]
