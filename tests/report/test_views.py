"""Several recordings of one air, and a trace's views of it: what is on the air once counts once, and under one name."""

from __future__ import annotations

from contextlib import closing

import polars as pl
import pytest
from folders import SAMPLES

from winf_analyzer import ingest, sql
from winf_analyzer._ingest.description import describe
from winf_analyzer._names import Names
from winf_analyzer._report import summary
from winf_analyzer._report.charts.small_multiples import small_multiples
from winf_analyzer._report.contents import PanelData
from winf_analyzer._report.figure import ReportContext
from winf_analyzer._report.head import head
from winf_analyzer._report.labels import format_number, format_range
from winf_analyzer._report.panels import layout
from winf_analyzer._sql.named_queries import named_query
from winf_analyzer._sql.query import connect

PANELS = {panel.name: panel for panel in layout().panels}


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Two stations that recorded themselves and each other."""
    folder = tmp_path_factory.mktemp("several")
    return ingest([SAMPLES / "ns3_ht" / "recording"], folder / "several.winf")


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    """A trace with what each of three nodes sent and heard."""
    folder = tmp_path_factory.mktemp("trace")
    return ingest([SAMPLES / "ns2_hidden" / "recording"], folder / "trace.winf")


def _head(dataset):
    with closing(connect(dataset)) as connection:
        return head(dataset, PanelData(connection, dataset.tables))


def test_the_airtime_of_a_sender_that_recorded_itself_is_its_own(several):
    airtime = sql(several, named_query("airtime"))
    whole = sql(several, named_query("recordings"))
    span_s, busy = whole["duration_s"].max(), whole["busy_share"].max()
    assert airtime["airtime_ms"].sum() / 1e3 / span_s == pytest.approx(busy, rel=0.02)
    assert airtime["share"].sum() == pytest.approx(busy, rel=0.02)


def test_frames_that_two_recorded_count_once(several, trace):
    sent = "from frames where direction = 'tx' and layer = 'mac' and kind in ('data', 'qos_data') and not is_group"
    links = sql(several, named_query("retry_rate_by_link")).sort("transmitter")
    own = sql(several, f"select ta, count(*)::int {sent} group by 1 order by 1")
    assert links.select("transmitter", "frames").rows() == own.rows()
    assert sql(trace, PANELS["rates"].sql)["frames"].sum() == sql(trace, f"select count(*)::int {sent}").item()


def test_a_link_has_one_share_of_attempts_without_an_answer(several, trace):
    for dataset in (several, trace):
        links = sql(dataset, named_query("failed_attempts"))
        assert links.select("sender", "receiver").is_unique().all()
        assert (links["observer"] == links["sender"]).all()
        every = sql(dataset, named_query("failed_attempts"), parameters={"views": 1})
        assert every.height > links.height
        assert every.columns == links.columns


def test_a_pair_of_hidden_stations_is_one_row(trace):
    pairs = pl.DataFrame(
        {
            "sender": ["a", "a"], "hidden_from": ["b", "b"], "receiver": ["c", None], "confidence": [0.9, 0.98],
            "mutual": [True, True], "answered": [None, 50], "unheard": [None, 45], "late_starts": [7, 0],
            "attempts": [100, 60], "failed": [20, 15], "overlapped": [10, 0], "overlapped_failed": [9, 0],
        },
        schema_overrides={"answered": pl.Int64, "unheard": pl.Int64},
    )  # fmt: skip
    rows = sql(trace, PANELS["hidden_pairs"].sql.replace("from hidden_pairs", f"from ({_literal(pairs)})"))
    assert rows.row(0) == pytest.approx(("a", "b", "c", 0.98, True, 0.9, 7, 10, 0.9, 0.1222))
    assert rows.height == 1


def _literal(rows: pl.DataFrame) -> str:
    values = ", ".join(
        "(" + ", ".join("null" if v is None else f"'{v}'" if isinstance(v, str) else f"{v}" for v in row) + ")"
        for row in rows.rows()
    )
    columns = ", ".join(rows.columns)
    return f"select * replace (confidence::double as confidence) from (values {values}) as pairs ({columns})"


def test_a_trace_is_not_told_that_frames_may_be_missing(trace):
    first = _head(trace)
    assert first.sentences[4].startswith("No frame is missing: a simulator wrote down")
    assert "where most was heard for" in first.sentences[0]
    facts = dict(first.facts)
    assert facts["Recorded by"] == "a simulator's trace"
    assert facts["Audit"].startswith("not applicable: a simulator wrote these times")


def test_what_recordings_hold_is_told_from_least_to_most(several):
    said = _head(several).sentences
    assert said[0].startswith(
        "In the 2 recordings whose airtimes are known the channel was busy for 43\u00a0% (node-1.pcap) to 44\u00a0%"
    )
    assert (
        said[4]
        == "The 2 recordings that can tell hold 100\u00a0% of the frames that sequence numbers or answers tell of."
    )
    shares = pl.DataFrame({"source": ["a", "b", "c"], "value": [0.46, 0.54, 0.998]})
    spread = summary._spread(shares, "value", "the frames")
    assert spread == "46\u00a0% (a) to 99.8\u00a0% (c) of the frames, in half of them at least 54\u00a0%"
    assert summary._spread(shares.head(2), "value") == "46\u00a0% (a) to 54\u00a0% (b) of the time"


def test_networks_that_used_most_are_told_with_what_they_used_together():
    rows = [("a", 40.0), ("b", 30.0), ("c", 20.0), ("d", 10.0)]
    airtime = pl.DataFrame([(bssid, None, ms) for bssid, ms in rows], ["bssid", "ssid", "airtime_ms"], orient="row")
    told = summary._networks({"airtime": airtime, "stations": None, "recordings": None}.get, Names())
    assert told == "4 BSSs shared it: a used most, 40\u00a0%; the first 2 together 70\u00a0%."


def test_a_figure_says_whose_view_it_shows(several, trace):
    def notes(dataset):
        with closing(connect(dataset)) as connection:
            data = PanelData(connection, dataset.tables)
            (content,) = data.contents([PANELS["timeline"]])
        return content.drawing.notes

    assert notes(several)[1] == "Recording node-0.pcap, which has the most airtime of 2."
    assert notes(trace)[1] == "As node-1 heard it, which has the most airtime of 3 views."


def test_a_replay_of_one_bin_is_seen():
    panel = PANELS["replay_over_time"]
    row = {"replay_id": "r", "controller": "xcp", "mode": "corrected", "t_s": 0.1}
    rows = pl.DataFrame([row | dict.fromkeys((quantity.column for quantity in panel.columns), 1.0)])
    (figure,) = small_multiples(panel, rows, ReportContext(1.0)).figures
    assert all("markers" in trace["mode"] for trace in figure["data"])


def test_who_recorded_is_known_of_traces_and_of_sniffers(trace):
    (entry,) = trace.metadata["inputs"]
    assert dict(describe(entry))["recorded by"] == "a simulator"
    assert "CTS without its RTS 328" in dict(describe(entry))["exchanges"]
    sniffed = [check | {"verdict": "good"} for check in entry["audit"]]
    assert dict(describe(entry | {"audit": sniffed}))["recorded by"] == "an anonymous sniffer"


def test_numbers_and_intervals_have_the_digits_of_sentences(trace):
    with closing(connect(trace)) as connection:
        (content,) = PanelData(connection, trace.tables).contents([PANELS["failed_attempts"]])
    table = content.drawing.table
    assert [column.column for column in table.columns][:2] == ["sender", "observer"]  # no recording: there is one
    assert table.rows[0][0].text == "node-0 → node-1"
    assert table.rows[0][5].text == "32"
    assert format_range(0.0, 1.62) == "0 to 1.62\u00a0Mb/s"
    assert format_range(0.05, 1.0) == "50\u00a0kb/s to 1\u00a0Mb/s"
    assert format_number(999.6, 3) == "1\u202f000"


def test_runs_of_simulators_that_begin_at_0_are_not_of_one_time(tmp_path):
    hidden = ingest([SAMPLES / "ns3_hidden" / "recording" / "node-1.pcap"], tmp_path / "hidden.winf")
    other = ingest([SAMPLES / "ns3_rts_link" / "recording"], tmp_path / "other.winf")
    together = ingest(
        [SAMPLES / "ns3_hidden" / "recording" / "node-1.pcap", SAMPLES / "ns3_rts_link" / "recording"],
        tmp_path / "both.winf",
    )
    link = (pl.col("transmitter") == "00:00:00:00:00:01") & (pl.col("receiver") == "00:00:00:00:00:02")
    alone = [sql(each, named_query("retry_rate_by_link")).filter(link)["retries"].sum() for each in (hidden, other)]
    for datasets in ([hidden, other], together):
        links = sql(datasets, named_query("retry_rate_by_link")).filter(link)
        assert links["retries"].sum() == sum(alone) > 0
        attempts = sql(datasets, named_query("failed_attempts")).filter(pl.col("source").str.contains("node-1.pcap"))
        assert attempts.filter(sender="00:00:00:00:00:01", receiver="00:00:00:00:00:02").height == 1


def test_a_short_recording_does_not_stand_for_a_long_one(tmp_path):
    folder = tmp_path / "cut"
    folder.mkdir()
    octets = (SAMPLES / "ns3_hidden" / "recording" / "node-0.pcap").read_bytes()
    (folder / "node-0.pcap").write_bytes(octets[:5000])
    (folder / "node-1.pcap").write_bytes((SAMPLES / "ns3_hidden" / "recording" / "node-1.pcap").read_bytes())
    found = sql(ingest([folder], tmp_path / "cut.winf"), named_query("failed_attempts"))
    assert found.filter(pl.col("source").str.contains("node-1"), sender="00:00:00:00:00:01")["attempts"].max() > 100
