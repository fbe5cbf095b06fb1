"""Values of tables as JSON has them."""

from __future__ import annotations

import json
from decimal import Decimal

import polars as pl
import pytest

from winf_analyzer._util.json_values import for_json

WHOLE, FRACTION = pl.Decimal(38, 0), pl.Decimal(38, 20)


@pytest.mark.parametrize(
    ("values", "dtype", "said"),
    [
        ([7, None], WHOLE, [7, None]),
        ([2**64 - 1], WHOLE, [2**64 - 1]),
        ([Decimal(7), Decimal(2**64)], WHOLE, ["7", str(2**64)]),
        ([Decimal(-7), Decimal(2**63)], WHOLE, ["-7", str(2**63)]),
        ([2**62], pl.Int128, [2**62]),
        ([Decimal("1.50")], FRACTION, [1.5]),
        ([Decimal("0.1")], FRACTION, [0.1]),
        ([Decimal("1234567890123456.7890123")], FRACTION, ["1234567890123456.78901230000000000000"]),
        ([[7, None], []], pl.List(WHOLE), [[7, None], []]),
        ([{"a": 7, "b": "x"}], pl.Struct({"a": WHOLE, "b": pl.String}), [{"a": 7, "b": "x"}]),
        ([b"x"], pl.Binary, ["78"]),
    ],
)
def test_numbers_are_numbers_where_json_keeps_their_value(values, dtype, said):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=dtype)})
    assert [row["x"] for row in json.loads(for_json(frame).write_json())] == said
