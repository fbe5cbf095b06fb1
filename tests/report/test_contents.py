"""Panels' numbers: the windows chosen, the questions' arithmetic, what is left out."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pcaps
import polars as pl
import pytest
from folders import SAMPLES

from winf_analyzer import ingest, sql, why
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._names import Names
from winf_analyzer._report import summary, where
from winf_analyzer._report.charts import tables
from winf_analyzer._report.contents import PanelData
from winf_analyzer._report.findings import findings, scope
from winf_analyzer._report.head import Head, head
from winf_analyzer._report.panels import layout
from winf_analyzer._sql.named_queries import named_query
from winf_analyzer._sql.query import connect
from winf_analyzer._sql.views import stated_height


def contents(dataset: Dataset) -> dict[str, object]:
    with closing(connect(dataset)) as connection:
        data = PanelData(connection, dataset.tables)
        return {content.panel.name: content for content in data.contents(layout().panels)}


def first_screen(dataset: Dataset) -> Head:
    with closing(connect(dataset)) as connection:
        return head(dataset, PanelData(connection, dataset.tables))


def test_heights_of_tables_tell_what_queries_would(demo_dataset):
    heights = {table: stated_height(demo_dataset, table) for table in demo_dataset.tables}
    assert 0 in heights.values()
    met = []
    for known in ({}, heights):
        with closing(connect(demo_dataset)) as connection:
            met.append(PanelData(connection, demo_dataset.tables, known)._conditions_met(layout().panels))
    assert met[0] == met[1]


@pytest.fixture
def sampled(tmp_path):
    return lambda name: ingest([SAMPLES / name], tmp_path / f"{Path(name).stem}.winf")


def test_the_window_suits_the_span(synthetic):
    drawing = contents(synthetic(seconds=8))["channel_busy"].drawing
    assert drawing.notes == ["Each point covers 0.05 s and is plotted at its centre."]
    assert drawing.figures[0]["data"][0]["x"][0] == 0.025


def test_the_sentences_are_the_datasets_numbers(synthetic):
    """In one second: station 1 uses the medium 40 times, 2 20 times, 3 13 times; every eighth frame is a retry."""
    said = first_screen(synthetic(seconds=1)).sentences
    assert said[0].startswith("The channel was busy for at least 18\u00a0% of the time; of that airtime")
    assert said[1].startswith("Which network used the airtime is unknown")
    assert said[3] == "12\u00a0% of the 73 recorded unicast data frames were retransmissions."
    assert said[4].startswith("How much the recorder missed cannot be measured")


def test_without_unicast_data_it_is_said_what_retransmissions_lack():
    totals = pl.DataFrame({"retry_share": [None]}, schema={"retry_share": pl.Float64})
    told = summary._retries({"totals": totals, "retry_rate_by_link": None}.get, Names())
    assert told == "Retransmissions are unknown: no unicast data frame with a readable Retry bit was recorded."


def test_nothing_sent_again_is_said_of_a_single_frame_too():
    totals, links = pl.DataFrame({"retry_share": [0.0]}), pl.DataFrame({"frames": [1], "retry_share": [0.0]})
    said = summary._retries({"totals": totals, "retry_rate_by_link": links}.get, str)
    assert said == "No retransmission is among the recorded unicast data frames (1)."


def test_a_radio_that_hops_does_not_hear_one_channel():
    totals = pl.DataFrame({"busy_share": [0.5], "recordings": [1]})
    found = {"totals": totals, "airtime": pl.DataFrame({"class": ["data"], "airtime_ms": [1.0]})}
    of = lambda *frames: summary._channel(found.get, dict(zip((2412, 2437, 5180), frames, strict=False)))  # noqa: E731
    assert of(100, 60, 3).startswith("Of 3 channels the one that was listened to was busy for at least 50")
    assert of(100, 3) == of(100) == of(), "strays"
    assert of(100).startswith("The channel was busy for at least")


def test_of_what_was_missed_only_numbers_and_answers_tell():
    audit = {"check": ["completeness"], "value": [0.0019], "verdict": ["unusable"]}
    said = summary._heard({"audit": pl.DataFrame(audit)}.get)
    assert said.startswith("Of the frames that sequence numbers or answers tell of, the recorder has about 0.19\u00a0%")
    assert said.endswith(", so airtimes are lower bounds.")
    unknown = {"audit": pl.DataFrame(audit), "totals": pl.DataFrame({"busy_share": [None]})}
    assert summary._heard(unknown.get).endswith("0.19\u00a0%."), "no airtime is known"


def test_times_that_nothing_checks_are_not_called_good():
    audit = {"source": "a", "check": ["sifs", "completeness"], "value": [None, 0.99], "verdict": ["unusable", "good"]}
    audit["consequence"] = ["timing unusable: no gaps between frames", "none"]
    assert where._audit(pl.DataFrame(audit)) == "unusable: timing unusable: no gaps between frames"


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        (
            (0.3, 0.1),
            "20\u00a0% of the 179 recorded unicast data frames were retransmissions; most on a → x: 30\u00a0% of 50.",
        ),
        (
            (0.1, 0.0),
            "20\u00a0% of the 179 recorded unicast data frames were retransmissions; more on links with fewer than 50 "
            "data frames.",
        ),
    ],
)
def test_the_worst_link_is_named_where_it_is_worse_than_all(shares, said):
    links = {"transmitter": ["a", "b", "c"], "receiver": "x", "retry_share": [*shares, 0.9], "frames": [50, 80, 49]}
    found = {"totals": pl.DataFrame({"retry_share": [0.2]}), "retry_rate_by_link": pl.DataFrame(links)}
    assert summary._retries(found.get, str) == said


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0044, "0.44"), (0.0994, "9.9"), (0.4, "40"), (0.9949, "99"), (0.9956, "99.6"), (0.99999, "99.9")],
)
def test_nearly_all_is_not_all(share, text):
    assert summary._percent(share) == f"{text}\u00a0%"
    assert summary._percent(1.0) == "100\u00a0%"


def test_the_head_tells_when_and_where(synthetic):
    dataset = synthetic(seconds=1)
    facts = dict(first_screen(dataset).facts)
    assert facts["When"].startswith("unknown: the time stamps count from the start")
    assert (facts["Channel"], facts["Recorded by"][:20]) == ("channel 1 (2.4 GHz)", "an anonymous sniffer")
    counts = dataset.metadata["inputs"][0]["counts"]
    counts["first_ns"], counts["last_ns"] = 1_520_532_171 * 10**9, 1_520_532_201 * 10**9
    facts = dict(first_screen(dataset).facts)
    assert (facts["When"], facts["Duration"]) == ("2018-03-08 18:02:51 to 18:03:21 UTC", "30 s")


def test_channels_are_those_that_were_heard(synthetic):
    """Of what the recorder sends, drivers state channels that it was not on."""
    dataset = synthetic(seconds=1)
    frames = dataset.scan("frames").collect()
    own = pl.int_range(pl.len()) % 10 == 0
    labelled = frames.with_columns(
        channel_mhz=pl.when(own).then(5745).otherwise("channel_mhz").cast(pl.Int32),
        direction=pl.when(own).then(pl.lit("tx")).otherwise(pl.lit("rx")),
    )
    dataset.replace_table("frames", labelled)
    assert dict(first_screen(dataset).facts)["Channel"] == "channel 1 (2.4 GHz)"
    dataset.replace_table("frames", labelled.filter(direction="tx"))
    assert dict(first_screen(dataset).facts)["Channel"] == "channel 149 (5 GHz)"


def test_the_head_of_nothing_says_nothing(synthetic):
    assert first_screen(synthetic(stations=0, without=("estimates",))) == Head([])


def test_findings_are_shown_in_order_of_rank(synthetic):
    assert first_screen(synthetic(seconds=1)).findings is None
    row = {"rank": 2, "name": "management_overhead", "title": None, "subject": "channel 1", "effect_bps": 2.5e6}
    row |= {"effect_low_bps": 1e6, "effect_high_bps": 4e6, "airtime_share": 0.35, "confidence": 0.9}
    row |= {
        "remedy": "Raise the lowest basic rate.",
        "frames": [1, 2],
        "display_filter": "wlan.fc.type == 0",
        "sql": "",
    }
    other = row | {"rank": 1, "name": "retry_storm", "effect_bps": None, "title": "Retry storm"}
    shown = findings([row, other], Names())
    assert [finding.title for finding in shown] == ["Retry storm", "Management overhead"]
    assert shown[0].effect == "35 % of the time"
    assert shown[1].effect == "2.5\u00a0Mb/s regained (90\u00a0% interval 1 to 4\u00a0Mb/s)"
    assert ("Frames", "1, 2") in shown[1].facts
    (unsure,) = findings([row | {"effect_low_bps": -3e5}], Names())
    assert unsure.effect == "2.5\u00a0Mb/s regained, or nothing (90\u00a0% interval \u22120.3 to 4\u00a0Mb/s)"


def test_no_answer_recorded_is_not_no_answer_given(synthetic):
    dataset = synthetic()
    dataset.replace_table("exchanges", dataset.scan("exchanges").with_columns(complete=pl.lit(False)).collect())
    assert sql(dataset, named_query("totals"))["complete_share"].to_list() == [None]


def test_airtime_of_a_station_is_what_its_best_recorder_heard(synthetic):
    dataset = synthetic(stations=1, seconds=1)
    heard = dataset.scan("exchanges").collect()
    worse = heard.head(3).with_columns(source=pl.lit("far.pcap"), observer=pl.lit("node-9"))
    dataset.replace_table("exchanges", pl.concat([heard, worse]))
    rows = sql(dataset, named_query("station_airtime"))
    assert rows["source"].unique().to_list() == ["office.pcap"]
    assert rows["exchanges"].sum() == 40
    assert rows["airtime_ms"].sum() == pytest.approx(40 * 2.293273, abs=0.01)


@pytest.mark.parametrize(("points", "windows"), [(100, 8), (4, 4), (3, 3), (1, 1)])
def test_more_windows_than_points_are_averaged(synthetic, points, windows):
    rows = sql(synthetic(stations=1), named_query("link_estimates"), parameters={"points": points})
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
    none = "No frame has known times on the air: that takes fine time stamps, and rates."
    assert said["channel_busy"] == said["timeline"] == f"{none} So airtime and busy share are unknown."
    assert said["retries"] == "The recording does not contain the Retry bit, so retries are unknown."


def test_recordings_of_different_days_share_no_axis(synthetic):
    dataset = synthetic(seconds=2)
    day = 86_400 * 10**9
    monday = dataset.scan("exchanges").collect()
    later = [pl.col("start_ns") + day, pl.col("end_ns") + day, pl.lit("tuesday.pcap").alias("source")]
    dataset.replace_table("exchanges", pl.concat([monday, monday.with_columns(later)]))
    drawing = contents(dataset)["channel_busy"].drawing
    assert drawing.notes == ["Each point covers 0.02 s and is plotted at its centre."]
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


def test_an_empty_table_of_findings_is_no_search(synthetic, monkeypatch):
    dataset = synthetic(seconds=1)
    monkeypatch.setattr(PanelData, "findings", lambda _: [])
    assert first_screen(dataset).findings is None
    actions = pl.DataFrame({"action": ["why", "ingest"]})
    monkeypatch.setattr("winf_analyzer._report.head.history", lambda _: actions)
    assert first_screen(dataset).findings == []


def test_the_report_ends_its_findings_as_winf_why_does(sampled):
    dataset = sampled("ns3_rts_link/recording/node-1.pcap")
    found = why(dataset)
    said = first_screen(Dataset.open(dataset.path))
    assert found.lines()[-len(said.scope) :] == said.scope
    assert said.scope[0].startswith("Looked for")


def test_what_an_unfit_recording_did_not_show_is_not_ruled_out():
    looked_at, titles = ["Unfit", "Slow", "Full"], {"recording_unfit": "Unfit", "slow": "Slow"}
    assert scope(looked_at, {}, {"slow": "Slow"}) == ["Looked for and not found: Unfit; Full."]
    assert scope(looked_at, {}, titles) == [
        "Looked for and not found, though a recording that is not fit cannot rule them out: Full."
    ]
    assert scope(looked_at, {"Far": "no signal"}, {})[1:] == ["Not looked for: Far (no signal)."]
    lacking = {"Far": "no signal", "Stalls": "no TCP", "Unfair": "no TCP"}
    assert scope([], lacking, {}) == ["Not looked for: Far (no signal).", "Not looked for: Stalls; Unfair (no TCP)."]


def test_of_many_recordings_what_is_doubtful_somewhere_was_not_looked_for_in_vain(synthetic, monkeypatch):
    dataset = synthetic(seconds=1)
    dataset.metadata["made"] = {"why": {"looked_at": ["Full", "Slow", "Far"], "lacking": {}}}
    dataset.metadata["inputs"] *= 2
    monkeypatch.setattr(PanelData, "findings", lambda _: [])
    monkeypatch.setattr("winf_analyzer._report.head.history", lambda _: pl.DataFrame({"action": ["why"]}))
    monkeypatch.setattr(PanelData, "titles_of_findings", lambda _: {"saturated_channel": "Full"})
    monkeypatch.setattr(PanelData, "doubtful", lambda _: 3)
    assert first_screen(dataset).scope == [
        "Looked for and not found: Slow; Far.",
        "3 more are doubtful; `winf why DATASET --to csv` has every one with its recording.",
    ]


def test_the_rate_of_short_packets_is_said_to_be_of_short_packets(synthetic):
    row = {"sender": "a", "receiver": "b", "available_mbps": 2.0, "low_mbps": 1.0, "high_mbps": 3.0, "own_mbps": 0.1}
    row |= {"tcp_mbps": 20.0, "tcp_low_mbps": 5.0, "tcp_high_mbps": 40.0, "grade": "fair"}
    told = {
        reasons: summary._link(lambda _, row=row | {"reasons": reasons}: pl.DataFrame([row]), Names())
        for reasons in ("", "wide_interval, short_packets", "shared_queue")
    }
    assert "; one TCP flow of full segments would get 20\u00a0Mb/s (90\u00a0% interval 5 to 40\u00a0Mb/s)" in told[""]
    assert "full segments, beside those that fill the sender's queue, would get" in told["shared_queue"]
    assert "could carry 2\u00a0Mb/s more (90\u00a0% interval" in told[""]
    assert "more in packets as short as its own (90\u00a0% interval" in told["wide_interval, short_packets"]


def test_bounds_without_a_value_are_told_where_no_link_has_one(synthetic):
    row = {"sender": "a", "receiver": "b", "available_mbps": None, "low_mbps": 1.0, "high_mbps": 3.0, "own_mbps": 0.1}
    row |= {"tcp_mbps": None, "tcp_low_mbps": None, "tcp_high_mbps": None, "grade": "unknown"}
    row |= {"reasons": "others_unbounded"}
    unknown = row | {"sender": "c", "low_mbps": None, "high_mbps": None, "reasons": "no_sample"}
    known = row | {"sender": "d", "available_mbps": 2.0}

    def told(*rows):
        return summary._link(lambda _: pl.DataFrame(rows, schema_overrides={"available_mbps": pl.Float64}), Names())

    assert told(row).startswith("The link could not be estimated further than this: a → b could carry 1 to 3")
    assert told(unknown, row).startswith("None of the 2 links could be estimated further than this: a → b")
    assert told(unknown, unknown).startswith("None of the 2 links could be estimated. The busiest, c → b: No data")
    assert told(row, known).startswith("The link with most samples that has an answer, d → b")


def test_where_no_packet_was_answered_that_is_why_no_delivery_has_a_time(tmp_path):
    unanswered = [pcaps.exchange(10_000 * number, seq=number)[0] for number in range(3)]
    (tmp_path / "a.pcap").write_bytes(pcaps.pcap(unanswered))
    dataset = ingest([tmp_path / "a.pcap"], tmp_path / "run.winf")
    panels = [panel for panel in layout().panels if panel.title == "Time to deliver a packet"]
    with closing(connect(dataset)) as connection:
        (content,) = PanelData(connection, dataset.tables).contents(panels)
    assert content.message == "No packet was recorded from its first attempt to the answer to it."


def test_truths_are_yes_and_no():
    rows = pl.DataFrame({"mutual": [True, False, None]})
    panel = next(panel for panel in layout().panels if any(each.column == "mutual" for each in panel.columns))
    quantity = next(each for each in panel.columns if each.column == "mutual")
    assert [cell.text for cell in tables._cells(quantity, rows, None)] == ["yes", "no", "–"]


def test_access_delay_is_that_of_packets_that_waited(sampled):
    """In the trace, packets that had to queue have their access delay; links with idle queues are not told of."""
    panel = next(panel for panel in layout().panels if panel.name == "access")
    hidden = sql(sampled("ns2_hidden/recording/hidden.tr"), panel.sql)
    assert hidden.select("sender", "packets", "median_ms").rows() == [("node-0", 160, 0.391), ("node-2", 161, 0.331)]
    light = sampled("ns2_basic_link/recording/basic_link.tr")
    assert sql(light, panel.sql).is_empty()
    tries = panel.sql[: panel.sql.rindex("select\n    sender, count(*)")]
    compared = "select start_ns - before_ns, access_ns - (tries.end_ns - start_ns)"
    both = "from tries join (from exchanges semi join best using (source, observer)) using (exchange_no, start_ns)"
    waited = sql(light, f"{tries} {compared} {both} where waited and queue_ns > 1000")
    assert waited.height == 2
    assert all(delay == truth for delay, truth in waited.iter_rows())


def test_of_several_recordings_each_kind_of_finding_is_told_once():
    row = {"name": "retry_storm", "title": "Retries", "text": "Many.", "subject": "s", "remedy": "", "sql": ""}
    row |= {"effect_bps": None, "effect_low_bps": None, "effect_high_bps": None, "airtime_share": 0.1, "frames": []}
    row |= {"display_filter": "", "confidence": 0.9}
    rows = [row | {"rank": rank, "source": source} for rank, source in enumerate(("b", "a", "b"), 1)]
    doubtful = row | {"rank": 4, "source": "c", "name": "roaming", "confidence": 0.4}
    (one,) = findings([*rows, doubtful], Names())
    assert one.text == "In 2 recordings, first of all in b: Many."
    assert one.facts[0] == ("Recordings", "b, a")
    shown = findings([rows[0], doubtful | {"source": "b"}], Names())
    assert [finding.doubtful for finding in shown] == [False, True]


def test_what_is_doubtful_is_not_acted_upon():
    row = {"name": "roaming", "title": "Roaming", "text": "Often.", "subject": "s", "remedy": "Move.", "sql": ""}
    row |= {"effect_bps": None, "effect_low_bps": None, "effect_high_bps": None, "airtime_share": 0.1, "frames": []}
    rows = [row | {"display_filter": "", "confidence": sure, "rank": rank} for rank, sure in enumerate((0.9, 0.4), 1)]
    assert [finding.remedy for finding in findings(rows, Names())] == ["Move.", ""]
