"""The schemas: what is stated of a table is what its files hold and say of themselves, and what the documents print."""

import base64
import json
import runpy
import shutil

import duckdb
import polars as pl
import pytest
from folders import ROOT
from polars.testing import assert_frame_equal

import winf_analyzer
from winf_analyzer import _core
from winf_analyzer._dataset.dataset import Dataset, write_part
from winf_analyzer._schema import schema, table, tables
from winf_analyzer._sql.named_queries import named_queries

NAMES = [each.name for each in tables()]
GROUP = ("01:", "03:", "05:", "07:", "09:", "0b:", "0d:", "0f:", "33:", "ff:")


def test_there_is_a_file_for_every_table():
    files = (ROOT / "winf_analyzer" / "_schema" / "tables").glob("*.toml")
    assert sorted(file.stem for file in files) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_parts_have_the_stated_columns_and_types(demo_dataset, name):
    for part in demo_dataset.parts(name):
        assert pl.Schema(pl.read_parquet_schema(part)) == schema(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_part_without_rows_has_all_columns_and_no_row_group(name, tmp_path):
    part = tmp_path / "part.parquet"
    _core.write_part(part, name)
    groups = duckdb.sql(f"select num_row_groups, num_rows from parquet_file_metadata('{part}')").fetchall()
    assert groups == [(0, 0)]
    assert pl.read_parquet(part).schema == schema(name)
    assert duckdb.read_parquet(str(part)).columns == list(schema(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_part_says_what_it_is(demo_dataset, name):
    stated = {column.name: {"unit": column.unit, "meaning": column.meaning} for column in table(name).columns}
    parts = demo_dataset.parts(name)
    assert parts
    for part in parts:
        rows = duckdb.sql(f"select decode(key), decode(value) from parquet_kv_metadata('{part}')").fetchall()
        said = dict(rows)
        assert said["winf.table"] == name
        assert said["winf.version"] == winf_analyzer.__version__
        assert said["winf.format_version"] == str(_core.FORMAT_VERSION)
        assert json.loads(said["winf.columns"]) == stated
        assert list(json.loads(said["winf.columns"])) == list(stated)
        assert "ARROW:schema" in said


@pytest.mark.parametrize("name", ["frames", "estimates"])  # one that is written natively, one by Polars
def test_fields_carry_unit_meaning_and_source(demo_dataset, name):
    for part in demo_dataset.parts(name):
        query = f"select decode(value) from parquet_kv_metadata('{part}') where decode(key) = 'ARROW:schema'"
        message = base64.b64decode(duckdb.sql(query).fetchall()[0][0])
        for column in table(name).columns:
            for said in (column.name, column.unit, column.meaning, column.source):
                assert said.encode() in message, (column.name, said)


def test_a_part_with_other_columns_is_refused(tmp_path):
    (tmp_path / "nodes").mkdir()
    with pytest.raises(pl.exceptions.PolarsError):
        write_part(pl.DataFrame({"node": ["a"]}), tmp_path / "nodes" / "part-00000.parquet")


def test_the_document_is_current():
    tool = runpy.run_path(str(ROOT / "tools" / "document_tables.py"))
    assert tool["DOCUMENT"].read_text(encoding="utf-8") == tool["document"](), "run `make docs-tables`"


def test_the_listing_has_every_column():
    listed = winf_analyzer.list("tables")
    assert listed.columns == ["table", "column", "type", "meaning", "unit", "source"]
    assert listed.height == sum(len(each.columns) for each in tables())
    assert listed.row(by_predicate=(pl.col("table") == "frames") & (pl.col("column") == "ts_ns"))[4] == "ns"


@pytest.mark.parametrize(("name", "address"), [("frames", "ra"), ("exchanges", "receiver")])
def test_is_group_is_the_first_bit_of_the_address(demo_dataset, name, address):
    rows = demo_dataset.scan(name).select(address, "is_group").unique().collect()
    assert rows["is_group"].any()
    for text, is_group in rows.iter_rows():
        assert is_group == (None if text is None else text.startswith(GROUP)), text


@pytest.fixture(scope="module")
def older(demo_dataset, tmp_path_factory):
    """The demo's dataset as winf 0.1.0 wrote it: without `is_group`, and files that say nothing of themselves."""
    root = tmp_path_factory.mktemp("older") / "run.winf"
    shutil.copytree(demo_dataset.path, root)
    for name in ("frames", "exchanges"):
        for part in Dataset.open(root).parts(name):
            pl.read_parquet(part).drop("is_group").write_parquet(part)
    metadata = json.loads((root / "dataset.json").read_text())
    former = {key: value for key, value in metadata.items() if key not in ("signature", "id", "tables", "made")}
    (root / "dataset.json").write_text(json.dumps(former))
    return Dataset.open(root)


@pytest.mark.parametrize("name", ["frames", "exchanges"])
def test_an_older_dataset_has_the_column(demo_dataset, older, name):
    assert_frame_equal(older.scan(name).collect(), demo_dataset.scan(name).collect())
    assert_frame_equal(
        winf_analyzer.sql(older, f"select * from {name}"), winf_analyzer.sql(demo_dataset, f"select * from {name}")
    )


@pytest.mark.parametrize("query", ["completeness", "hidden_nodes"])
def test_an_older_dataset_answers(demo_dataset, older, query):
    asked = named_queries()[query]
    assert_frame_equal(winf_analyzer.sql(older, asked), winf_analyzer.sql(demo_dataset, asked))


def test_an_older_dataset_is_searched_for_hidden_pairs(demo_dataset, older):
    assert_frame_equal(winf_analyzer.hidden_pairs(older), demo_dataset.scan("hidden_pairs").collect())
