"""Exports as files: what they hold, and what they replace."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import duckdb
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._dataset import locks
from winf_analyzer._dataset.creating import sibling_of
from winf_analyzer._export.targets import TARGETS

FOLDERS = [each.name for each in TARGETS if each.signature is None]
FILES = [each.name for each in TARGETS if each.signature is not None]


def test_csv_has_every_row_of_every_table(demo_dataset, tmp_path):
    winf_analyzer.export(demo_dataset, tmp_path / "csv", to="csv")
    for table in demo_dataset.tables:
        rows = pl.read_csv(tmp_path / "csv" / f"{table}.csv", infer_schema_length=None)
        frame = demo_dataset.scan(table).collect()
        assert rows.columns == frame.columns
        assert rows.height == frame.height


def test_arrow_is_the_table(demo_dataset, tmp_path):
    winf_analyzer.export(demo_dataset, tmp_path / "arrow", to="arrow")
    for table in demo_dataset.tables:
        assert pl.read_ipc(tmp_path / "arrow" / f"{table}.arrow").equals(demo_dataset.scan(table).collect())


def test_formulas_are_texts(tmp_path, demo_dataset, monkeypatch):
    monkeypatch.setattr(
        type(demo_dataset), "scan", lambda *_: pl.LazyFrame({"ssid": ["=1+1", "plain"], "list": [[1], None]})
    )
    winf_analyzer.export(demo_dataset, tmp_path / "csv", to="csv")
    assert (tmp_path / "csv" / "frames.csv").read_text().splitlines() == ["ssid,list", "'=1+1,[1]", "plain,"]


def test_duckdb_has_a_view_of_every_table_with_its_comments(demo_dataset, tmp_path):
    path = tmp_path / "run.duckdb"
    winf_analyzer.export(demo_dataset, path, to="duckdb")
    with duckdb.connect(str(path), read_only=True) as connection:
        for table in demo_dataset.tables:
            count, columns = connection.execute(f"select count(*) from {table}").fetchone()[0], demo_dataset.scan(table)
            assert count == columns.select(pl.len()).collect().item()
            assert connection.sql(f"from {table}").columns == columns.collect_schema().names()
        comment = connection.execute(
            "select comment from duckdb_columns() where table_name = 'frames' and column_name = 'airtime_us'"
        ).fetchone()[0]
        assert "time on the air" in comment
        assert comment.endswith("(us)")


@pytest.mark.parametrize("to", [each.name for each in TARGETS])
def test_only_an_export_of_the_same_kind_is_replaced(to, demo_dataset, tmp_path):
    output = tmp_path / "out"
    winf_analyzer.export(demo_dataset, output, to=to)
    with pytest.raises(winf_analyzer.DatasetError, match="exists already"):
        winf_analyzer.export(demo_dataset, output, to=to)
    winf_analyzer.export(demo_dataset, output, to=to, force=True)
    other = "csv" if to != "csv" else "arrow"
    with pytest.raises(winf_analyzer.DatasetError, match="--force does not replace"):
        winf_analyzer.export(demo_dataset, output, to=other, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("to", FOLDERS)
def test_a_folder_with_anything_else_stays(to, demo_dataset, tmp_path):
    winf_analyzer.export(demo_dataset, tmp_path / "out", to=to)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(winf_analyzer.DatasetError, match="--force does not replace"):
        winf_analyzer.export(demo_dataset, tmp_path / "out", to=to, force=True)
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("to", FILES)
def test_a_file_of_another_stays(to, demo_dataset, tmp_path):
    (tmp_path / "out").write_text("mine")
    (tmp_path / "link").symlink_to("elsewhere")
    with pytest.raises(winf_analyzer.DatasetError, match="--force does not replace"):
        winf_analyzer.export(demo_dataset, tmp_path / "out", to=to, force=True)
    with pytest.raises(winf_analyzer.DatasetError, match="symbolic link"):
        winf_analyzer.export(demo_dataset, tmp_path / "link", to=to, force=True)
    assert (tmp_path / "out").read_text() == "mine"


def test_a_foreign_database_stays(demo_dataset, tmp_path):
    with duckdb.connect(str(tmp_path / "own.duckdb")) as connection:
        connection.execute("create table precious as select 1 as x")
    with pytest.raises(winf_analyzer.DatasetError, match="--force does not replace"):
        winf_analyzer.export(demo_dataset, tmp_path / "own.duckdb", to="duckdb", force=True)


def test_outputs_in_the_dataset_are_refused(demo_dataset):
    with pytest.raises(winf_analyzer.DatasetError, match="lies in the dataset"):
        winf_analyzer.export(demo_dataset, demo_dataset.path / "out.csv", to="csv")
    with pytest.raises(winf_analyzer.DatasetError, match="lies in the dataset"):
        winf_analyzer.report(demo_dataset, demo_dataset.path / "frames" / "out.html")


def test_the_command_names_the_formats(winf, demo_dataset, tmp_path):
    refused = winf("export", demo_dataset.path, "--to", "excel", "-o", tmp_path / "out")
    assert refused.returncode == 2
    assert "no export format 'excel'; there are mahimahi, netem, csv, arrow, duckdb, perfetto" in refused.stderr
    listed = winf("list", "exports", "--to", "csv").stdout
    assert all(each.name in listed for each in TARGETS)
    assert winf("export", demo_dataset.path, "--to", "arrow", "-o", tmp_path / "out").returncode == 0
    missing = winf("export", demo_dataset.path, "--to", "arrow", "-o", tmp_path / "no" / "out")
    assert missing.returncode == 1
    assert "cannot write there" in missing.stderr


def test_what_a_killed_export_left_is_cleared_by_the_next_even_if_that_is_refused(demo_dataset, tmp_path):
    out = tmp_path / "csv"
    winf_analyzer.export(demo_dataset, out, to="csv")
    left = sibling_of(out)
    left.mkdir()
    with locks.writer(left), ThreadPoolExecutor(1) as another:
        (left / "half.csv").write_text("1")
        with pytest.raises(winf_analyzer.DatasetError, match="exists already"):
            another.submit(winf_analyzer.export, demo_dataset, out, to="csv").result()
        assert (left / "half.csv").exists()  # its writer lives
    with pytest.raises(winf_analyzer.DatasetError, match="exists already"):
        winf_analyzer.export(demo_dataset, out, to="csv")
    assert not left.exists()


def test_a_hidden_folder_of_somebody_else_stays(demo_dataset, tmp_path):
    out = tmp_path / "csv"
    winf_analyzer.export(demo_dataset, out, to="csv")
    sibling_of(out).mkdir()
    (sibling_of(out) / "thesis.tex").write_text("mine")
    with pytest.raises(winf_analyzer.DatasetError, match="exists already"):
        winf_analyzer.export(demo_dataset, out, to="csv")
    assert (sibling_of(out) / "thesis.tex").read_text() == "mine"


def test_a_database_that_the_disk_does_not_take_is_no_database(demo_dataset, tmp_path):
    """DuckDB does not tell of a checkpoint that fails when a database is closed."""
    output = tmp_path / "run.duckdb"
    code = (
        "import resource, signal, sys, winf_analyzer\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "winf_analyzer.export(sys.argv[1], sys.argv[2], to='duckdb')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, demo_dataset.path, output], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "run.duckdb" in done.stderr
    assert not output.exists()
