"""What a recording shows of each link besides the estimates: counts, sizes, rates, and how busy the others were.

Times are added up in whole nanoseconds, so that the sums are the same whatever the order of the rows.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import polars as pl

from winf_analyzer import _core
from winf_analyzer._mac.aggregation import AGGREGATING
from winf_analyzer._mac.constants import LOW_BAND, constant

LINK = ("source", "observer", "sender", "receiver")

SHAPE = (
    *("rts", "bits", "psdu_bits", "mpdus", "psdu_us", "data_us", "ack_us", "answers", "rts_cts_us", "handshakes"),
    *("cts_self", "cts_self_us", "own_cts", "fragments", "rate_max_mbps", "phy", "channel_mhz"),
)
"""What says how the link's exchanges look, rather than how many there are."""


OFDM_US = 2 * constant("ofdm_preamble") + constant("ofdm_symbol") + 2 * constant("aSIFSTime", "erp", LOW_BAND)
"""Preamble, SIFS, the shortest ACK, SIFS: of a PPDU that one symbol answers, at 2.4 GHz."""

NON_HT_MBPS = (1.0, 2.0, 5.5, 11.0, 6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0)
"""Rates of PHYs that do not aggregate (15.2.3.4, 16.2.3.4, table 17-4)."""

DSSS_MBPS = constant("max_rate", "hr_dsss", LOW_BAND)
DSSS_US = 2 * constant("short_plcp") + 2 * constant("aSIFSTime", "hr_dsss", LOW_BAND) + 8 * constant("ack") / DSSS_MBPS
"""The same with short preambles, and an ACK at 11 Mb/s."""


class Evidence(NamedTuple):
    """What the exchanges of a recording show; computed natively in `kernels/src/link_evidence`."""

    links: pl.DataFrame
    """Per :data:`LINK` and `window_start_ns`, null for exchanges without any time: numbers of data exchanges and
    attempts, and sums over the samples among them, which were acknowledged and had payload.

    `attempts`, of which `samples`, `failed`, `retries`, `carrying` (with payload), `rateless` (neither header nor
    airtime tells the rate of that), `timeless` (without start or end), `answers_only` (acknowledged, but the data was
    not heard). Of samples: `rts` (with RTS), `bits`, `mpdus`, `ack_us` of `answers`, `rts_cts_us` (RTS and CTS) of
    `handshakes`, `cts_self` (behind a CTS-to-self), `cts_self_us` of `own_cts` of these, `fragments` (further ones of
    the MSDU of the sample before, which the exchanges of a link must follow in time for), and where the rate is known
    `psdu_bits`, `psdu_us` (without preamble), `data_us` (with it); the largest `rate_max_mbps`, `phy`, `channel_mhz`.
    Null is a sum of nothing.
    """
    media: pl.DataFrame
    """Per `source`, `observer` and window: `busy_ns`, the sum of all exchanges, `first_ns` and `last_ns`."""


def collected(exchanges: Iterable[Path], window_ns: int) -> Evidence:
    """The evidence in parts of the `exchanges` table, in memory proportional to links and windows."""
    found = _core.LinkEvidence(window_ns)
    for part in exchanges:
        found.add_part(part)
    return Evidence(pl.DataFrame(found.links()), pl.DataFrame(found.media()))


def whole(sums: pl.DataFrame) -> pl.DataFrame:
    """The sums of the windows of each link, added."""
    counts = (
        *("attempts", "samples", "rts", "failed", "retries", "carrying", "rateless", "timeless", "answers_only"),
        *("bits", "psdu_bits", "mpdus", "psdu_us", "data_us", "ack_us", "answers", "rts_cts_us", "handshakes"),
        *("cts_self", "cts_self_us", "own_cts", "fragments"),
    )
    return (
        sums.sort(*LINK, "window_start_ns", nulls_last=True)
        .group_by(LINK, maintain_order=True)
        .agg(
            pl.col(counts).sum(),
            pl.col("phy", "channel_mhz", "rate_max_mbps").max(),
        )
    )


def ceiling_bps(payload_bits: pl.Expr, msdu_bits: pl.Expr) -> pl.Expr:
    """The most that packets of `msdu_bits` deliver of their `payload_bits`, bit/s; null where no rate is known.

    Alone on the medium, without backoff and without a loss, a sender at the fastest rate that it was seen to use pays
    for the preamble, and for SIFS, the MAC's answer, and SIFS until the next PPDU of its TXOP. One that may aggregate
    pays that once in aPPDUMaxTime, and for a packet the header of a subframe of an A-MSDU; another one pays for every
    packet, and for a MAC header and FCS.

    Reads `rate_max_mbps`, `phy` (one of those used, or null), `mpdus` and `samples`.
    """
    rate, phy = pl.col("rate_max_mbps"), pl.col("phy")
    alone_us = pl.when(phy.is_in(["dsss", "hr_dsss"]) & (rate <= DSSS_MBPS)).then(DSSS_US)
    single_bits = msdu_bits + 8 * (constant("data_header") + constant("fcs"))
    singly = payload_bits / (single_bits / rate + alone_us.otherwise(OFDM_US))
    filled = constant("aPPDUMaxTime") / (constant("aPPDUMaxTime") + OFDM_US)
    together = payload_bits / (msdu_bits + 8 * constant("a_msdu_subframe_header")) * rate * filled
    # Of several PHYs one is told; another rate, and what was seen to aggregate, is of one that does.
    aggregates = (
        phy.is_null() | phy.is_in(AGGREGATING) | ~rate.is_in(NON_HT_MBPS) | (pl.col("mpdus") > pl.col("samples"))
    )
    return 1e6 * pl.when(aggregates).then(together).otherwise(singly)
