"""The accuracy study: its grid and its words here, one tiny scenario of it where ns-3 is installed."""

import dataclasses
import sys
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from folders import ROOT

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.accuracy import document, figures, recorders, runs, scoring, summary
from benchmarks.accuracy.held_out import held_out
from benchmarks.accuracy.parts import PARTS, everything, parts, sample
from benchmarks.accuracy.scenario_list import listed_runs
from benchmarks.accuracy.scenarios import development, scenarios


def test_the_grid_covers_what_it_should():
    grid = scenarios()
    assert len(grid) >= 40
    assert len({scenario.name for scenario in grid}) == len(grid)
    assert {scenario.group for scenario in grid} == set(summary.GRID)
    assert set(summary.GROUPS) == set(summary.GOALS)
    assert {scenario.rts for scenario in grid} == {False, True}
    assert min(scenario.links for scenario in grid) == 1
    assert max(scenario.links for scenario in grid) == 8
    assert max(scenario.load for scenario in grid) == 0.9


def test_every_group_is_split_in_halves_by_name_alone():
    grid = scenarios()
    chosen = development(grid)
    assert chosen == development(list(reversed(grid)))
    for group in summary.GRID:
        names = {scenario.name for scenario in grid if scenario.group == group}
        assert len(names & chosen) == len(names) // 2


def test_what_is_held_out_is_new_and_large_enough_in_every_group():
    grid, new = scenarios(), held_out()
    assert len(new) >= 40
    assert not {scenario.name for scenario in grid} & {scenario.name for scenario in new}
    seeds = {scenario.arguments()[-1] for scenario in grid}
    assert not seeds & {scenario.arguments()[-1] for scenario in new}
    for group in summary.GRID:
        assert sum(scenario.group == group for scenario in new) >= 6


def test_every_scenario_belongs_to_one_part():
    part_of = parts()
    assert set(part_of) == {scenario.name for scenario in everything()}
    assert set(part_of.values()) == set(PARTS)
    listed = {run.name for run in listed_runs("development")}
    assert {name for name, part in part_of.items() if part == "development"} == development(scenarios()) | listed


def test_the_lists_of_real_use_have_eight_runs_of_each_group_or_more():
    more = {
        "development": Counter(
            pair=29, tcp_probe=11, unheard=13, sniffer=4, combined=25, adhoc_aggregates=2, drawn=90, pauses=4
        ),
        "held_out": Counter(combined=4, drawn=53, pauses=4),
    }
    for part, added in more.items():
        assert Counter(run.group for run in listed_runs(part)) == Counter(dict.fromkeys(summary.REAL_USE, 8)) + added
    names = [scenario.name for scenario in everything()]
    assert len(set(names)) == len(names)


def test_the_sample_has_two_runs_of_each_group_and_part():
    chosen, part_of = sample(), parts()
    members = Counter((run.group, part_of[run.name]) for run in everything() if run.name in chosen)
    assert members == dict.fromkeys(product(summary.GROUPS, ("development", "held_out")), 2)


def test_what_is_held_out_of_real_use_differs_by_kind():
    """But for what was drawn: there the kinds are those of chance."""
    development_kinds, held_out_kinds = (
        {
            (run.group, run.phy, run.rate_control, run.clock, run.arrivals)
            for run in listed_runs(part)
            if run.group != "drawn"
        }
        for part in ("development", "held_out")
    )
    assert len(held_out_kinds - development_kinds) > 0.8 * len(held_out_kinds)


def conditions(run):
    """What of a run is unlike the sender's own recording of a few stations of one rate in range of one another."""
    differ = ("simulator", "arrivals", "probe", "rate_control", "category", "direction", "sniffer", "clock", "missed")
    differ += ("unheard", "loss", "background_phy", "recorded_ms")
    plain = {field.name: field.default for field in dataclasses.fields(run)}
    found = {name for name in differ if getattr(run, name) != plain[name]}
    network = {"hidden": run.topology == "hidden", "crowd": run.links >= 12}
    return frozenset(found | {name for name, there in network.items() if there})


def test_combined_runs_combine_and_what_is_held_out_combines_other_conditions():
    improved, judged = (
        {run.name: conditions(run) for run in listed_runs(part) if run.group == "combined"}
        for part in ("development", "held_out")
    )
    assert all(len(found) >= 2 for found in (*improved.values(), *judged.values()))
    assert not set(improved.values()) & set(judged.values())


