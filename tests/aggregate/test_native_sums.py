"""Sums by group and smoothing are native: the same bits as Polars has them."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from properties import examples

from winf_analyzer import _core
from winf_analyzer._aggregate import sort_keys
from winf_analyzer._aggregate.sort_keys import grouped

ROWS = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.none() | st.booleans(),
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.none() | st.integers(-(2**40), 2**40).map(float),
    ),
    max_size=60,
)
SCHEMA = {"group": pl.UInt32, "flag": pl.Boolean, "whole": pl.Int64, "float": pl.Float64}
VALUES = st.floats(-1e9, 1e9) | st.sampled_from([0.0, 1.0])


@examples(40)
@given(ROWS)
def test_sums_are_those_of_a_group_by(rows):
    table = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    sums = table.group_by("group").agg(pl.all().sum()).sort("group")
    found = pl.DataFrame(_core.group_sums(table))
    assert_frame_equal(found, sums.with_columns(pl.col("flag").cast(pl.Int64)))


FLOATS = st.none() | st.sampled_from([0.0, 1e300, -1e300, 1e-9]) | st.floats(-1e16, 1e16)


@examples(40)
@given(st.lists(st.tuples(st.none() | st.sampled_from("abc"), st.integers(0, 1), FLOATS, FLOATS), max_size=60))
def test_sums_in_order_are_those_of_few_rows(rows):
    table = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.Int64, "x": pl.Float64, "y": pl.Float64}, orient="row")
    sums = {"x": pl.col("x"), "twice": pl.col("y") * 2}
    few = grouped(table, ["a", "b"], sums, count=pl.len())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sort_keys, "FEW", -1)
        for keys in (table, table.with_columns(pl.col("a").cast(pl.Categorical), pl.col("b").cast(pl.Int16))):
            many = grouped(keys, ["a", "b"], sums, count=pl.len())
            assert_frame_equal(
                many.cast({"a": pl.String, "b": pl.Int64}), few, check_exact=True, check_column_order=False
            )


def test_texts_are_not_summed():
    with pytest.raises(ValueError, match="are not summed"):
        _core.group_sums(pl.DataFrame({"group": [0], "text": ["a"]}, schema_overrides={"group": pl.UInt32}))


@examples(40)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([None, 1, 2]), VALUES, VALUES), max_size=60))
def test_smoothing_is_that_of_polars_whatever_the_chunks(rows):
    table = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.Int64, "x": pl.Float64, "y": pl.Float64}, orient="row")
    expected = table.with_columns(pl.col("x", "y").ewm_mean(alpha=1 / 8, adjust=False).over("a", "b"))
    smoothing, half = _core.Smoothing(1 / 8), table.height // 3
    chunks = [table[:half], table[half:]]
    found = [pl.DataFrame(smoothing.follow(some.select("a", "b"), some.select("x", "y"))) for some in chunks]
    assert_frame_equal(pl.concat(found), expected.select("x", "y"), check_exact=True)


def test_smoothing_starts_where_it_is_told():
    table = pl.DataFrame({"link": [1, 1, 2], "failed": [1.0, 1.0, 0.0]})
    found = pl.DataFrame(_core.Smoothing(1 / 8, 0.0).follow(table.select("link"), table.select("failed")))
    assert found["failed"].to_list() == [1 / 8, 15 / 64, 0.0]
    with pytest.raises(ValueError, match="has nulls"):
        _core.Smoothing(0.5).follow(table.select("link"), table.select(pl.col("failed").replace(1.0, None)))
