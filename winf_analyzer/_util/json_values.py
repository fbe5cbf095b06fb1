"""Tables as JSON can hold them.

- Octets are hexadecimal, as in CSV.
- Whole numbers of more than 64 bits and decimal fractions, which DuckDB makes of sums and of constants such as ``1.5``,
  are numbers where JSON's keep their value in the whole column; Polars would write them as texts.
"""

from __future__ import annotations

from typing import Any

import polars as pl


def for_json(frame: pl.DataFrame) -> pl.DataFrame:
    """The table with all columns as JSON can hold them."""
    return frame.with_columns(pl.col(pl.Binary).bin.encode("hex")).with_columns(
        _number(column) for column in frame.iter_columns() if _narrow(column.dtype, pl.Int64()) != column.dtype
    )


def _number(column: pl.Series) -> pl.Series:
    for whole in (pl.Int64(), pl.UInt64()):
        try:
            found = column.cast(_narrow(column.dtype, whole))
            if found.cast(column.dtype).equals(column, null_equal=True):
                return found
        except pl.exceptions.InvalidOperationError:  # a number of more bits
            continue
    return column


def _narrow(dtype: Any, whole: pl.DataType) -> Any:
    """The type with numbers that JSON has, of which whole ones are of this type."""
    match dtype:
        case pl.Int128() | pl.UInt128() | pl.Decimal(scale=0):
            return whole
        case pl.Decimal():
            return pl.Float64()
        case pl.List(inner=inner):
            return pl.List(_narrow(inner, whole))
        case pl.Array(inner=inner, shape=shape):
            return pl.Array(_narrow(inner, whole), shape[0])
        case pl.Struct(fields=fields):
            return pl.Struct({field.name: _narrow(field.dtype, whole) for field in fields})
    return dtype
