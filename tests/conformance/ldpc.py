"""Symbols of an LDPC-coded PSDU by the standard's steps (802.11-2020, 19.3.11.7.5; 21.3.10.5.4), row by row."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import polars as pl

CODE_RATES = [1 / 2, 1 / 2, 3 / 4, 1 / 2, 3 / 4, 2 / 3, 3 / 4, 5 / 6, 3 / 4, 5 / 6]
"""R by MCS (tables 19-27 and 21-30); of HT by MCS modulo 8."""

SERVICE_BITS = 16
NEAR = 1e-6
"""Code rates are no whole multiples of 2^-n: quotients are compared with this much room."""


def ht_symbols(octets: pl.Expr, data_bits: pl.Expr, code_rate: pl.Expr, pair: pl.Expr) -> pl.Expr:
    """N_SYM of HT where the column ``ldpc`` is true, else null: the payload is SERVICE and the PSDU, without padding.

    Args:
        octets: of the PSDU.
        data_bits: N_DBPS.
        code_rate: R.
        pair: m_STBC, 2 with space-time block coding, else 1.
    """
    return _row_by_row(_ht_symbols, octets, data_bits, code_rate, pair)


def vht_symbols(octets: pl.Expr, data_bits: pl.Expr, code_rate: pl.Expr, pair: pl.Expr, extra: pl.Expr) -> pl.Expr:
    """N_SYM of VHT where the column ``ldpc`` is true, else null: padding up to the whole symbol is coded, too.

    Args:
        octets: of the PSDU.
        data_bits: N_DBPS.
        code_rate: R.
        pair: m_STBC, 2 with space-time block coding, else 1.
        extra: whether VHT-SIG-A tells of an extra symbol; null where it was not recorded.
    """
    told = pl.when(extra).then(1).when(extra.is_null()).then(-1).otherwise(0)
    return _row_by_row(_vht_symbols, octets, data_bits, code_rate, pair, told)


def _row_by_row(symbols: Callable[..., int], *arguments: pl.Expr) -> pl.Expr:
    """A function of numbers as an expression. As one of Polars' it would have megabytes, and take seconds to plan."""
    columns = [pl.col("ldpc"), *arguments]

    def apply(rows: pl.Series) -> pl.Series:
        numbers = rows.struct.unnest().rows()
        counts = (None if not ldpc or None in row else symbols(*row) for ldpc, *row in numbers)
        return pl.Series(counts, dtype=pl.Float64)

    struct = pl.struct(column.alias(str(place)) for place, column in enumerate(columns))
    return struct.map_batches(apply, return_dtype=pl.Float64)


@cache
def _ht_symbols(octets: int, data_bits: float, code_rate: float, pair: int) -> int:
    payload = 8 * octets + SERVICE_BITS
    symbols = _whole(payload / (data_bits * pair)) * pair
    needs_extra = _is_punctured_much(payload, symbols * data_bits / code_rate, code_rate)
    return symbols + (pair if needs_extra else 0)


@cache
def _vht_symbols(octets: int, data_bits: float, code_rate: float, pair: int, extra: int) -> int:
    symbols = _whole((8 * octets + SERVICE_BITS) / (data_bits * pair)) * pair
    needs_extra = _is_punctured_much(symbols * data_bits, symbols * data_bits / code_rate, code_rate)
    return symbols + (pair if extra == 1 or (extra < 0 and needs_extra) else 0)


def _is_punctured_much(payload: float, available: float, code_rate: float) -> bool:
    """Step d: whether the codewords of table 19-16 would lose too many of their parity bits."""
    parity_share = 1 - code_rate
    codewords, length = _codewords(payload, available, code_rate)
    coded = codewords * length
    shortened = max(0.0, coded * code_rate - payload)
    punctured = max(0.0, coded - available - shortened)
    parity = coded * parity_share
    barely_shortened = shortened < 1.2 * punctured * code_rate / parity_share - NEAR
    return (punctured > 0.1 * parity + NEAR and barely_shortened) or punctured > 0.3 * parity + NEAR


def _codewords(payload: float, available: float, code_rate: float) -> tuple[int, int]:
    """N_CW and L_LDPC (table 19-16)."""

    def fits(bits: int) -> bool:
        return available >= payload + bits * (1 - code_rate) - NEAR

    if available <= 648:
        return 1, 1296 if fits(912) else 648
    if available <= 1296:
        return 1, 1944 if fits(1464) else 1296
    if available <= 1944:
        return 1, 1944
    if available <= 2592:
        return 2, 1944 if fits(2916) else 1296
    return _whole(payload / (1944 * code_rate)), 1944


def _whole(number: float) -> int:
    return math.ceil(number - NEAR)
