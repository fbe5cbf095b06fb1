"""Tables whose columns the native module declares, as Polars sees them."""

from __future__ import annotations

import polars as pl

from winf_analyzer import _core

_TYPES: dict[str, pl.DataType] = {
    "Utf8": pl.String(),
    "Int32": pl.Int32(),
    "Int64": pl.Int64(),
    "Float64": pl.Float64(),
    "Boolean": pl.Boolean(),
}


def schema(table: str) -> pl.Schema:
    """Names and types of a table's columns; of tables with flat columns only."""
    columns = next(columns for name, _, columns in _core.tables() if name == table)
    return pl.Schema({name: _TYPES[kind] for name, kind, _ in columns})
