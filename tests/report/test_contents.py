"""Panels' numbers: the windows chosen, the questions' arithmetic, what is left out."""

from __future__ import annotations

from contextlib import closing

import polars as pl
import pytest

from winf_analyzer import sql
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._report.contents import Asker
from winf_analyzer._report.panels import layout
from winf_analyzer._sql.named_queries import question
from winf_analyzer._sql.query import connect


def contents(dataset: Dataset) -> dict[str, object]:
    with closing(connect(dataset)) as connection:
        asker = Asker(connection, dataset.tables)
        return {panel.name: asker.content(panel) for panel in layout().panels}


def headlines(dataset: Dataset) -> dict[str, str]:
    with closing(connect(dataset)) as connection:
        asker = Asker(connection, dataset.tables)
        return {entry.label: asker.headline(entry).value for entry in layout().headlines}


def test_the_window_suits_the_span(synthetic):
    drawing = contents(synthetic(seconds=8))["channel_busy"].drawing
    assert drawing.notes == ["Each point covers 0.05 s and stands in its middle."]
    assert drawing.figures[0]["data"][0]["x"][0] == 0.025


def test_headlines_are_the_datasets_numbers(synthetic):
    """Station 1 fails 4 of 40, station 2 2 of 20, station 3 1 of 13 a second; every eighth frame is a retry."""
    said = headlines(synthetic(seconds=1))
    assert said["Frames"] == "73"
    assert said["Exchanges answered"] == f"{100 * 66 / 73:.4g}"
    assert said["Retries"] == f"{100 * 9 / 73:.4g}"


def test_headlines_of_nothing_are_unknown(synthetic):
    said = headlines(synthetic(stations=0, without=("estimates",)))
    assert said.pop("Frames") == "0"
    assert set(said.values()) == {"unknown"}


def test_no_answer_recorded_is_not_no_answer_given(synthetic):
    dataset = synthetic()
    dataset.replace_table("exchanges", dataset.scan("exchanges").with_columns(complete=pl.lit(False)).collect())
    assert sql(dataset, question("totals"))["complete_share"].to_list() == [None]


def test_airtime_of_a_station_is_what_its_best_recorder_heard(synthetic):
    dataset = synthetic(stations=1, seconds=1)
    heard = dataset.scan("exchanges").collect()
    worse = heard.head(3).with_columns(source=pl.lit("far.pcap"), observer=pl.lit("node-9"))
    dataset.replace_table("exchanges", pl.concat([heard, worse]))
    rows = sql(dataset, question("station_airtime"))
    assert rows["source"].unique().to_list() == ["office.pcap"]
    assert rows["exchanges"].sum() == 40
    assert rows["airtime_ms"].sum() == pytest.approx(40 * 2.293273, abs=0.01)


@pytest.mark.parametrize(("points", "windows"), [(100, 8), (4, 4), (3, 3), (1, 1)])
def test_more_windows_than_points_are_averaged(synthetic, points, windows):
    rows = sql(synthetic(stations=1), question("link_estimates"), parameters={"points": points})
    one = rows.filter(estimator="rt_winf", mode="paper", state="sender")
    assert one.height == windows
    assert one["exchanges"].sum() == 8 * 37


def test_links_are_ranked_by_samples_and_the_rest_is_told(synthetic):
    content = contents(synthetic(stations=60, seconds=2, uses=60))["link_estimates"]
    assert len(content.drawing.choices["links"]) == 24
    assert content.drawing.choices["links"][0]["label"] == "02:00:00:00:01:01 → 02:00:00:00:00:01"
    assert "The 24 busiest of 60 links; the `estimates` table has all." in content.drawing.notes


def test_untrustworthy_numbers_are_said_not_drawn(synthetic):
    dataset = synthetic()
    unknown = pl.lit(None, pl.Int64)
    dataset.replace_table("exchanges", dataset.scan("exchanges").with_columns(start_ns=unknown).collect())
    dataset.replace_table("frames", dataset.scan("frames").with_columns(retry=pl.lit(None, pl.Boolean)).collect())
    said = {name: content.message for name, content in contents(dataset).items()}
    assert said["channel_busy"] == "No TSF and no rates: airtime is unknown, so the busy share cannot be told."
    assert said["station_airtime"] == "No TSF and no rates: airtime is unknown."
    assert said["retries"] == "The recording does not hold the Retry bit, so retries cannot be told from it."


def test_recordings_of_different_days_share_no_axis(synthetic):
    dataset = synthetic(seconds=2)
    day = 86_400 * 10**9
    monday = dataset.scan("exchanges").collect()
    later = [pl.col("start_ns") + day, pl.col("end_ns") + day, pl.lit("tuesday.pcap").alias("source")]
    dataset.replace_table("exchanges", pl.concat([monday, monday.with_columns(later)]))
    drawing = contents(dataset)["channel_busy"].drawing
    assert drawing.notes == ["Each point covers 0.02 s and stands in its middle."]
    first, second = (trace["x"] for trace in drawing.figures[0]["data"])
    assert max(first) == pytest.approx(max(second), abs=0.02)
    assert max(first) < 2


def test_time_counts_from_the_first_exchange_even_where_that_has_no_end(synthetic):
    dataset = synthetic(seconds=2)
    known = dataset.scan("exchanges").collect()
    day = 86_400 * 10**9
    early = known.head(1).with_columns(
        source=pl.lit("early.pcap"), start_ns=pl.col("start_ns") - day, end_ns=pl.lit(None, pl.Int64)
    )
    dataset.replace_table("exchanges", pl.concat([known, early]))
    xs = contents(dataset)["channel_busy"].drawing.figures[0]["data"][0]["x"]
    assert 86_400 <= xs[0] < 86_402
