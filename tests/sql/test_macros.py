"""The SQL functions of `_sql/macros.py` that make tables."""

from __future__ import annotations

import random
import re
from collections import Counter
from contextlib import closing
from typing import Any

import duckdb
import pytest
from folders import ROOT

import winf_analyzer
from winf_analyzer._sql.macros import BUSY_BINS, EXCHANGE_CLASS, MACROS

WIDTH_NS = 250_000_000


def exchanges(seed: int, *, longest_ns: int, disorder: float) -> list[tuple[Any, ...]]:
    """Recorder, channel, start and end of exchanges, a share of which is not in the order of time."""
    draw = random.Random(seed)
    rows = []
    for observer in (None, "00:00:00:00:00:0a"):
        at = 10**9
        for _ in range(300):
            at += draw.choice([0, 1, 50_000, 40_000_000, 400_000_000])
            end = at + draw.randint(-1, longest_ns)
            if (observer, at, end) not in {(row[0], row[2], row[3]) for row in rows}:  # of two alike either may count
                rows.append((observer, draw.choice([2412, 5180]), at, end))
    places = [place + (draw.random() < disorder) * draw.uniform(-20, 20) for place in range(len(rows))]
    return [row for _, row in sorted(zip(places, rows, strict=True), key=lambda placed: placed[0])]


def expected(rows: list[tuple[Any, ...]]) -> tuple[Counter[tuple[Any, ...]], Counter[tuple[Any, ...]]]:
    """Busy time, and exchanges that ended, by recorder, channel and bin, one exchange after the other."""
    busy: Counter[tuple[Any, ...]] = Counter()
    ended: Counter[tuple[Any, ...]] = Counter()
    first_ns = min(start for *_, start, _ in rows)
    covered: dict[str | None, int] = {}
    timed = [row for row in rows if row[3] > row[2]]
    for observer, channel, start, end in sorted(timed, key=lambda row: row[2:]):
        at, last = max(start, covered.get(observer, start)) - first_ns, end - first_ns
        covered[observer] = max(end, covered.get(observer, end))
        ended[observer, channel, (last - 1) // WIDTH_NS] += 1
        while at < last:
            place = at // WIDTH_NS
            until = min(last, (place + 1) * WIDTH_NS)
            busy[observer, channel, place] += until - at
            at = until
    return busy, ended


@pytest.mark.parametrize("disorder", [0, 0.1, 1])
@pytest.mark.parametrize("longest_ns", [30_000, 20_000_000, 100_000_000, 400_000_000])
@pytest.mark.parametrize("seed", range(3))
def test_overlapping_exchanges_count_once_whatever_their_order(seed, longest_ns, disorder):
    rows = exchanges(seed, longest_ns=longest_ns, disorder=disorder)
    with duckdb.connect() as connection:
        connection.execute(
            "create table exchanges (source text, observer text, channel_mhz int, bssid text, kind text, "
            "data_kind text, attempt int, start_ns bigint, end_ns bigint)"
        )
        listed = ", ".join(f"({observer!r}, {channel}, {start}, {end})" for observer, channel, start, end in rows)
        connection.execute(
            "insert into exchanges select 'a', observer, channel, null, 'basic', 'data', 1, start_ns, end_ns "
            f"from (values {listed.replace('None', 'null')}) as rows (observer, channel, start_ns, end_ns)"
        )
        connection.execute(EXCHANGE_CLASS)
        connection.execute(BUSY_BINS)
        found = connection.execute(
            f"select observer, channel_mhz, bin, busy_ns, exchanges from busy_bins({WIDTH_NS})"
        ).fetchall()
    busy, ended = expected(rows)
    assert {tuple(key): ns for *key, ns, _ in found if ns > 0} == busy
    assert {tuple(key): number for *key, _, number in found if number > 0} == ended


@pytest.mark.parametrize(
    ("table", "macro", "counted"),
    [
        ("frames", "frame_sums", "sum(frames), min(first_ns), max(last_ns), sum(signals)"),
        (
            "exchanges",
            "exchange_sums",
            "sum(exchanges), min(first_ns), max(until_ns), sum(airtime_ns) filter (where timed)",
        ),
    ],
)
def test_sums_are_those_of_the_table(demo_dataset, table, macro, counted):
    of_table = {
        "frames": "count(*), min(ts_ns), max(ts_ns), count(signal_dbm)",
        "exchanges": "count(*), min(start_ns), max(coalesce(end_ns, start_ns)), "
        "sum(end_ns - start_ns) filter (where end_ns > start_ns)",
    }
    direct, summed = (
        winf_analyzer.sql(demo_dataset, f"select source, {columns} from {source} group by source order by source")
        for columns, source in ((of_table[table], table), (counted, f"{macro}()"))
    )
    assert direct.rows() == summed.rows()


def test_recorders_are_those_with_known_airtimes(demo_dataset):
    direct, summed = (
        winf_analyzer.sql(demo_dataset, f"{query} order by source, observer").rows()
        for query in (
            "select source, observer, min(start_ns), max(end_ns), sum(end_ns - start_ns) from exchanges "
            "where end_ns > start_ns group by source, observer",
            "select source, observer, first_ns, last_ns, airtime_ns from recorders()",
        )
    )
    assert direct == summed


def test_a_function_finds_the_tables_of_those_it_calls(demo_dataset):
    query = "select count(*) from recorders(), (select 1 from nodes limit 1)"
    assert winf_analyzer.sql(demo_dataset, query).row(0)[0] > 0


def test_the_channel_of_a_network_is_that_which_most_of_its_announcements_name():
    told = [
        *[(5200, 20, 5200, None, "beacon", None)] * 4,
        *[(5180, None, None, None, "beacon", True)] * 3,  # cut off behind the primary channel
        *[(5180, 80, 5210, None, "probe_resp", True)] * 2,
        (5180, 40, 5190, None, "beacon", True),
        *[(5220, 20, 5220, None, "beacon", False)] * 9,
    ]
    with closing(duckdb.connect()) as connection:
        connection.execute(
            "create table frames (source text, layer text, bssid text, bss_primary_mhz int, bss_width_mhz int, "
            "bss_centre_mhz int, bss_second_centre_mhz int, kind text, fcs_ok boolean, parse_error text)"
        )
        connection.executemany("insert into frames values ('r', 'mac', 'ap', ?, ?, ?, ?, ?, ?, null)", told)
        connection.execute(MACROS["operating_channels"][0])
        found = connection.execute("from operating_channels()").fetchall()
    assert found == [("r", "ap", 5180, 80, 5210, None, 6)]


@pytest.mark.parametrize(
    ("facts", "all_of_them"),
    [("true, true", True), ("true, null", None), ("true, false", False), ("null, false", False), ("null, null", None)],
)
def test_what_is_not_known_of_one_row_is_not_known_of_all(facts, all_of_them):
    with closing(duckdb.connect()) as connection:
        connection.execute(MACROS["all_true"][0])
        found = connection.execute(
            f"select all_true(fact) from (select unnest([{facts}]::boolean[]) as fact)"
        ).fetchall()
    assert found == [(all_of_them,)]


def test_functions_are_documented():
    documented = re.findall(r"^\| `(\w+)\(", (ROOT / "docs" / "start" / "data-engineer.md").read_text(), re.MULTILINE)
    assert documented == list(MACROS)
