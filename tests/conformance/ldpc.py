"""Symbols of an LDPC-coded PSDU by the standard's steps (802.11-2020, 19.3.11.7.5; 21.3.10.5.4), as expressions."""

from __future__ import annotations

import polars as pl

CODE_RATES = [1 / 2, 1 / 2, 3 / 4, 1 / 2, 3 / 4, 2 / 3, 3 / 4, 5 / 6, 3 / 4, 5 / 6]
"""R by MCS (tables 19-27 and 21-30); of HT by MCS modulo 8."""

SERVICE_BITS = 16
NEAR = 1e-6
"""Code rates are no whole multiples of 2^-n: quotients are compared with this much room."""


def ht_symbols(octets: pl.Expr, data_bits: pl.Expr, code_rate: pl.Expr, pair: pl.Expr) -> pl.Expr:
    """N_SYM of HT: the payload is SERVICE and the PSDU; padding is not coded.

    Args:
        octets: of the PSDU.
        data_bits: N_DBPS.
        code_rate: R.
        pair: m_STBC, 2 with space-time block coding, else 1.
    """
    payload = 8 * octets + SERVICE_BITS
    symbols = _whole(payload / (data_bits * pair)) * pair
    return symbols + pl.when(_is_punctured_much(payload, symbols * data_bits / code_rate, code_rate)).then(
        pair
    ).otherwise(0)


def vht_symbols(octets: pl.Expr, data_bits: pl.Expr, code_rate: pl.Expr, pair: pl.Expr, extra: pl.Expr) -> pl.Expr:
    """N_SYM of VHT: padding up to the whole symbol is coded, too. VHT-SIG-A says whether there is an extra symbol.

    Args:
        octets: of the PSDU.
        data_bits: N_DBPS.
        code_rate: R.
        pair: m_STBC, 2 with space-time block coding, else 1.
        extra: what VHT-SIG-A says; null where it was not recorded.
    """
    symbols = _whole((8 * octets + SERVICE_BITS) / (data_bits * pair)) * pair
    needs = _is_punctured_much(symbols * data_bits, symbols * data_bits / code_rate, code_rate)
    return symbols + pl.when(extra.fill_null(needs)).then(pair).otherwise(0)


def _is_punctured_much(payload: pl.Expr, available: pl.Expr, code_rate: pl.Expr) -> pl.Expr:
    """Step d: whether the codewords of table 19-16 would lose too many of their parity bits."""
    parity_share = 1 - code_rate
    many = _whole(payload / (1944 * code_rate))
    codewords = pl.when(available <= 1944).then(1).when(available <= 2592).then(2).otherwise(many)

    def fits(bits: int) -> pl.Expr:
        return available >= payload + bits * parity_share - NEAR

    length = (
        pl.when(available <= 648).then(pl.when(fits(912)).then(1296).otherwise(648))
        .when(available <= 1296).then(pl.when(fits(1464)).then(1944).otherwise(1296))
        .when(available <= 1944).then(1944)
        .when(available <= 2592).then(pl.when(fits(2916)).then(1944).otherwise(1296))
        .otherwise(1944)
    )  # fmt: skip
    coded = codewords * length
    shortened = (coded * code_rate - payload).clip(0)
    punctured = (coded - available - shortened).clip(0)
    parity = coded * parity_share
    barely_shortened = shortened < 1.2 * punctured * code_rate / parity_share - NEAR
    return ((punctured > 0.1 * parity + NEAR) & barely_shortened) | (punctured > 0.3 * parity + NEAR)


def _whole(number: pl.Expr) -> pl.Expr:
    return (number - NEAR).ceil()
