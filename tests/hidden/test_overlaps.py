"""Overlapping exchanges, against every pair compared with every other."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winf_analyzer import _core
from winf_analyzer._hidden.evidence import collect_evidence
from winf_analyzer._schema import complete
from winf_analyzer.estimators import EXCHANGES_SCHEMA

SAME_SLOT_US = 25
MAX_AT_ONCE = 40
EXCHANGES = st.lists(
    st.tuples(
        st.sampled_from("st"),
        st.sampled_from([f"02:00:00:00:00:0{n}" for n in "abc"]),
        st.sampled_from([None, "02:00:00:00:00:0a", "01:00:5e:00:00:01", "02:00:00:00:00:0d"]),
        st.integers(0, 300),
        st.integers(1, 30),
        st.booleans(),
    ),
    max_size=30,
)


def table(exchanges):
    """Basic exchanges of (source, sender, receiver, start, length, complete), milliseconds."""
    rows = [
        {
            "source": source,
            "sender": sender,
            "receiver": receiver,
            "kind": "basic",
            "complete": complete,
            "start_ns": at * 10**6,
            "end_ns": (at + long) * 10**6,
            "data_start_ns": at * 10**6,
            "data_ns": (at + long) * 10**6 - 500_000,
        }
        for source, sender, receiver, at, long, complete in exchanges
    ]
    rows.sort(key=lambda row: row["end_ns"])
    return complete(pl.LazyFrame(rows, schema=EXCHANGES_SCHEMA).drop("is_group"), "exchanges")


def compared(exchanges):
    """Late starts, overlapped, overlapped and failed, overlap_ns by source, sender and other."""
    sums = {}
    every = exchanges.collect().to_dicts()
    for own in every:
        for other in every:
            first, second = sorted((own, other), key=lambda row: row["start_ns"])
            apart = second["start_ns"] - first["start_ns"] > SAME_SLOT_US * 1000
            talk = own["receiver"] == other["sender"] or other["receiver"] == own["sender"]
            overlap_ns = min(own["end_ns"], other["end_ns"]) - second["start_ns"]
            if own["source"] != other["source"] or own["sender"] == other["sender"] or overlap_ns <= 0:
                continue
            if talk or not apart:
                continue
            is_late = own is first and other["start_ns"] < own["data_ns"]
            is_attempt = own["receiver"] is not None and not own["receiver"].startswith("01")
            found = is_late, is_attempt, is_attempt and not own["complete"], is_attempt * overlap_ns
            if is_late or is_attempt:
                key = own["source"], own["sender"], other["sender"]
                sums[key] = [total + more for total, more in zip(sums.get(key, [0] * 4), found, strict=True)]
    return sums


@settings(deadline=None)
@given(EXCHANGES, st.integers(1, 12))
def test_each_pair_once_however_the_table_is_cut(exchanges, size):
    rows = table(exchanges)
    found = {tuple(row[:3]): list(row[3:]) for row in collect_evidence(rows, size).overlaps.iter_rows()}
    assert found == compared(rows)


def test_a_thousand_at_once_do_not_compare_each_with_each():
    crowd = [("s", f"02:00:00:00:00:0{n}", "x", at, 45, True) for at in range(5) for n in "ab" for _ in range(100)]
    assert 0 < collect_evidence(table(crowd)).overlaps["overlapped"].sum() <= 2 * MAX_AT_ONCE * len(crowd)


def test_many_exchanges_in_any_order_of_their_starts():
    """More than are compared at a time; the long ones come last though they began first."""
    pairs = [("s", f"02:00:00:00:00:0{n}", "x", 50 * at + (n == "b"), 45, True) for at in range(6000) for n in "ab"]
    found = collect_evidence(table(pairs)).overlaps
    assert found.select("late_starts", "overlapped").sort("late_starts").rows() == [(0, 6000), (6000, 6000)]
    assert found["overlap_ns"].to_list() == [6000 * 44 * 10**6] * 2


@pytest.mark.parametrize("name", ["start_ns", "kind", "complete"])
def test_a_table_of_another_kind_is_refused(name):
    rows = table([("s", "a", "b", 0, 1, True)]).collect().with_columns(hidden=pl.lit(value=False))
    with pytest.raises(ValueError, match=f"the column {name} has another type"):
        _core.HiddenEvidence([]).add(rows.with_columns(pl.lit(1.5).alias(name)))
    with pytest.raises(ValueError, match=f"the column {name} is missing"):
        _core.HiddenEvidence([]).add(rows.drop(name))
