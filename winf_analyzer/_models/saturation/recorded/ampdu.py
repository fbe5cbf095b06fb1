"""How much a backlogged sender puts into one PPDU, where light traffic travels in single frames."""

from functools import cache
from itertools import pairwise

import polars as pl

from winf_analyzer._mac.aggregation import can_aggregate
from winf_analyzer._mac.constants import whole

AMPDU_MAX_BYTES = whole("ht_ampdu_max")
"""Longest A-MPDU of HT (9.4.2.55.3), and what VHT stations mostly accept as well: presumed where none is announced."""

MPDUS_MAX = whole("block_ack_window")
"""Window of a BlockAck agreement before HE (10.25.6.1)."""

HE_MPDUS_MAX, EHT_MPDUS_MAX = whole("block_ack_window_he"), whole("ampdu_max_mpdus")
"""Longest window of an agreement of HE, and of EHT stations (802.11ax-2021, 26.4.3; 802.11be-2024, 35.4)."""

PPDU_MAX_NS = 1_000 * whole("aPPDUMaxTime")
"""aPPDUMaxTime of HT, VHT and HE (tables 19-25, 21-28, 27-54)."""

UNLIMITED = {"limit_mpdus": EHT_MPDUS_MAX, "limit_bytes": 1 << 24, "limit_ns": PPDU_MAX_NS}
"""A sender's own limits of its A-MPDUs, of one that has none: beyond what any receiver accepts (9.4.2.55.3)."""

DELIMITER_BYTES = whole("mpdu_delimiter")
"""MPDU delimiter; each subframe but the last is padded to a multiple of as many (9.7.1)."""

BLOCK_ACK_BYTES = whole("block_ack")
"""Compressed BlockAck with a bitmap of 64 (9.3.1.8.2)."""

BITMAPS = (64, 256, 512, 1024)
"""MPDUs that a compressed BlockAck may acknowledge (802.11be-2024, table 9-41)."""


@cache
def aggregates() -> pl.Expr:
    """The frame is of a kind that a backlogged sender would aggregate: QoS data of a PHY that can.

    Voice is not, unless it was seen to be: its frames are short and must not wait for one another, and drivers (Linux's
    mac80211 among them) set up no BlockAck agreement for it (:func:`is_voice`).
    """
    return can_aggregate("family") & ~_is_voice()


@cache
def is_voice() -> pl.Expr:
    """The frame is one that would be, were it not voice: with a BlockAck agreement for it, it is."""
    return can_aggregate("family") & _is_voice()


def _is_voice() -> pl.Expr:
    return (pl.col("access_category") == "vo").fill_null(False) & (pl.col("mpdus") <= 1)


def subframe_bytes(mpdu_bytes: pl.Expr) -> pl.Expr:
    """An MPDU in an A-MPDU, delimiter and padding included."""
    return (mpdu_bytes / DELIMITER_BYTES).ceil() * DELIMITER_BYTES + DELIMITER_BYTES


@cache
def ampdu_max_bytes() -> pl.Expr:
    """The longest A-MPDU to the receiver: what it announced to accept, in an HT PPDU no more than HT allows."""
    announced = pl.col("ampdu_max_bytes").fill_null(AMPDU_MAX_BYTES)
    return pl.when(pl.col("family") == "ht").then(announced.clip(upper_bound=AMPDU_MAX_BYTES)).otherwise(announced)


@cache
def window_most() -> pl.Expr:
    """The longest BlockAck window that an agreement between stations of the exchange's PHY may have."""
    family = pl.col("family")
    return pl.when(family == "he").then(HE_MPDUS_MAX).when(family == "eht").then(EHT_MPDUS_MAX).otherwise(MPDUS_MAX)


def mpdus_max(
    subframe: pl.Expr, octets: pl.Expr, rate_bps: pl.Expr, plcp_ns: pl.Expr, mpdus: pl.Expr, limit_ns: pl.Expr
) -> pl.Expr:
    """MPDUs of one size in the longest PPDU: by octets, by MPDUs, by time."""
    by_time = pl.min_horizontal(PPDU_MAX_NS - plcp_ns, limit_ns) * rate_bps / (8e9 * subframe)
    return pl.min_horizontal(octets / subframe, mpdus, by_time).floor().clip(1)


def block_ack_ns(ack_ns: pl.Expr, window: pl.Expr, preamble_ns: int = 20_000) -> pl.Expr:
    """Airtime of a BlockAck of such a window at the rate whose ACK takes `ack_ns`: both are non-HT OFDM PPDUs (17.4.3).

    An ACK has 16 + 6 bits beside its 14 octets; the data bits per symbol follow from its symbols. The 6 us of signal
    extension at 2.4 GHz are in both.
    """
    extension = (ack_ns - preamble_ns) % 4_000
    symbols = (ack_ns - preamble_ns - extension) / 4_000
    bits = pl.when(symbols >= 6).then(24).when(symbols >= 3).then(48).otherwise(96)
    steps = (pl.when(window > shorter).then(longer - shorter).otherwise(0) for shorter, longer in pairwise(BITMAPS))
    more = pl.sum_horizontal(*steps)
    return preamble_ns + extension + ((22 + 8 * BLOCK_ACK_BYTES + more) / bits).ceil() * 4_000
