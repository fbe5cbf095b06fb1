"""Paths of Parquet files are taken to the letter, by every room."""

import re

import duckdb
import polars as pl
import pytest
from folders import ROOT

from winf_analyzer import DatasetError
from winf_analyzer._util import parquet

ODD = ("a[1] *?", "[!a]", "[^a]", "[a-b]", "]", "[[]", "**", "it's", "source=7", "~x", "a;b", "{a,b}[1]", "back\\slash")
DECOYS = ("a1 xy", "a", "b", "xx", "back")


@pytest.fixture
def files(tmp_path):
    """By the name of its folder, a file that holds this name as its `source`."""
    made = {}
    for name in (*ODD, *DECOYS):
        made[name] = tmp_path / name / "part.parquet"
        made[name].parent.mkdir()
        pl.DataFrame({"source": [name]}).write_parquet(made[name])
    return made


@pytest.mark.parametrize("name", ODD)
def test_a_file_and_no_other(files, name):
    assert parquet.scan(files[name]).collect().rows() == [(name,)]
    assert parquet.scan([files[name], files["a"]]).collect().rows() == [(name,), ("a",)]
    assert duckdb.sql(f"from {parquet.in_sql([files[name]])}").fetchall() == [(name,)]


@pytest.mark.parametrize("name", ODD)
def test_the_file_and_its_pattern_are_all_that_must_be_allowed(files, name):
    path = str(files[name])
    connection = duckdb.connect()
    connection.execute("set allowed_paths = ?", [[path, parquet.pattern(path)]])
    connection.execute("set enable_external_access = false")
    assert connection.sql(f"from {parquet.in_sql([path])}").fetchall() == [(name,)]


def test_a_path_that_duckdb_has_no_words_for():
    with pytest.raises(DatasetError, match="Rename that folder"):
        parquet.pattern("/back\\slash/a[1]/part.parquet")


def test_no_other_module_reads_parquet_files():
    direct = re.compile(r"(?:read|scan)_parquet|parquet_scan|\bscan_arrow|duckdb\.from_parquet")
    package = ROOT / "winf_analyzer"
    found = [path.relative_to(package) for path in package.rglob("*.py") if direct.search(path.read_text("utf-8"))]
    assert list(map(str, found)) == ["_util/parquet.py"]
