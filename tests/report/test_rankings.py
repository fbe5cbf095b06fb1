"""Rankings in words: unusual recordings first, and which controller did best."""

from __future__ import annotations

import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._report import played
from winf_analyzer._report.charts.cohort import cohort
from winf_analyzer._report.charts.ranking import ranking
from winf_analyzer._report.figure import ReportContext
from winf_analyzer._report.panels import layout

YEAR_NS = 365 * 86_400 * 10**9
COHORT = next(panel for panel in layout().panels if panel.name == "cohort")


def recordings(*retries: float) -> pl.DataFrame:
    rows = [
        {
            "source": f"{place}.pcap", "first_ns": (45 + place) * YEAR_NS, "duration_s": 30.0, "channel_mhz": 2437,
            "frames": 100, "bssids": 3, "busy_share": 0.2, "data_share": 0.5, "retry_share": retry,
            "heard_share": None, "verdict": "good",
        }
        for place, retry in enumerate(retries)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"heard_share": pl.Float64})


def test_recordings_that_differ_come_first():
    drawn = cohort(COHORT, recordings(0.1, 0.11, 0.09, 0.6, 0.1, 0.12), ReportContext(1.0)).table
    first = [cell.text for cell in drawn.rows[0]]
    assert first[0] == "3.pcap"
    assert first[6:9] == ["2017-12-20 00:00:00", "6 (2.4 GHz)", "30"]
    assert [row[0].text for row in drawn.rows[1:]] == ["0.pcap", "1.pcap", "2.pcap", "4.pcap", "5.pcap"]
    assert [row[0].detail for row in drawn.rows] == ["retries high", *[""] * 5]


def test_a_recording_of_many_says_its_first_finding():
    drawn = cohort(COHORT, recordings(0.1, 0.1), ReportContext(1.0, findings={"1.pcap": "The channel is full"})).table
    assert drawn.columns[1].title == "First finding"
    assert [row[1].text for row in drawn.rows] == ["–", "The channel is full"]


def test_a_few_recordings_have_no_usual_value_and_one_is_no_cohort():
    drawn = cohort(COHORT, recordings(0.1, 0.1, 0.1, 0.9), ReportContext(1.0)).table
    assert {row[0].detail for row in drawn.rows} == {""}
    assert cohort(COHORT, recordings(0.1), ReportContext(1.0)).table is None


def runs(*rows: tuple) -> pl.DataFrame:
    schema = ["replay_id", "mode", "controller", "flow", "throughput_mbps", "low_mbps", "high_mbps"]
    flows = pl.DataFrame([("r", "corrected", *row) for row in rows], schema=schema, orient="row")
    unknown = pl.lit(None, pl.Float64)
    return flows.with_columns(
        of_run_mbps=pl.col("throughput_mbps"),
        run_s=20.0,
        all_low_mbps=unknown,
        all_high_mbps=unknown,
        converged=pl.lit(value=True),
        known_seeds=1,
    )


def test_the_best_controller_and_how_sure():
    (sure,) = ranking(runs(("xcp", "a", 5.0, 4.5, 5.5), ("rcp", "a", 3.0, 2.0, 4.0), ("max_min", "a", 9.0, 9.0, 9.0)))
    assert sure.startswith(
        "xcp delivered most to all flows together, 5 Mb/s on average of the whole run of 20 s, also while no flow runs "
        "(90 % interval 4.5 to 5.5 Mb/s), more than every other"
    )
    (unsure,) = ranking(runs(("xcp", "a", 5.0, 3.5, 5.5), ("rcp", "a", 3.0, 2.0, 4.0), ("wcp", "a", 1.0, 0.5, 2.0)))
    assert unsure.endswith("the intervals of rcp overlap it, so that they may be as good.")
    (unknown,) = ranking(runs(("xcp", "a", 5.0, None, None), ("rcp", "a", 3.0, None, None)))
    assert "no intervals were drawn" in unknown
    for low, high in ((4.5, 15.1), (1.66, 5.5)):
        (wide,) = ranking(runs(("xcp", "a", 5.0, low, high), ("rcp", "a", 3.0, 2.0, 4.0)))
        assert wide.endswith(f"the recording does not determine it: the 90 % interval is {low} to {high} Mb/s.")


def test_a_flow_counts_for_as_long_as_it_runs():
    short = runs(("xcp", "a", 9.0, 8.0, 10.0), ("rcp", "a", 3.0, 2.0, 4.0))
    short = short.with_columns(of_run_mbps=pl.when(pl.col("controller") == "xcp").then(1.5).otherwise(3.0))
    (sentence,) = ranking(short)
    assert sentence.startswith("rcp delivered most to all flows together, 3 Mb/s on average of the whole run of 20 s")
    assert "(90 % interval 2 to 4 Mb/s), more than every" in sentence


