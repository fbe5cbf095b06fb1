"""`winf reproduce`: names, runs taken up again, figures, statements, and whether kept results are current."""

import dataclasses
import json

import polars as pl
import pytest
from sampled import one_of

import winf_analyzer
from winf_analyzer._papers import items, reproductions
from winf_analyzer._papers.reproductions import _kept, _rate_region, _run
from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._figure import _legend, write_figure
from winf_analyzer._papers.reproductions._metrics import METRICS
from winf_analyzer._papers.reproductions._rows import RunTables
from winf_analyzer._papers.reproductions._studies import STUDIES
from winf_analyzer._papers.reproductions._studies.s004 import TABLE_1
from winf_analyzer._papers.reproductions._study import Arm, Curve, Figure, Statement, Study, above
from winf_analyzer._papers.reproductions._worlds import base_station_chain, chain, two_flows, voice_mesh
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
    shown = [figure.file for study in STUDIES for figure in study.figures]
    assert {figure.item for study in STUDIES for figure in study.figures} <= known
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
    with pytest.raises(
        UsageError, match="S000-claim-1 cannot be reproduced by one command: its verdict rests on tests and pages"
    ):
        winf_analyzer.reproduce(["S000-claim-1"], output=tmp_path)
    with pytest.raises(UsageError, match="no item 'S009-fig1'"):
        winf_analyzer.reproduce(["S009-fig1"], output=tmp_path)
    with pytest.raises(UsageError, match="--list lists them"):
        winf_analyzer.reproduce(output=tmp_path)


def test_the_list_says_how_much_holds_and_of_which_results():
    listed = reproductions.reproductions()
    assert listed.height == sum(len(study.figures) for study in STUDIES)
    assert set(listed["results"]) <= {"full", "quick", "recorded"}
    (row,) = reproductions.reproductions(["S000", "fig5"]).iter_rows(named=True)
    assert (row["item"], row["holds"], row["results"]) == ("S000-fig5", "yes", "recorded")
    panels = reproductions.reproductions(["S000-fig-10"])["item"].to_list()
    assert sorted(set(panels)) == ["S000-fig10a", "S000-fig10b", "S000-fig10c"]
    with pytest.raises(UsageError, match="no item 'S009-fig1'"):
        reproductions.reproductions(["S009-fig1"])


@pytest.mark.parametrize(
    ("truths", "said"), [((True, True), "yes"), ((False, False), "no"), ((True, False), "1 of 2"), ((), "–")]
)
def test_how_much_of_a_figure_holds_in_a_word(truths, said):
    says = tuple(Statement(str(number), lambda m, xs, truth=truth: truth) for number, truth in enumerate(truths))
    outcome = _run.Outcome([1], 1.0, "1", [{"arm": "TCP", "place": 1, "seed": 1, "metrics": {"rtt": 1.0}}])
    assert outcome.holding(Figure("S004-fig3", "rtt", says)) == said


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


def test_a_call_is_80_kbits_and_probes_come_when_they_are_said_to():
    call = worlds.probed(64_000, ((250, 1.0), (1000, 60.0)), 300)["flows"]
    assert 8 * (call[0]["payload_bytes"] + call[0]["header_bytes"]) / 0.02 == 80_000
    assert call[0]["source"]["cbr"]["rate_bps"] * 0.02 / 8 == call[0]["payload_bytes"] == 160 + 12
    assert [len(flow["source"]["scheduled"]) for flow in call[1:]] == [300, 5]
    assert [flow["ack_bytes"] for flow in call] == [0, 0, 0]


def test_octets_of_probes_are_counted_beside_those_of_the_flow():
    flows = pl.DataFrame({"flow": ["flow", "probes-0;"], "sent_bytes": [2000, 30]})
    rows = RunTables(flows, pl.DataFrame(), pl.DataFrame())
    assert METRICS["probe_overhead"].of(rows) == pytest.approx(1.5)


