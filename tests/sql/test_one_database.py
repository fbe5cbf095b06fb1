"""Commands that follow one another read short tables once: what they see is the dataset as it is."""

from __future__ import annotations

from contextlib import closing

import duckdb
import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._schema import schema
from winf_analyzer._sql.query import DamagedTableWarning, connect, connected, one_database
from winf_analyzer._sql.views import held


@pytest.fixture
def dataset(tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    return winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf")


def rows(connection, tables):
    return {table: connection.execute(f"from {table} order by all").fetchall() for table in tables}


def test_later_connections_see_what_was_changed_in_between(dataset):
    with one_database():
        with connected(dataset, tables=["frames", "estimates"]) as before:
            assert rows(before, ["frames"])["frames"]
            assert not rows(before, ["estimates"])["estimates"]
            before.execute("create temp table own as from frames")
        winf_analyzer.estimate(dataset)
        with closing(connect(dataset)) as shared:
            found = rows(shared, dataset.tables)
            with pytest.raises(duckdb.CatalogException):
                shared.execute("from own")
    with closing(connect(dataset)) as alone:
        assert found == rows(alone, dataset.tables)
    assert found["estimates"]


def test_its_queries_read_nothing_else(dataset, tmp_path):
    (tmp_path / "secret.csv").write_text("a\n1\n", encoding="ascii")
    with one_database(), closing(connect(dataset)) as shared:
        for query in (f"from read_csv('{tmp_path / 'secret.csv'}')", "set enable_external_access = true"):
            with pytest.raises(duckdb.Error):
                shared.execute(query)


def test_a_damaged_table_is_left_out(dataset):
    (part,) = dataset.parts("nodes")
    part.write_bytes(bytes(part.stat().st_size))
    with one_database(), pytest.warns(DamagedTableWarning), closing(connect(dataset)) as shared:
        assert not shared.execute("select * from duckdb_tables() where table_name = 'nodes'").fetchall()


def test_a_part_of_an_older_version_is_not_held(tmp_path):
    complete, older = tmp_path / "it's.parquet", tmp_path / "older.parquet"
    nodes = pl.DataFrame(schema=schema("nodes"))
    nodes.write_parquet(complete)
    nodes.drop("ssid").write_parquet(older)
    with closing(duckdb.connect()) as connection:
        assert held(connection, "nodes", [str(complete)])
        assert connection.execute("from nodes").description
        assert not held(connection, "nodes", [str(older)])
        connection.execute("create view nodes as select 1")
        assert not held(connection, "nodes", [str(older)])


def test_macros_are_made_for_queries_that_may_name_them(dataset):
    def macros(connection):
        asked = "select function_name from duckdb_functions() where function_name in ('exchange_class', 'busy_bins')"
        return sorted(name for (name,) in connection.execute(asked).fetchall())

    both = ["busy_bins", "exchange_class"]
    for query, made in (("from busy_bins(5)", both), ("from exchanges", []), ("from duckdb_functions()", both)):
        with connected(dataset, query) as connection:
            assert macros(connection) == made
    with connected(dataset) as connection:
        assert macros(connection) == both
    with connected(dataset, tables=["exchanges"]) as connection:
        assert macros(connection) == []
