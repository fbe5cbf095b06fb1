"""The report as a file: whole, self-contained, the same every time, and nothing left behind when it fails."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._dataset.dataset import Dataset, seal
from winf_analyzer._report import report
from winf_analyzer._report.charts.cohort import ADDED
from winf_analyzer._report.contents import CHARTS
from winf_analyzer._report.page import _title
from winf_analyzer._report.panels import layout
from winf_analyzer._sql.named_queries import named_queries
from winf_analyzer._util.errors import DatasetError, UsageError, WinfError


class Page(HTMLParser):
    """The elements of a document, and the text outside scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.elements and self.elements[-1][0] not in ("script", "style"):
            self.text.append(data)


def test_is_one_file_that_needs_nothing_else(synthetic, tmp_path):
    path = report(synthetic(), tmp_path / "report.html")
    html = path.read_text(encoding="utf-8")
    page = Page(html)
    assert not [tag for tag, _ in page.elements if tag in ("iframe", "object", "embed", "img", "base")]
    for tag, attributes in page.elements:
        for name in ("src", "href", "srcset", "action", "poster"):
            assert (attributes.get(name) or "#").startswith(("#", "data:")), (tag, attributes)
    assert path.stat().st_size < 8e6
    policy = next(a["content"] for t, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy


def test_has_every_panel_section_and_definition(synthetic, tmp_path):
    html = report(synthetic(), tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(html)
    shown = [attributes["data-panel"] for _, attributes in page.elements if "data-panel" in attributes]
    panels = sorted(layout().panels, key=lambda panel: [*layout().sections].index(panel.section))
    assert shown == [panel.name for panel in panels if not (panel.optional or panel.fact)]
    text = " ".join(page.text)
    sections = {panel.section for panel in layout().panels if not (panel.optional or panel.fact)}
    titles = [layout().sections[name] for name in sections]
    for words in [*titles, *layout().glossary, "5e" * 32, "winf ingest office.pcap"]:
        assert words in text


def test_says_what_is_missing(synthetic, tmp_path):
    dataset = synthetic(without=("estimates", "nodes", "warnings"))
    text = " ".join(Page(report(dataset, tmp_path / "r.html").read_text(encoding="utf-8")).text)
    assert "winf estimate" in text
    assert "No frame contains a transmitter address" in text


def test_says_that_nobody_has_looked_for_causes(synthetic, tmp_path, monkeypatch):
    dataset = synthetic(seconds=1)
    unasked = report(dataset, tmp_path / "unasked.html").read_text(encoding="utf-8")
    assert "Nobody has looked for causes yet" in unasked
    monkeypatch.setattr("winf_analyzer._report.head._findings", lambda *_: [])
    asked = report(dataset, tmp_path / "asked.html").read_text(encoding="utf-8")
    assert "Nobody has looked for causes yet" not in asked


def test_empty_tables_give_a_sentence_in_every_panel(synthetic, tmp_path):
    page = Page(report(synthetic(stations=0), tmp_path / "r.html").read_text(encoding="utf-8"))
    messages = [attributes for _, attributes in page.elements if attributes.get("class") == "message"]
    assert len(messages) >= sum(not (panel.optional or panel.fact) for panel in layout().panels)


def test_the_same_dataset_gives_the_same_bytes(synthetic, tmp_path):
    dataset = synthetic()
    first = report(dataset, tmp_path / "a.html").read_bytes()
    assert report(Dataset.open(dataset.path), tmp_path / "a.html", force=True).read_bytes() == first


def test_many_stations_are_summed_and_said_so(synthetic, tmp_path):
    text = report(synthetic(stations=60, seconds=2), tmp_path / "r.html").read_text(encoding="utf-8")
    assert "others (44)" in text
    assert "30 other stations" in text


def test_refuses_a_folder_and_a_missing_dataset(synthetic, tmp_path):
    with pytest.raises(UsageError, match="is a folder"):
        report(synthetic(), tmp_path)
    with pytest.raises(DatasetError, match="not a dataset"):
        report(tmp_path / "nowhere", tmp_path / "r.html")
    with pytest.raises(WinfError, match="cannot write"):
        report(tmp_path / "run.winf", tmp_path / "no" / "such" / "folder" / "r.html")
    assert [path.name for path in tmp_path.iterdir()] == ["run.winf"]


def test_a_failure_leaves_the_old_report(synthetic, tmp_path, monkeypatch):
    dataset, path = synthetic(), tmp_path / "r.html"
    before = report(dataset, path).read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(WinfError, match="exists already"):
        report(dataset, path)
    with pytest.raises(WinfError, match="No space left"):
        report(dataset, path, force=True)
    assert path.read_bytes() == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["r.html", "run.winf"]


def test_the_registry_is_consistent():
    """Every panel asks a question that exists, for columns it has, and is drawn by a chart kind that exists."""
    registry = layout()
    for panel in registry.panels:
        assert panel.chart in CHARTS
        assert panel.section in registry.sections
        assert panel.caption
        assert panel.empty
        assert bool(panel.query) != bool(panel.sql)
        if panel.query:
            used = {quantity.column for quantity in (panel.x, panel.y, *panel.columns)} | set(panel.series)
            used |= {panel.stack or "", panel.rank_by or ""} - {""}
            added = {"", *ADDED} if panel.chart == "cohort" else {""}
            assert used - added <= set(named_queries()[panel.query].columns), panel.name


def test_a_replay_of_a_declared_world_shows_what_it_has(tmp_path):
    winf_analyzer.replay(topology="chain:1", controllers=["new_reno"], duration="1s", output=tmp_path / "run")
    text = winf_analyzer.report(tmp_path / "run", tmp_path / "run.html").read_text(encoding="utf-8")
    assert "no recordings" in text
    assert 'id="replay"' in text
    assert 'id="airtime"' not in text
    assert "has no table" not in text
    assert "new_reno was replayed in chain:1 with 1 flow for 1 s." in text
    assert "Nobody has looked for causes" not in text
    assert 'aria-label="Inputs"' not in text


def test_a_report_of_many_recordings_is_called_like_their_folder(synthetic):
    dataset = synthetic(seconds=1)
    entry = dataset.metadata["inputs"][0]

    def title(*paths):
        metadata = dataset.metadata | {"inputs": [entry | {"path": path} for path in paths]}
        return _title(SimpleNamespace(path=dataset.path, metadata=metadata))

    assert title("a/b.pcap") == entry["source"]
    assert title("/home/captures/a/1.pcap", "/home/captures/b/2.pcap") == "captures"
    assert title("1.pcap", "2.pcap") == title("1.pcap", "/home/2.pcap") == title() == "run.winf"


def test_signals_are_shown_where_no_exchange_has_a_place_in_time(tmp_path):
    """Of a clock that leaves the times of all frames on the air open, the stamps of the records are left."""
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(40))
    dataset = winf_analyzer.ingest([tmp_path / "a.pcap"], tmp_path / "a.winf")
    exchanges = dataset.scan("exchanges").collect().with_columns(start_ns=None, end_ns=None)
    (part,) = (tmp_path / "a.winf" / "exchanges").glob("*.parquet")
    exchanges.cast({"start_ns": pl.Int64, "end_ns": pl.Int64}).write_parquet(part)
    seal(tmp_path / "a.winf")
    undecided = Dataset.open(tmp_path / "a.winf")
    html = report(undecided, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "No station with data frames has a known signal." not in html
    stamps = dataset.scan("frames").select("ts_ns").collect()["ts_ns"]
    spans = {float(end) for end in re.findall(r'"autorangeoptions":\{"include":\[0,([0-9.]+)\]', html)}
    assert spans == {(stamps.max() - stamps.min()) / 1e9}, "an axis that ends at 0 shows no point"
