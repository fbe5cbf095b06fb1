"""SQL over a dataset: the views, the sandbox, and every question against its golden answer."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import winf_analyzer
from winf_analyzer._schema import table as stated
from winf_analyzer._schema import tables
from winf_analyzer._sql.failures import of_duckdb
from winf_analyzer._sql.named_queries import named_queries
from winf_analyzer._sql.query import connected

GOLDEN = Path(__file__).parent / "golden"


def test_one_view_per_table(demo_dataset):
    views = winf_analyzer.sql(demo_dataset, "select table_name from information_schema.tables order by 1")
    assert views["table_name"].to_list() == sorted(table.name for table in tables())


@pytest.mark.parametrize("table", ["frames", "exchanges", "nodes", "estimates", "warnings", "comparison", "scores"])
def test_columns_are_the_published_ones(demo_dataset, table):
    found = winf_analyzer.sql(demo_dataset, f"select * from {table} limit 0")
    assert found.columns == stated(table).names


@pytest.mark.parametrize(
    "query",
    [
        "select * from read_text('/etc/hostname')",
        "select * from '/etc/passwd'",
        "select * from glob('/*')",
        "select * from read_csv('dataset.json')",
        "copy frames to 'stolen.parquet'",
        "copy (select 1) to '/tmp/winf-written.csv'",
        "explain analyze copy (select 1) to 'written.csv'",
        "attach 'other.db'",
        "install httpfs",
        "set enable_external_access = true",
        "create table t as select 1",
        "drop view frames",
        "select 1; select 2",
        "export database 'everything'",
        "select * from demo_dataset",
        "",
    ],
)
def test_a_query_only_reads_the_tables(demo_dataset, tmp_path, monkeypatch, query):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(winf_analyzer.UsageError):
        winf_analyzer.sql(demo_dataset, query)
    assert list(tmp_path.iterdir()) == []


def test_the_parts_cannot_be_overwritten(demo_dataset):
    part = demo_dataset.parts("frames")[0].resolve()
    before = part.read_bytes()
    with pytest.raises(winf_analyzer.UsageError):
        winf_analyzer.sql(demo_dataset, f"copy (select 1) to '{part}'")
    assert part.read_bytes() == before


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            named_queries()["channel_busy"],
            "no table 'exchanges' can be read here; `winf ingest` or `winf merge` fills it.",
        ),
        (named_queries()["tcp_rtt"], "no table 'frames' can be read here; `winf ingest` or `winf merge` fills it."),
        ("select * from sent_frames()", "no table 'frames' can be read here; `winf ingest` or `winf merge` fills it."),
        ("from Estimates", "no table 'estimates' can be read here; `winf estimate` fills it."),
        ("from nosuch", "Table with name nosuch does not exist!"),
    ],
    ids=["macro", "table", "macro of a macro", "own", "unknown"],
)
def test_a_table_that_the_dataset_lacks_is_named_and_what_fills_it(replay_dataset, query, said):
    with pytest.raises(winf_analyzer.UsageError, match=f"^SQL: .*{re.escape(said)}"):
        winf_analyzer.sql(replay_dataset, query)


def test_parameters(demo_dataset):
    assert winf_analyzer.sql(demo_dataset, "select $a + 1 as b", parameters={"a": 1})["b"].to_list() == [2]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("channel_busy", "window_s=-2", "window_s is a number from 0.000001 to 1000000000, not -2"),
        ("channel_busy", "window_s=nan", "window_s is a number from 0.000001 to 1000000000, not nan"),
        ("lane_bins", "bins=0", "bins is a whole number from 1 to 1000000, not 0"),
        ("lane_bins", "bins=1.5", "bins is a whole number from 1 to 1000000, not 1.5"),
        ("slowest_exchanges", "rows=x", "rows is a whole number from 1 to 1000000000, not 'x'"),
        ("neighbours", "minimum=-1", "minimum is a whole number from 0 on, not -1"),
        ("capacity", "mode=both", "mode is one of paper, corrected, not 'both'"),
    ],
)
def test_a_parameter_takes_what_its_query_declares(demo_dataset, winf, name, value, said):
    done = winf("sql", demo_dataset.path, "--query", name, "-p", value)
    assert (done.returncode, done.stderr) == (2, f"winf: query {name}: {said}.\n")


def test_every_number_that_a_query_takes_has_a_least_one():
    for query in named_queries().values():
        for name, (default, _) in query.parameters.items():
            if not isinstance(default, str):
                allowed = query.allowed[name]
                assert -math.inf < allowed.least <= default <= allowed.most


def test_numbers_and_texts_become_what_the_parameter_is(demo_dataset):
    values = named_queries()["slowest_exchanges"].parameter_values({"rows": 5.0})
    assert (values, type(values["rows"])) == ({"rows": 5}, int)
    assert named_queries()["mac_parameters"].parameter_values({"parameter": 5}) == {"parameter": "5"}


@pytest.mark.parametrize("query", ["from busy_bins(0)", "from busy_bins(-1)", "from busy_bins('x')", "select $x::int"])
def test_a_value_that_does_not_fit_is_a_usage_error(demo_dataset, winf, query):
    given = ["-p", "x=abc"] if "$x" in query else []
    assert winf("sql", demo_dataset.path, query, *given).returncode == 2


LATE = "select case when i > 900000 then {} else 0 end as a from range(1000000) t(i)"
"""A query that fails when the first rows have been returned."""


@pytest.mark.parametrize(
    ("late", "error", "says"),
    [
        (LATE.format("('a' || i)::int"), winf_analyzer.UsageError, "SQL: Conversion Error: Could not convert string"),
        (LATE.format("error('no such row')"), winf_analyzer.UsageError, "SQL: Invalid Input Error: no such row"),
    ],
)
def test_what_goes_wrong_after_the_first_rows_is_told_like_any_other_error(demo_dataset, winf, late, error, says):
    with pytest.raises(error, match=says):
        winf_analyzer.sql(demo_dataset, late)
    done = winf("sql", demo_dataset.path, late, "--to", "csv")
    assert (done.returncode, done.stdout) == (error.exit_code, "")
    assert says in done.stderr


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("got external error: Out of Memory Error: could not allocate block", duckdb.OutOfMemoryException),
        ("got external error: IO Error: Too many open files", duckdb.IOException),
        ("got external error: INTERRUPT Error: Interrupted!", duckdb.InterruptException),
        ("got external error: Unheard Error: of whatever", duckdb.Error),
        ("something else", duckdb.Error),
    ],
)
def test_an_error_that_polars_tells_is_that_of_duckdb(text, kind):
    error = of_duckdb(text)
    assert type(error) is kind
    assert str(error) == text.removeprefix("got external error: ")


def test_bins_have_any_number_as_their_width(demo_dataset):
    whole, decimal = (
        winf_analyzer.sql(demo_dataset, f"select sum(busy_ns) as ns from busy_bins({width})").item()
        for width in ("1500000000", "1.5e9")
    )
    assert whole == decimal > 0


@pytest.mark.parametrize("name", named_queries())
def test_question_documents_its_columns(demo_dataset, name):
    named_query = named_queries()[name]
    answer = winf_analyzer.sql(demo_dataset, named_query)
    assert named_query.title
    assert list(named_query.columns) == answer.columns


@pytest.mark.parametrize("name", named_queries())
def test_golden_answer(
    demo_dataset, tcp_dataset, hidden_dataset, compared_dataset, replay_dataset, sweep_dataset, name
):
    """Answers on the bundled sample. WINF_UPDATE_GOLDEN=1 writes them anew: read the difference before committing."""
    others = {"scores": compared_dataset, "agreement": compared_dataset, "hidden_pairs": hidden_dataset}
    others["sweep_response"] = sweep_dataset
    others |= {name: replay_dataset for name in named_queries() if name.startswith("replay_")}
    dataset = tcp_dataset if name.startswith("tcp_") else others.get(name, demo_dataset)
    answer = winf_analyzer.sql(dataset, named_queries()[name]).head(200)
    path = GOLDEN / f"{name}.csv"
    if os.environ.get("WINF_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        answer.write_csv(path)
    golden = pl.read_csv(path, schema_overrides=answer.schema)
    assert answer.height > 0, "a golden answer that is empty shows nothing"
    assert_frame_equal(answer, golden, rel_tol=1e-6)


@pytest.mark.parametrize("comment", ["-- how many\n", "--\thow many\n", "--\n"])
def test_a_query_on_the_command_line_may_begin_with_a_comment(comment, winf, demo_dataset):
    """As files of queries do, for `winf sql run.winf "$(cat query.sql)"`."""
    done = winf("sql", demo_dataset.path, f"{comment}select count(*) > 0 as some from frames", "--to", "csv")
    assert (done.returncode, done.stdout) == (0, "some\ntrue\n"), done.stderr
    assert winf("sql", demo_dataset.path, "--nothing", "select 1").returncode == 2


def test_an_asof_join_of_few_rows_is_none_of_all_pairs(demo_dataset):
    """That takes time with the square of the rows, where more come than DuckDB expects."""
    with connected(demo_dataset) as connection:
        connection.execute("create temp table few as select 1 as flow, range as sent from range(3)")
        connection.execute("create temp table many as select 1 as flow, range as heard from range(100000)")
        (plan,) = connection.execute(
            "explain select * from few asof join many on few.flow = many.flow and few.sent >= many.heard"
        ).fetchall()
    assert "asof" in plan[1].lower()