def test_flows_that_share_a_channel_have_an_interval_of_their_sum():
    flows = runs(("xcp", "a", 5.0, 1.0, 9.0), ("xcp", "b", 4.0, 0.0, 9.0), ("rcp", "a", 3.0, 2.0, 4.0))
    known = pl.when(controller="xcp")
    flows = flows.with_columns(all_low_mbps=known.then(8.0), all_high_mbps=known.then(9.5))
    (sentence,) = ranking(flows)
    assert "9 Mb/s on average" in sentence
    assert "(90 % interval 8 to 9.5 Mb/s), more than every other" in sentence


def test_who_still_changed_when_flows_ended_is_named():
    flows = runs(("xcp", "a", 5.0, 4.5, 5.5), ("wcp", "a", 0.1, 0.1, 0.2), ("wcp", "b", 0.1, 0.1, 0.2))
    _, sentence = ranking(flows.with_columns(converged=pl.col("controller") == "xcp"))
    assert sentence.startswith("wcp had not converged when flows ended: throughput or pacing rate still changed.")


def test_who_may_have_converged_or_not_is_named():
    flows = runs(*((name, flow, 5.0, 4.5, 5.5) for name in ("bbr", "cubic", "max_min") for flow in "ab"))
    known = (pl.col("controller") == "cubic") & (pl.col("flow") == "a")
    flows = flows.with_columns(converged=pl.when(known).then(pl.lit(value=True)), known_seeds=known.cast(pl.Int64))
    *_, sentence = ranking(flows)
    assert sentence.startswith("Whether bbr had converged when flows ended is not known: the flows are short, ")


def test_a_sweep_says_what_was_varied_and_which_points_are_best():
    schema = ["sweep", "varied", "world", "controller", "others", "value", "seeds", "throughput_mbps"]
    schema += ["throughput_ci_mbps", "delay_ms"]
    rows = [
        ("s", "queue", "stack", "cubic", '{"loss": 0.05}', 10.0, 5, 1.0, 0.1, 40.0),
        ("s", "queue", "stack", "cubic", '{"loss": 0.0}', 50.0, 5, 1.2, 0.1, 120.0),
        ("s", "queue", "stack", "wcp", '{"loss": 0.0}', 10.0, 4, 0.4, None, 15.0),
    ]
    assert played.sentences(None, pl.DataFrame(rows, schema, orient="row")) == [
        "Sweep s: cubic and wcp in stack, queue 10 to 50, 4 to 5 seeds per point.",
        "cubic with queue 50, loss 0 delivered most, 1.2\u00a0Mb/s (95 % interval 1.1\u00a0Mb/s to 1.3\u00a0Mb/s) "
        "with a mean delay of 120 ms.",
        "wcp with queue 10, loss 0 delayed least: 0.4\u00a0Mb/s with a mean delay of 15 ms.",
    ]
    assert played.sentences(pl.DataFrame(schema=["replay_id"]), None) == []


def test_seeds_give_the_intervals_of_a_declared_world(tmp_path):
    winf_analyzer.replay(topology="chain:2", controllers=["new_reno"], duration="2s", seeds=3, output=tmp_path / "run")
    panel = next(panel for panel in layout().panels if panel.name == "replay_throughput")
    (row,) = winf_analyzer.sql(tmp_path / "run", panel.sql).iter_rows(named=True)
    rates = winf_analyzer.sql(tmp_path / "run", "select throughput_bps / 1e6 from replay_summary").to_series()
    half = 2.919986 * rates.std() / 3**0.5  # Student's t with two degrees of freedom, 95 %
    assert row["throughput_mbps"] == pytest.approx(rates.mean())
    assert (row["low_mbps"], row["high_mbps"]) == pytest.approx((rates.mean() - half, rates.mean() + half), rel=1e-4)


def test_a_replay_says_who_starves_flows():
    rows = runs(
        ("xcp", "a", 5.0, 4.5, 5.5),
        ("xcp", "b", 0.0, 0.0, 0.0),
        ("wcp", "a", 1.0, 0.9, 1.1),
        ("wcp", "b", 1.0, 0.9, 1.1),
    )
    first, best, fair = played.sentences(rows, None)
    assert first == "xcp and wcp were replayed in r with 2 flows for 20 s."
    assert best.startswith("xcp delivered most")
    assert fair == "wcp shares most evenly between the flows (Jain's index 1.00), xcp least (0.50)."