def test_a_measured_rate_is_the_greatest_that_gets_through():
    found = _rate_region.measured_point("middle", 100e3, seed=1, seconds=10)
    assert _rate_region._gets_through(found, 1)
    offered = {flow["name"]: len(flow["source"]["scheduled"]) for flow in found["flows"]}
    more = {name: 8 * 512 * count / 10 * (1.1 if name != "4-6" else 1.0) for name, count in offered.items()}
    assert not _rate_region._gets_through(worlds.offered("stack", more, 1, 10), 1)


def test_studies_of_s000_have_thirty_repetitions():
    studies = [study for study in STUDIES if study.name.startswith("s000-") and not study.recorded]
    assert studies
    assert {study.seeds for study in studies} == {30}
    (collisions,) = (study for study in studies if study.name == "s000-collisions")
    assert collisions.places == ("light, 0 m/s", "light, 100 m/s", "heavy, 0 m/s", "heavy, 100 m/s")
    assert {arm.label for arm in collisions.arms} >= {"XCP-Winf", "XCP-Winf without P_c"}


LATER = dataclasses.replace(
    TINY,
    world=lambda _, __, seconds: two_flows(1, 2, seconds),
    places=(0, 2),
    quick_places=(0, 2),
    arms=(
        Arm("first", "new_reno", flows=("first",)),
        Arm("second", "new_reno", flows=("second",)),
        Arm("TCP", "new_reno"),
    ),
    figures=(
        Figure("S004-fig4", "throughput", (above("first", "second", "x", "sequence"),), within=(2, 4)),
        Figure("S004-fig3", "jain"),
    ),
    along="seconds",
    bin_s=0.5,
    quick_seconds=4,
)


def test_parts_of_a_run_have_the_flows_that_are_active_there():
    runs = {(run["arm"], run["place"]): run["metrics"] for run in _run.point(LATER, 0, 1, 4.0)}
    assert runs["first", 0]["throughput"] > 3e6
    assert (runs["second", 0]["throughput"], runs["second", 0]["sequence"]) == (0.0, None)
    assert runs["TCP", 0]["jain"] == 1.0, "a flow that has not begun does not count"
    both = runs["first", 2]["throughput"] + runs["second", 2]["throughput"]
    assert runs["TCP", 2]["throughput"] == pytest.approx(both)
    payload_bits = 8 * 1260
    assert runs["second", 2]["sequence"] == pytest.approx(runs["second", 2]["throughput"] * 2 / payload_bits, rel=1e-6)
    assert runs["first", 2]["sequence"] > runs["first", 0]["sequence"]


def test_arms_that_differ_in_their_flows_are_one_run(monkeypatch):
    asked = []
    original = _run.replay
    monkeypatch.setattr(_run, "replay", lambda **options: asked.append(options) or original(**options))
    _run.point(LATER, 0, 1, 4.0)
    assert len(asked) == 1


def test_a_figure_shows_its_part_of_the_axis(monkeypatch, tmp_path):
    monkeypatch.setattr(reproductions, "STUDIES", (LATER,))
    rows = winf_analyzer.reproduce(["S004-fig4", "S004-fig3"], quick=True, output=tmp_path)
    shown = rows.group_by("item", maintain_order=True).agg(pl.col("place").unique().sort())
    assert dict(shown.iter_rows()) == {"S004-fig4": ["2"], "S004-fig3": ["0", "2"]}
    assert rows.filter(pl.col("item") == "S004-fig4")["verdict"][0] == "x: holds"


def bins(rates, **columns):
    """RunTables of one flow, a second each."""
    count = len(rates)
    times = {"t_ns": [second * 10**9 for second in range(count)], "width_ns": [10**9] * count}
    return pl.DataFrame({"flow": ["a"] * count, **times, "throughput_bps": rates} | columns)