def test_loss_and_other_rates_reach_either_simulator_and_change_no_other_run():
    plain = listed_runs("development")[0]
    lossy = dataclasses.replace(plain, phy="g54", loss=0.1, background_phy="g6")
    assert {"loss": 0.1, "backgroundMode": "ErpOfdmRate6Mbps"}.items() <= lossy.arguments().items()
    assert lossy.arguments()["background"] < dataclasses.replace(lossy, background_phy="").arguments()["background"]
    traced = dataclasses.replace(plain, simulator="ns2", phy="b11", loss=0.1, background_phy="b2")
    assert {"loss": 0.1, "backgroundRate": 2e6}.items() <= traced.arguments().items()
    # What is kept of a simulation is found by its options.
    assert not plain.arguments()["loss"]
    assert not {"loss", "backgroundRate"} & set(dataclasses.replace(traced, loss=0, background_phy="").arguments())


@pytest.fixture
def scores():
    keys = [
        {
            "estimator": estimator,
            "mode": "corrected",
            "context": context,
            "part": part,
            "group": group,
            "window": window,
        }
        for estimator, window in (
            ("saturation", "1s"),
            ("rt_winf", "1s"),
            *(("recommended", w) for w in scoring.WINDOWS),
        )
        for context in scoring.CONTEXTS
        for part in PARTS
        for group in summary.GROUPS
    ]
    return pl.DataFrame(
        [
            key
            | {"scenario": f"{key['group']}-{key['part']}", "window_start_ns": 10**9, "truth_bps": 2e6}
            | {"available_bps": 2.2e6, "available_low_bps": 1.9e6, "available_high_bps": 2.4e6, "capacity_bps": 5e6}
            for key in keys
        ]
    )


def test_errors_coverage_and_what_is_declined(scores):
    errors = summary.errors(summary.runs(scores))
    assert errors["median"].to_list() == pytest.approx([0.1] * errors.height)
    answers = summary.answers(scores)
    assert set(answers["coverage"]) == {1.0}
    assert set(answers["declined"]) == {0.0}
    assert answers["width"].to_list() == pytest.approx([0.25] * answers.height)
    assert "all" in set(answers["group"])
    none = scores.with_columns(available_bps=pl.lit(None, pl.Float64))
    assert set(summary.answers(none)["declined"]) == {1.0}
    assert summary.answers(none)["coverage"].is_null().all()


def test_an_answer_without_an_interval_covers_nothing(scores):
    bare = scores.with_columns(available_low_bps=pl.lit(None, pl.Float64))
    assert set(summary.answers(bare)["coverage"]) == {0.0}


def test_the_document_and_the_figures_are_written(scores, tmp_path):
    document.write(scores, everything(), tmp_path / "accuracy.md")
    figures.write(summary.runs(scores), summary.errors(summary.runs(scores)), tmp_path)
    text = (tmp_path / "accuracy.md").read_text(encoding="utf-8")
    assert "| `saturation` corrected | 10 % / 10 % |" in text
    assert "{{" not in text
    for name in ("accuracy_truth.svg", "accuracy_error.svg"):
        assert (tmp_path / name).read_text(encoding="utf-8").endswith("</svg>\n")


def test_the_document_says_which_goals_are_missed(scores, tmp_path):
    path = tmp_path / "accuracy.md"
    rows = scores.filter(context="inferred")
    hundred = pl.concat([rows.with_columns(number=pl.lit(number)) for number in range(100)])
    document.write(hundred, everything(), path)
    # All of a hundred intervals hold the truth, which is too many, and an error of 10 % is twice the goal.
    assert "- ns-2: error 10.0 % / 10.0 %, coverage 100 % (100ms), coverage 100 % (1s)" in path.read_text("utf-8")
    missed = pl.when(pl.col("number") < 10).then(pl.col("truth_bps") + 1).otherwise("available_low_bps")
    perfect = hundred.with_columns(available_bps=pl.col("truth_bps"), available_low_bps=missed)
    document.write(perfect, everything(), path)
    assert "meets every goal" in path.read_text("utf-8")


def test_the_document_has_errors_of_tcp_flows_with_their_start_and_names_slow_ones(scores, tmp_path):
    flows = scores.filter(group="tcp_probe").with_columns(started_bps=pl.lit(1.0e6))
    quick = flows.with_columns(started_bps=pl.lit(1.95e6), scenario=pl.lit("quick"))
    others = scores.filter(pl.col("group") != "tcp_probe").with_columns(started_bps=pl.lit(None, pl.Float64))
    document.write(pl.concat([others, flows, quick]), [], tmp_path / "accuracy.md")
    text = (tmp_path / "accuracy.md").read_text(encoding="utf-8")
    assert "the first 2.4 s of every flow are omitted" in " ".join(text.split())
    assert "| held out | 4 | 10 % / 10 % | 66 % / 120 % |" in text
    assert "| `tcp_probe-held_out` | held out | 2.0 | 1.0 | 2.2 |" in text
    assert "`quick`" not in text.split("### The start of a TCP flow")[1].split("### Each kind")[0]


