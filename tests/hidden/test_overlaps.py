"""Overlapping exchanges, against every pair compared with every other."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from winf_analyzer.hidden.overlaps import MOST_AT_ONCE, overlapping

SCHEMA = {"source": pl.String, "sender": pl.String, "start_ns": pl.Int64, "end_ns": pl.Int64, "row": pl.Int64}
EXCHANGES = st.lists(
    st.tuples(st.sampled_from("st"), st.sampled_from("abc"), st.integers(0, 300), st.integers(1, 30)), max_size=30
)


def table(exchanges):
    ordered = sorted(exchanges, key=lambda exchange: exchange[2] + exchange[3])
    rows = [
        (source, sender, at * 10**6, (at + long) * 10**6, n) for n, (source, sender, at, long) in enumerate(ordered)
    ]
    return pl.DataFrame(rows, SCHEMA, orient="row")


@settings(deadline=None)
@given(EXCHANGES, st.integers(1, 12))
def test_each_pair_once_however_the_table_is_cut(exchanges, size):
    rows = table(exchanges)
    found = [
        frozenset(pair)
        for pairs in overlapping(rows.iter_slices(size), ["row"])
        for pair in pairs.select("row_first", "row_second").iter_rows()
    ]
    every = rows.to_dicts()
    expected = {
        frozenset((one["row"], other["row"]))
        for one in every
        for other in every
        if one["source"] == other["source"]
        and one["sender"] != other["sender"]
        and max(one["start_ns"], other["start_ns"]) < min(one["end_ns"], other["end_ns"])
    }
    assert len(found) == len(set(found))
    assert set(found) == expected


def test_a_thousand_at_once_do_not_compare_each_with_each():
    crowd = table([("s", sender, 0, 30) for sender in "ab" for _ in range(500)])
    assert sum(pairs.height for pairs in overlapping([crowd], ["row"])) <= MOST_AT_ONCE * 1000
