"""Sums of floats across columns."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from winf_analyzer._util.float_sums import sum_in_order

VALUES = st.lists(st.floats(-1e6, 1e6) | st.none(), min_size=1, max_size=13)


@given(VALUES)
def test_columns_are_added_from_the_first_to_the_last(values):
    row = pl.DataFrame({f"{place}": [value] for place, value in enumerate(values)})
    row = row.cast(pl.Float64)
    expected = 0.0
    for value in values:
        expected += value or 0.0
    assert row.select(sum_in_order(row.columns)).item() == expected