@pytest.mark.parametrize(
    ("metric", "table", "expected"),
    [
        ("silent", bins([0.0, 5.0, 0.0, 5.0, 5.0]), 25.0),
        ("stalled", bins([0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0]), 1.0),
        ("stalled", bins([0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 5.0]), 0.0),
        ("bin_deviation", bins([1.0, 3.0]), 50.0),
        ("cuts", bins([0.0] * 4, pacing_bps=[8.0, 4.0, 4.0, 3.0]), 1.0),
        ("jitter", bins([0.0] * 2, rtt_ms=[10.0, 30.0]), 10.0),
        ("reversals", bins([0.0] * 5, window_bytes=[1.0, 3.0, 2.0, 2.0, 4.0]), 0.2),
        ("acks", bins([0.0] * 2, received_acks=[3, 1], received_packets=[4, 4]), 50.0),
        ("bandwidth_over_throughput", bins([2.0, 0.0, 4.0], path_bandwidth_bps=[3.0, 9.0, 6.0]), 1.5),
        ("rtt_over_path_delay", bins([0.0] * 2, rtt_ms=[30.0, None], path_delay_ms=[10.0, 20.0]), 3.0),
    ],
)
def test_metrics_over_time(metric, table, expected):
    rows = RunTables(table, table, pl.DataFrame())
    assert _run.METRICS[metric].of(rows) == pytest.approx(expected)


def test_windows_count_from_when_all_flows_run():
    table = bins([0.0] * 4, window_bytes=[9000.0, 9000.0, 2000.0, 4000.0])
    flows = pl.DataFrame({"start_ns": [0, 2 * 10**9], "sent_packets": [3, 7], "sent_bytes": [3120, 7280]})
    assert _run.METRICS["window_together"].of(RunTables(flows, table, pl.DataFrame())) == pytest.approx(3.0)


def test_the_busiest_nodes_queues_are_counted_together():
    links = pl.DataFrame(
        {
            "sender": ["a", "a", "b"] * 2,
            "link": ["a > b", "a > c", "b > c"] * 2,
            "t_ns": [0] * 3 + [1] * 3,
            "queue_packets": [3.0, 2.0, 4.0, 0.0, 0.5, 0.0],
        }
    )
    rows = RunTables(pl.DataFrame(), pl.DataFrame(), links)
    named = RunTables(rows.flows, rows.bins, links.with_columns(pl.col("sender").replace({"a": "N2"})))
    assert _run.METRICS["queue_at_n2"].of(named) == pytest.approx(5.0)
    assert _run.METRICS["longest_queue"].of(rows) == pytest.approx((5.0 + 0.5) / 2)
    assert _run.METRICS["empty"].of(rows) == pytest.approx(50.0)


LONG = ("s000-capacity-mesh", "s000-collisions-readings", "s000-queue-series", "s004-constants-readings")
"""Studies whose first place takes two to six seconds; others have the same controllers, meshes and readings."""


def some_kept():
    """One study of three, but for those that are long."""
    nightly = pytest.mark.nightly("long")
    chosen = one_of(3, filter(_kept.kept, STUDIES))
    return [pytest.param(*each.values, marks=nightly if each.values[0].name in LONG else each.marks) for each in chosen]


@pytest.mark.parametrize("study", some_kept(), ids=lambda study: study.name)
def test_kept_results_are_those_of_this_code(study):
    """The first place and seed, run again, give the kept numbers; otherwise `make reproductions` renews them."""
    outcome = _kept.kept(study)
    place = outcome.places[0]
    made = {(run["arm"], run["place"]): run["metrics"] for run in _run.point(study, place, 1, outcome.seconds)}
    for run in outcome.runs:
        if run["seed"] == 1 and (run["arm"], run["place"]) in made:
            assert run["metrics"] == made[run["arm"], run["place"]], f"{study.name} is stale: make reproductions"


