"""What notebooks show, and the notebook of the documentation, run cell by cell."""

from __future__ import annotations

import ast
import dataclasses
import json
import shutil

import pcaps
import polars as pl
import pytest
from folders import ROOT

import winf_analyzer
from winf_analyzer._schema import complete
from winf_analyzer._util import html

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def shown(cells):
    """Run code cells in one namespace; yields the value of each that ends with an expression, as a notebook does."""
    names = {}
    for cell in cells:
        module = ast.parse("".join(cell["source"]))
        last = module.body.pop() if module.body and isinstance(module.body[-1], ast.Expr) else None
        exec(compile(module, "cell", "exec"), names)
        yield None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_something_in_every_cell(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] for cell in code), "outputs are made when the notebook is run, not kept"
    for value in shown(code):
        assert callable(getattr(value, "_repr_html_", None)) or hasattr(value, "to_plotly_json"), value


def test_a_dataset_is_a_short_text_and_a_table(demo_dataset):
    assert repr(demo_dataset) == f"Dataset(path={demo_dataset.path!r})"
    page = demo_dataset._repr_html_()
    assert "sniffer.pcap" in page
    assert f"<td>{demo_dataset.scan('frames').select(pl.len()).collect().item()}</td>" in page
    assert all(f"<td>{table}</td>" in page for table in demo_dataset.tables)


def test_results_are_short_texts(demo_dataset, tmp_path):
    shutil.copytree(demo_dataset.path, tmp_path / "run.winf")  # `why` writes what it finds
    told, found = winf_analyzer.why(tmp_path / "run.winf"), winf_analyzer.diff(demo_dataset, demo_dataset)
    names = ", ".join(dict.fromkeys(told.findings["name"])) or "none"
    assert repr(told) == f"Why({told.findings.height} findings: {names}; {len(told.looked_at)} looked for)"
    assert repr(found).endswith(f": 0 of {found.rows.height} values changed)")


def test_no_result_shows_its_tables_as_a_text():
    results = [getattr(winf_analyzer, name) for name in winf_analyzer.__all__]
    for result in filter(dataclasses.is_dataclass, results):
        tables = [each for each in dataclasses.fields(result) if each.repr and "DataFrame" in str(each.type)]
        of_dataclass = hasattr(result.__repr__, "__wrapped__")
        assert not (tables and of_dataclass), result


def test_texts_of_recordings_are_no_markup():
    assert html.table(["ssid"], [["<script>\x1b"]]) == (
        "<table><thead><tr><th>ssid</th></tr></thead><tbody><tr><td>&lt;script&gt;\\x1b</td></tr></tbody></table>"
    )


@pytest.mark.parametrize("name", ["available", "busy", "airtime"])
def test_figures_are_plotly_objects(demo_dataset, name):
    figure = winf_analyzer.figure(demo_dataset, name)
    assert figure.data
    assert figure.to_dict()["layout"]["template"]


def test_gaps_are_gaps_and_intervals_are_drawn(demo_dataset):
    rows = demo_dataset.scan("recommended").filter(~pl.col("whole")).collect()
    figure = winf_analyzer.figure(demo_dataset)
    for trace in figure.data:
        sender, receiver = trace.name.split(" > ")
        own = rows.filter(sender=sender, receiver=receiver).sort("window_start_ns")
        expected = [None if value is None else value / 1e6 for value in own["available_bps"]]
        assert list(trace.y) == pytest.approx(expected, nan_ok=True) or list(trace.y) == expected
        upper = (own["available_high_bps"] - own["available_bps"]) / 1e6
        assert list(trace.error_y.array) == upper.to_list()


def test_every_recording_has_a_clock_of_its_own_and_a_link_the_recorder_that_knows_most(tmp_path):
    second, recorders = 10**9, {"a": [("x", "y", 5)], "b": [("x", "y", 3), ("y", "x", 4)]}
    rows = [
        {"source": source, "observer": "z", "sender": sender, "receiver": receiver, "samples": samples}
        | {"whole": False, "window_ns": second, "window_start_ns": start_ns, "available_bps": 1e6, "grade": "good"}
        for source, seen in recorders.items()
        for sender, receiver, samples in seen
        for start_ns in (ord(source) * 10**15, ord(source) * 10**15 + second)
    ]
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    dataset = winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf")
    dataset.replace_table("recommended", complete(pl.DataFrame(rows).lazy(), "recommended").collect())
    drawn = {trace.name: list(trace.x) for trace in winf_analyzer.figure(dataset).data}
    assert drawn == {"x > y, a": [0.5, 1.5], "y > x, b": [0.5, 1.5]}


@pytest.mark.parametrize(("name", "command"), [("available", "winf estimate"), ("replay", "winf replay")])
def test_a_figure_without_data_is_none(tmp_path, name, command):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    dataset = winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf")
    with pytest.raises(winf_analyzer.DatasetError, match=f"nothing to draw .* which `{command}` fills"):
        winf_analyzer.figure(dataset, name)


def test_figures_of_replays(replay_dataset):
    figure = winf_analyzer.figure(replay_dataset, "replay")
    assert len(figure.data) == replay_dataset.scan("replay_summary").select("flow").unique().collect().height


def test_an_unknown_figure_names_those_there_are(demo_dataset):
    with pytest.raises(winf_analyzer.UsageError, match="no figure 'pie'; there are available, busy"):
        winf_analyzer.figure(demo_dataset, "pie")