def test_a_coverage_is_missed_beyond_chance_alone():
    assert not summary.misses_coverage(2, 2)
    assert not summary.misses_coverage(1, 2)
    assert not summary.misses_coverage(90, 100)
    assert not summary.misses_coverage(82, 100)
    assert summary.misses_coverage(75, 100)
    assert summary.misses_coverage(100, 100)
    assert not summary.misses_coverage(9_100, 10_000)
    assert summary.misses_coverage(8_400, 10_000)
    assert summary.misses_coverage(9_800, 10_000)


def test_the_section_of_real_recordings_stays_when_the_document_is_made_again(scores, tmp_path):
    path = tmp_path / "accuracy.md"
    document.write(scores, everything(), path)
    document.replace_section(path, "two spells\n")
    document.write(scores, everything(), path)
    assert document.section(path) == "two spells\n"
    with pytest.raises(ValueError, match="no section"):
        document.replace_section(tmp_path / "absent.md", "")


@pytest.fixture
def compiled_once(monkeypatch):
    """The program of the study stays below target/, by its sources: to compile it takes longer than to run it."""
    build = runs.build
    monkeypatch.setattr(runs, "build", lambda _: build(ROOT / "target" / "simulators"))


@pytest.mark.skipif(runs.ns3_version() is None, reason="ns-3 is not installed")
@pytest.mark.usefixtures("compiled_once")
def test_a_tiny_scenario_is_simulated_kept_and_scored(tmp_path):
    scenario = replace(next(s for s in scenarios() if s.name == "pair-b11-adhoc-basic-1x0"), seconds=2)
    (run,) = runs.run_all([scenario], tmp_path, 1)
    assert run.mac == {"slot_us": 20, "sifs_us": 10, "aifsn": 2, "cw_min": 31, "cw_max": 1023}
    assert scoring.truth(run, "1s")["truth_bps"].to_list() == pytest.approx([5.8e6, 5.8e6], rel=0.05)
    assert scoring.truth(run, "whole")["truth_bps"].to_list() == pytest.approx([5.8e6], rel=0.05)
    assert scoring.truth(run, "100ms").height == 20
    kept = run.capture.stat().st_mtime_ns
    assert runs.run_all([scenario], tmp_path, 1)[0].capture.stat().st_mtime_ns == kept
    scores = scoring.score(run, "development")
    assert set(scores.filter(estimator="recommended")["window"]) == set(scoring.WINDOWS)
    found = scores.filter(estimator="saturation", mode="corrected")
    assert set(found["context"]) == set(scoring.CONTEXTS)
    assert (found["available_bps"] / found["truth_bps"] - 1).abs().max() < 0.05


@pytest.mark.parametrize(
    ("beside", "truth"), [([1e6, 1e6], [5e6, 3e6]), ([0, 1e6], [4.375e6, 2.625e6]), ([0, 0], [3.75e6, 2.25e6])]
)
def test_what_the_light_flow_loses_in_the_filled_queue_is_not_added(beside, truth):
    def flow(*bps):
        return pl.DataFrame({"window_start_ns": [0, 1], "truth_bps": [float(each) for each in bps]})

    saturated = {"saturating": flow(5e6, 3e6), "light": flow(*beside)}
    assert runs.added(saturated, {"light": flow(2e6, 0)})["truth_bps"].to_list() == truth


def test_of_a_tcp_flow_the_truth_is_what_follows_its_start_and_the_other_stays_beside_it():
    flow = next(run for run in listed_runs("development") if run.probe == "tcp")
    starts = [recorders.START_NS + number * recorders.SECOND_NS for number in range(flow.seconds + flow.omitted_s)]
    stalled = [0.0] * flow.omitted_s + [5.0] * flow.seconds
    truth, started_bps = runs._established(pl.DataFrame({"window_start_ns": starts, "truth_bps": stalled}), flow)
    assert truth["truth_bps"].to_list() == [5.0] * flow.seconds
    assert started_bps == pytest.approx(5.0 * (flow.seconds - flow.omitted_s) / flow.seconds)
    other = next(run for run in listed_runs("development") if run.probe == "udp")
    assert runs._established(truth, other) == (truth, None)


@pytest.mark.parametrize(("beside", "missing"), [(0.0, ["background_tcp"]), (1e5, [])])
def test_a_neighbour_that_is_gone_in_the_second_run_makes_it_no_truth(beside, missing):
    def flows(background: float) -> dict[str, pl.DataFrame]:
        rates = {"light": 1e6, "saturating": 0.0, "background": 0.0, "background_tcp": background}
        return {flow: pl.DataFrame({"window_start_ns": [0], "truth_bps": [rate]}) for flow, rate in rates.items()}

    assert runs.missing_neighbours(flows(4e6), flows(beside)) == missing