def _drawn(figure, runs, tmp_path):
    """What plotly gets for a figure over places 1 and 2."""
    study = dataclasses.replace(TINY, figures=(figure,), places=(1, 2))
    made = [{"arm": arm, "place": place, "seed": 1, "metrics": metrics} for (arm, place), metrics in runs.items()]
    file = tmp_path / "figure.html"
    return write_figure(study, figure, _run.Outcome([1, 2], 1.0, "1", made), file)


VALUES = {
    ("TCP", 1): {"throughput": 2.0, "rtt": 5.0},
    ("TCP", 2): {"throughput": 4.0, "rtt": 1.0},
    ("XCP", 1): {"throughput": 1.0, "rtt": 3.0},
    ("XCP", 2): {"throughput": 3.0, "rtt": 2.0},
}


def test_a_figure_draws_several_metrics_over_their_largest_values(tmp_path):
    curves = (Curve("rate", "TCP", "throughput"), Curve("delay", "XCP", "rtt"))
    drawn = _drawn(Figure("S004-fig4", "throughput", curves=curves, normalised=True), VALUES, tmp_path)
    assert [(one.name, list(one.x), list(one.y)) for one in drawn.data] == [
        ("rate", [1, 2], [0.5, 1.0]),
        ("delay", [1, 2], [1.0, 2 / 3]),
    ]


def test_a_figure_has_a_panel_per_name(tmp_path):
    curves = tuple(Curve(arm, arm, "throughput", panel=f"of {arm}") for arm in ("TCP", "XCP"))
    drawn = _drawn(Figure("S004-fig4", "throughput", curves=curves), VALUES, tmp_path)
    assert [one.yaxis for one in drawn.data] == ["y", "y2"]
    assert {"of TCP", "of XCP"} <= {note.text for note in drawn.layout.annotations}


def test_a_figure_draws_arms_across_each_other_with_a_line_between_the_ends(tmp_path):
    drawn = _drawn(Figure("S004-fig4", "throughput", across=(("TCP", "XCP"),), chord="line"), VALUES, tmp_path)
    assert [(list(one.x), list(one.y)) for one in drawn.data] == [([2.0, 4.0], [1.0, 3.0])] * 2
    assert drawn.data[1].name == "line"


def test_a_figure_draws_places_and_arms_as_a_grid_and_levels_as_lines(tmp_path):
    (grid,) = _drawn(Figure("S004-fig4", "throughput", grid=True), VALUES, tmp_path).data
    assert (list(grid.x), list(grid.y)) == (["1", "2"], ["TCP", "XCP"])
    assert [list(row) for row in grid.z] == [[2.0, 4.0], [1.0, 3.0]]
    drawn = _drawn(Figure("S004-fig4", "throughput", levels={"most": 7.0}, arms="TCP"), VALUES, tmp_path)
    assert [(one.name, list(one.y)) for one in drawn.data] == [("TCP", [2.0, 4.0]), ("most", [7.0, 7.0])]


def test_the_legend_tells_what_runs_as_printed():
    study = dataclasses.replace(TINY, arms=(Arm("XCP", "xcp", "paper"), Arm("XCP, corrected", "xcp")))
    told = [_legend(study, Curve(arm.label, arm.label, "throughput")) for arm in study.arms]
    assert told == ["XCP, paper", "XCP, corrected"]


def test_an_arm_may_have_places_of_its_own():
    study = dataclasses.replace(TINY, arms=(Arm("TCP", "new_reno"), Arm("XCP", "xcp", places=(2,))))
    assert [[run["arm"] for run in _run.point(study, place, 1, 1.0)] for place in (1, 2)] == [["TCP"], ["TCP", "XCP"]]


def test_every_curve_is_of_an_arm_and_a_metric():
    for study in STUDIES:
        labels = {arm.label for arm in study.arms}
        for figure in study.figures:
            drawn = figure.drawn(study.arms)
            assert drawn or figure.across, f"{figure.item} draws nothing"
            assert {curve.arm for curve in drawn} <= labels
            assert {curve.metric for curve in drawn} <= set(_run.METRICS)
            assert {label for pair in figure.across for label in pair} <= labels
