"""What a link can carry at most at the fastest rate that it was seen to use: nobody delivers at the PHY's rate.

Alone on the medium, without backoff and without a loss, a sender pays for the preamble, and for SIFS, the MAC's answer and
SIFS until the next PPDU of its TXOP. One that may aggregate pays that once in aPPDUMaxTime, and for a packet the header
of a subframe of an A-MSDU; another one pays for every packet, and for a MAC header and FCS.
"""

import polars as pl

from winf_analyzer._mac.aggregation import AGGREGATING
from winf_analyzer._mac.constants import LOW_BAND, constant, whole

OFDM_US = 2 * whole("ofdm_preamble") + whole("ofdm_symbol") + 2 * whole("aSIFSTime", "erp", LOW_BAND)
"""Preamble, SIFS, the shortest ACK, SIFS: of a PPDU that one symbol answers, at 2.4 GHz."""

NON_HT_MBPS = (1.0, 2.0, 5.5, 11.0, 6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0)
"""Rates of PHYs that do not aggregate (15.2.3.4, 16.2.3.4, table 17-4)."""

DSSS_MBPS = constant("max_rate", "hr_dsss", LOW_BAND)
DSSS_US = 2 * whole("short_plcp") + 2 * whole("aSIFSTime", "hr_dsss", LOW_BAND) + 8 * whole("ack") / DSSS_MBPS
"""The same with short preambles, and an ACK at 11 Mb/s."""


def ceiling_bps(payload_bits: pl.Expr, msdu_bits: pl.Expr) -> pl.Expr:
    """The most that packets of `msdu_bits` deliver of their `payload_bits`, bit/s; null where no rate is known.

    Reads `rate_max_mbps`, `phy` (one of those used, or null), `mpdus` and `samples` of :mod:`.evidence`.
    """
    rate, phy = pl.col("rate_max_mbps"), pl.col("phy")
    alone_us = pl.when(phy.is_in(["dsss", "hr_dsss"]) & (rate <= DSSS_MBPS)).then(DSSS_US)
    single_bits = msdu_bits + 8 * (whole("data_header") + whole("fcs"))
    singly = payload_bits / (single_bits / rate + alone_us.otherwise(OFDM_US))
    filled = whole("aPPDUMaxTime") / (whole("aPPDUMaxTime") + OFDM_US)
    together = payload_bits / (msdu_bits + 8 * whole("a_msdu_subframe_header")) * rate * filled
    # Of several PHYs one is told; another rate, and what was seen to aggregate, is of one that does.
    aggregates = phy.is_null() | phy.is_in(AGGREGATING) | ~rate.is_in(NON_HT_MBPS) | (pl.col("mpdus") > pl.col("samples"))
    return 1e6 * pl.when(aggregates).then(together).otherwise(singly)
