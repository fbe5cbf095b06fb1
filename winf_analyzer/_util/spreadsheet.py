r"""CSV that terminals, spreadsheets and line-based tools can open without harm.

Texts come from recordings, where anybody can put them on the air. In CSV, therefore:

- a text that begins with ``=``, ``+``, ``-``, ``@``, their forms of double width, a tab or an end of line, also behind
  spaces, gets an apostrophe in front: spreadsheets take it for a formula;
- control characters, ends of lines, and those that change the direction of writing, are written as ``\xNN`` or
  ``\uNNNN``;
- lists and structures are JSON text, octets are hexadecimal.

The other formats hold every value as it is.
"""

from __future__ import annotations

import json

import polars as pl

from winf_analyzer._util.format import printable

FORMULA = r"^[\s\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]"
_UNSAFE = r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"


def for_csv(frame: pl.DataFrame) -> pl.DataFrame:
    """The table with all columns as CSV can hold them, and texts without control characters and formulas."""
    columns = [_column(column) for column in frame.iter_columns()]
    names = pl.Series(frame.columns, dtype=pl.String)
    return pl.DataFrame([column.alias(name) for column, name in zip(columns, _text(names), strict=True)])


def _column(column: pl.Series) -> pl.Series:
    if column.dtype.is_nested():
        return pl.Series([None if value is None else _json(value) for value in column], dtype=pl.String)
    if column.dtype == pl.Binary:
        return column.bin.encode("hex")
    if column.dtype == pl.Duration:
        return column.dt.to_string("iso")
    if isinstance(column.dtype, pl.String | pl.Categorical | pl.Enum):
        return _text(column.cast(pl.String))
    return column


def _text(column: pl.Series) -> pl.Series:
    dangerous = column.str.contains(FORMULA).fill_null(value=False)
    if dangerous.any():
        column = pl.select(pl.when(dangerous).then("'" + column).otherwise(column)).to_series()
    unsafe = column.str.contains(_UNSAFE).fill_null(value=False)
    if unsafe.any():
        column = pl.Series([None if text is None else printable(text) for text in column], dtype=pl.String)
    return column


def _json(value: object) -> str:
    plain = value.to_list() if isinstance(value, pl.Series) else value
    return json.dumps(plain, default=str, ensure_ascii=True)
