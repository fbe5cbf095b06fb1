"""`--data`: rows of each panel as Parquet and CSV, figures as SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import polars as pl
import pytest

from winf_analyzer import UsageError
from winf_analyzer._report import report
from winf_analyzer._report.svg import svg, ticks

HOSTILE = '<script>alert(1)</script>"&'


def test_every_panel_with_rows_has_its_files(synthetic, tmp_path):
    report(synthetic(ssid=HOSTILE), tmp_path / "r.html", data=tmp_path / "data")
    names = {path.name for path in (tmp_path / "data").iterdir()}
    assert {"airtime.parquet", "airtime.csv", "airtime-station-time.svg", "timeline-BSS.svg", "stations.csv"} <= names
    rows = pl.read_parquet(tmp_path / "data" / "airtime.parquet")
    assert rows["exchanges"].sum() == 8 * (40 + 20 + 13)
    assert pl.read_csv(tmp_path / "data" / "airtime.csv")["exchanges"].sum() == rows["exchanges"].sum()
    for path in (tmp_path / "data").glob("*.svg"):
        drawn = ElementTree.parse(path).getroot()
        assert drawn.attrib["role"] == "img"
        assert not drawn.findall(".//{*}script"), path.name


def test_a_folder_with_something_in_it_is_refused_before_any_work(synthetic, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not empty"):
        report(synthetic(), tmp_path / "r.html", data=tmp_path / "data")
    assert not (tmp_path / "r.html").exists()


def test_names_in_figures_are_text():
    bar = {"type": "bar", "name": HOSTILE, "y": [HOSTILE], "x": [3.0], "marker": {"color": '"/><script>'}}
    drawn = ElementTree.fromstring(svg(HOSTILE, {"data": [bar], "layout": {"height": 0, "xaxis": {}}}))
    assert not drawn.findall(".//{*}script")
    assert drawn.findtext("{*}title") == HOSTILE


def test_lines_break_where_a_value_is_unknown():
    line = {"type": "scatter", "name": "a", "x": [0, 1, 2, 3], "y": [1.0, None, 2.0, 3.0], "line": {"color": "#000"}}
    layout = {"height": 300, "xaxis": {}, "yaxis": {"rangemode": "tozero"}}
    drawn = ElementTree.fromstring(svg("t", {"data": [line], "layout": layout}))
    (path,) = (each.attrib["d"] for each in drawn.findall(".//{*}path") if each.attrib.get("class") == "line")
    assert (path.count("M"), path.count("L")) == (2, 1)


def test_bands_break_where_an_interval_is_unknown_and_show_that_of_a_point_alone():
    band = {"low": [0.0, None, 1.0, 2.0], "high": [2.0, None, 3.0, 4.0]}
    line = {"type": "scatter", "name": "a", "x": [0, 1, 2, 3], "y": [1.0, None, 2.0, 3.0], "line": {"color": "#000"}}
    layout = {"height": 300, "xaxis": {}, "yaxis": {"rangemode": "tozero"}}
    drawn = ElementTree.fromstring(svg("t", {"data": [line | band], "layout": layout}))
    (path,) = (each.attrib["d"] for each in drawn.findall(".//{*}path") if each.attrib.get("class") == "band")
    spells = [re.findall(r"([\d.]+) [\d.]+", spell) for spell in path.split("z") if spell]
    wide = [max(map(float, xs)) - min(map(float, xs)) for xs in spells]
    assert len(wide) == 2
    assert 5 < wide[0] < 8 < wide[1]


def test_ticks_are_round():
    assert ticks(0, 10, 5) == [0, 2, 4, 6, 8, 10]
    assert ticks(0.013, 0.027, 4) == [0.015, 0.02, 0.025]
    assert ticks(3, 3, 4) == [3]
