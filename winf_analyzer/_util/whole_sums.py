"""Sums of whole numbers that do not wrap around."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def total(values: pl.Expr) -> pl.Expr:
    """The sum of whole numbers in 64 bits.

    Polars sums a column of 32 bits in 32 bits and wraps around without a word: of octets that is after 2 GiB.
    """
    import polars as pl

    return values.cast(pl.Int64).sum()
