"""Rankings in words: unusual recordings first, and which controller did best."""

from __future__ import annotations

import polars as pl

from winf_analyzer._report.cohort import cohort
from winf_analyzer._report.figure import ReportContext
from winf_analyzer._report.panels import layout
from winf_analyzer._report.ranking import ranking

YEAR_NS = 365 * 86_400 * 10**9
COHORT = next(panel for panel in layout().panels if panel.name == "cohort")


def recordings(*retries: float) -> pl.DataFrame:
    rows = [
        {
            "source": f"{place}.pcap", "first_ns": (45 + place) * YEAR_NS, "duration_s": 30.0, "channel_mhz": 2437,
            "frames": 100, "bssids": 3, "airtime_share": 0.2, "data_share": 0.5, "retry_share": retry,
            "heard_share": None, "verdict": "good",
        }
        for place, retry in enumerate(retries)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"heard_share": pl.Float64})


def test_recordings_that_differ_come_first():
    drawn = cohort(COHORT, recordings(0.1, 0.11, 0.09, 0.6, 0.1, 0.12), ReportContext(1.0)).table
    first = [cell.text for cell in drawn.rows[0]]
    assert first[:5] == ["3.pcap", "retransmissions high", "2017-12-20 00:00:00", "30", "6 (2.4 GHz)"]
    assert [row[0].text for row in drawn.rows[1:]] == ["0.pcap", "1.pcap", "2.pcap", "4.pcap", "5.pcap"]
    assert {row[1].text for row in drawn.rows[1:]} == {""}


def test_a_few_recordings_have_no_usual_value_and_one_is_no_cohort():
    drawn = cohort(COHORT, recordings(0.1, 0.1, 0.1, 0.9), ReportContext(1.0)).table
    assert {row[1].text for row in drawn.rows} == {""}
    assert cohort(COHORT, recordings(0.1), ReportContext(1.0)).table is None


def runs(*rows: tuple) -> pl.DataFrame:
    schema = ["replay_id", "mode", "controller", "flow", "throughput_mbps", "low_mbps", "high_mbps"]
    flows = pl.DataFrame([("r", "corrected", *row) for row in rows], schema=schema, orient="row")
    return flows.with_columns(of_run_mbps=pl.col("throughput_mbps"), run_s=20.0)


def test_the_best_controller_and_how_sure():
    (sure,) = ranking(runs(("xcp", "a", 5.0, 4.5, 5.5), ("rcp", "a", 3.0, 2.0, 4.0), ("max_min", "a", 9.0, 9.0, 9.0)))
    assert sure.startswith(
        "xcp delivered most over the whole run of 20 s, 5 Mb/s (90 % interval 4.5 to 5.5), more than every other"
    )
    (unsure,) = ranking(runs(("xcp", "a", 5.0, 3.5, 5.5), ("rcp", "a", 3.0, 2.0, 4.0), ("wcp", "a", 1.0, 0.5, 2.0)))
    assert unsure.endswith("the intervals of rcp overlap it, so that they may be as good.")
    (unknown,) = ranking(runs(("xcp", "a", 5.0, None, None), ("rcp", "a", 3.0, None, None)))
    assert "no intervals were drawn" in unknown


def test_a_flow_counts_for_as_long_as_it_runs():
    short = runs(("xcp", "a", 9.0, 8.0, 10.0), ("rcp", "a", 3.0, 2.0, 4.0))
    short = short.with_columns(of_run_mbps=pl.when(pl.col("controller") == "xcp").then(1.5).otherwise(3.0))
    (sentence,) = ranking(short)
    assert sentence.startswith(
        "rcp delivered most over the whole run of 20 s, 3 Mb/s (90 % interval 2 to 4), more than every"
    )
