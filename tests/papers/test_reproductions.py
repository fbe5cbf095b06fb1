"""`winf reproduce`: names, runs taken up again, figures, statements, and whether kept results are current."""

import json

import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._papers import items, reproductions
from winf_analyzer._papers.reproductions import _run
from winf_analyzer._papers.reproductions._studies import STUDIES
from winf_analyzer._papers.reproductions._studies.s004 import TABLE_1
from winf_analyzer._papers.reproductions._study import Arm, Figure, Statement, Study, above
from winf_analyzer._papers.reproductions._worlds import base_station_chain, chain, voice_mesh
from winf_analyzer._util.errors import UsageError

TINY = Study(
    "tiny",
    "one flow over a chain",
    "hops",
    (1, 2, 3),
    lambda x, seed, seconds: chain(int(x), seconds),
    (Arm("TCP", "new_reno"), Arm("XCP", "xcp")),
    (
        Figure("S004-fig4", "throughput", printed={"TCP": {1: 1e6}}),
        Figure("S004-fig3", "rtt", (above("TCP", "TCP", "TCP above itself"), Statement("true", lambda m, xs: True))),
    ),
    seeds=2,
    seconds=2,
    quick_places=(1, 2),
    quick_seeds=1,
    quick_seconds=1,
)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(reproductions, "STUDIES", (TINY,))


@pytest.mark.parametrize(
    ("name", "item", "meant"),
    [
        ("S000-fig10a", "S000-fig10a", True),
        ("S000-fig-10", "S000-fig10b", True),
        ("s000-fig10", "S000-fig10a", True),
        ("S000-fig-1", "S000-fig10a", False),
        ("S000-fig1", "S000-fig11", False),
        ("S004-claim-12", "S004-claim-12", True),
        ("S004-claim-1", "S004-claim-12", False),
    ],
)
def test_an_item_or_all_its_panels_are_named(name, item, meant):
    assert reproductions._means(name, item) is meant


def test_a_paper_and_a_figure_are_one_name():
    assert reproductions._joined(["S000", "fig12", "S003-fig9"]) == ["S000-fig12", "S003-fig9"]


def test_every_study_shows_items_of_the_register():
    known = {item.id for item in items()}
    shown = [figure.item for study in STUDIES for figure in study.figures]
    assert set(shown) <= known
    assert len(set(shown)) == len(shown)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_a_study_is_consistent(study):
    assert set(study.quick_places) <= set(study.places)
    assert study.quick_seeds <= study.seeds
    assert study.quick_seconds <= study.seconds
    labels = [arm.label for arm in study.arms]
    assert len(set(labels)) == len(labels)
    for figure in study.figures:
        assert figure.metric in _run.METRICS
        assert set(figure.printed) <= {*labels, "XCP-b, paper"}
        assert all(set(printed) <= set(study.places) for printed in figure.printed.values())


def test_what_table_1_of_s004_prints_is_what_the_register_has():
    registered = {item.id: item.values for item in items() if item.id.startswith("S004-table1")}
    for hops in range(1, 11):
        values = registered[f"S004-table1-{hops}hop"]
        assert (TABLE_1["XCP-b, paper"][hops], TABLE_1["TCP"][hops]) == (values["xcp_b"], values["new_reno"])


def test_runs_figures_and_rows_are_written(tiny, tmp_path):
    rows = winf_analyzer.reproduce(["S004", "fig4", "S004-fig-3"], quick=True, output=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "S004-fig3.csv",
        "S004-fig3.html",
        "S004-fig4.csv",
        "S004-fig4.html",
        "tiny.json",
    ]
    assert rows.filter(pl.col("item") == "S004-fig4")["printed"].to_list() == [1e6, None, None, None]
    verdicts = dict(rows.select("item", "verdict").unique().iter_rows())
    assert verdicts["S004-fig3"] == "TCP above itself: does not hold; true: holds"
    assert verdicts["S004-fig4"].startswith("beside the printed numbers: TCP +")
    assert "S004-fig4: one flow over a chain" in (tmp_path / "S004-fig4.html").read_text(encoding="utf-8")


def test_finished_runs_are_not_repeated(tiny, tmp_path, monkeypatch):
    made = []
    point = _run.point
    monkeypatch.setattr(_run, "point", lambda *asked, **options: made.append(asked[1:3]) or point(*asked, **options))
    once = winf_analyzer.reproduce(["S004-fig4"], quick=True, output=tmp_path)
    assert made == [(1, 1), (2, 1)]
    file = tmp_path / "tiny.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["runs"] = [run for run in document["runs"] if run["place"] == 1]
    file.write_text(json.dumps(document), encoding="utf-8")
    again = winf_analyzer.reproduce(["S004-fig4"], quick=True, output=tmp_path)
    assert made == [(1, 1), (2, 1), (2, 1)]
    assert again.equals(once)
    file.write_text(json.dumps(document | {"version": "0.0.1"}), encoding="utf-8")
    winf_analyzer.reproduce(["S004-fig4"], quick=True, output=tmp_path)
    assert made[3:] == [(1, 1), (2, 1)], "runs of another version do not count"


def test_what_cannot_be_reproduced_says_why(tiny, tmp_path):
    with pytest.raises(UsageError, match="S003-fig16 cannot be reproduced by one command: a sweep over rho and beta"):
        winf_analyzer.reproduce(["S003-fig16"], output=tmp_path)
    with pytest.raises(UsageError, match="no item 'S009-fig1'"):
        winf_analyzer.reproduce(["S009-fig1"], output=tmp_path)
    with pytest.raises(UsageError, match="--list lists them"):
        winf_analyzer.reproduce(output=tmp_path)


def test_everybody_talks_to_everybody_in_the_chain_with_a_base_station():
    world = base_station_chain(1, 10.0)
    ends = {(flow["path"][0], flow["path"][-1]) for flow in world["flows"]}
    names = [node["name"] for node in world["nodes"]]
    assert ends == {(a, b) for a in names for b in names if a != b}
    assert names[0] == "base"


def test_voice_is_g711_from_every_mobile_to_the_next():
    world = voice_mesh(4, 1, 2.0)
    assert {flow["source"]["cbr"]["rate_bps"] for flow in world["flows"]} == {64_000}
    assert {flow["payload_bytes"] for flow in world["flows"]} == {160}
    assert len(world["flows"]) == 4
    assert len([node for node in world["nodes"] if node["name"].startswith("mesh-")]) == 16


@pytest.mark.slow(reason="a run of every study that has kept results")
@pytest.mark.parametrize("study", [study for study in STUDIES if _run.kept(study)], ids=lambda study: study.name)
def test_kept_results_are_those_of_this_code(study):
    """The first place and seed, run again, give the kept numbers; otherwise `make reproductions` renews them."""
    outcome = _run.kept(study)
    place = outcome.places[0]
    made = {(run["arm"], run["place"]): run["metrics"] for run in _run.point(study, place, 1, outcome.seconds)}
    for run in outcome.runs:
        if run["seed"] == 1 and (run["arm"], run["place"]) in made:
            assert run["metrics"] == made[run["arm"], run["place"]], f"{study.name} is stale: make reproductions"
