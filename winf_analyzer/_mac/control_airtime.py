"""Airtime of an RTS that was not heard, from the CTS that answered it at the same rate."""

import polars as pl

from winf_analyzer._mac.constants import constant, whole

RTS_BITS, CTS_BITS = 8 * whole("rts"), 8 * whole("cts")
LONG_PLCP_NS, SHORT_PLCP_NS = round(1e3 * constant("long_plcp")), round(1e3 * constant("short_plcp"))
OFDM_PREAMBLE_NS, OFDM_SYMBOL_NS = round(1e3 * constant("ofdm_preamble")), round(1e3 * constant("ofdm_symbol"))
SERVICE_AND_TAIL_BITS = whole("ofdm_service_and_tail")

OFDM_CTS_MAX_NS, HALF_CTS_MAX_NS = 52_000, 100_000
"""No OFDM CTS at 20 MHz is longer than the first (6 Mb/s and the signal extension: 50 us), none at 10 MHz that is as
short has a mandatory rate (12 Mb/s: 56 us), nor is one longer than the second (3 Mb/s: 88 us), and no DSSS CTS is as
short as that (11 Mb/s: 107 us)."""


def rts_ns(cts_ns: pl.Expr) -> pl.Expr:
    """Airtime of the RTS that a CTS of `cts_ns` answered: the CTS takes its rate from it (10.6.6.5.2).

    Exact for DSSS, and for OFDM at 6, 12 and 24 Mb/s, the mandatory rates (half of them at 10 MHz); null if the CTS is.
    """
    half = pl.when(cts_ns < HALF_CTS_MAX_NS).then(2 * _ofdm(cts_ns // 2)).otherwise(_dsss(cts_ns))
    return pl.when(cts_ns < OFDM_CTS_MAX_NS).then(_ofdm(cts_ns)).otherwise(half)


def _dsss(cts_ns: pl.Expr) -> pl.Expr:
    plcp = pl.when(cts_ns > LONG_PLCP_NS).then(LONG_PLCP_NS).otherwise(SHORT_PLCP_NS)
    return plcp + (cts_ns - plcp) * RTS_BITS // CTS_BITS


def _ofdm(cts_ns: pl.Expr) -> pl.Expr:
    """The signal extension of 2.4 GHz, which is no whole symbol, is in both."""
    symbols = (cts_ns - OFDM_PREAMBLE_NS) // OFDM_SYMBOL_NS
    bits = pl.when(symbols >= 6).then(24).when(symbols >= 3).then(48).otherwise(96)
    more = (RTS_BITS + SERVICE_AND_TAIL_BITS + bits - 1) // bits - (CTS_BITS + SERVICE_AND_TAIL_BITS + bits - 1) // bits
    return cts_ns + more * OFDM_SYMBOL_NS
