"""Commands that follow one another read short tables once: what they see is the dataset as it is."""

from __future__ import annotations

from contextlib import closing

import duckdb
import pcaps
import pytest

import winf_analyzer
from winf_analyzer._sql.query import DamagedTableWarning, connect, connected, one_database


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
