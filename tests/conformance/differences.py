"""Where the two may differ: each class of differences recognized exactly. The reasons are in DIFFERENCES.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from .durations import theirs

Predicate = Callable[[str], pl.Expr]
CONTROL = (0x10, 0x1F)
DATA = (0x20, 0x2F)
RESERVED_CONTROL = (0x10, 0x11)
SHORTEST_DATA = 28
"""Octets of a data frame without a body, FCS included."""

HR_DSSS_MBPS = (5.5, 11.0)
RATES_MBPS = (1.0, 2.0, *HR_DSSS_MBPS, 6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0)
"""Of PHYs without MCS in 20 MHz (IEEE 802.11-2020, 15.2.3.3, 16.2.3.4 and 17.3.4.2)."""


@dataclass(frozen=True)
class Difference:
    """A class of differing values."""

    name: str
    """Its heading in DIFFERENCES.md."""

    columns: tuple[str, ...]
    predicate: Predicate
    """True for the values of a column, known to differ, that this class explains."""


def ours(column: str) -> pl.Expr:
    """A column of winf's."""
    return pl.col(column)


def _cf_end(_: str) -> pl.Expr:
    return (ours("subtype") == 0x1E) & theirs("ta").is_null() & (ours("ta") == theirs("bssid"))


def _bandwidth_signalling(_: str) -> pl.Expr:
    first_octet = [
        expression.str.head(2).str.to_integer(base=16, strict=False) for expression in (ours("ta"), theirs("ta"))
    ]
    is_marked = first_octet[1] - first_octet[0] == 1
    return ours("subtype").is_between(*CONTROL) & is_marked & (ours("ta").str.tail(15) == theirs("ta").str.tail(15))


def _dmg_beacon(_: str) -> pl.Expr:
    return (ours("subtype") == 0x30) & ours("ra").is_null() & (theirs("ra") == ours("bssid"))


def _disguised_msdu(_: str) -> pl.Expr:
    return ours("da").str.starts_with("aa:aa:03:")


def _top_bit(_: str) -> pl.Expr:
    return ours("nav_us").is_null() & (theirs("nav_us") < 0x8000) & (ours("subtype") != 0x1A)


def _unfilled_fcs(_: str) -> pl.Expr:
    return ours("fcs_ok").is_null() & theirs("fcs_ok").not_() & (theirs("fcs") == 0)


def _other_mac_version(_: str) -> pl.Expr:
    return ours("fcs_ok").not_() & theirs("fcs_ok").is_null() & (theirs("mac_version") != 0)


def _shorter_than_header(_: str) -> pl.Expr:
    is_short = theirs("subtype").is_between(*DATA) & (ours("length_bytes") < SHORTEST_DATA)
    return is_short & ours("fcs_ok").not_() & theirs("fcs_ok").is_null()


def _reserved_control(_: str) -> pl.Expr:
    return ours("subtype").is_in(RESERVED_CONTROL) & ours("ra").is_null() & theirs("ra").is_not_null()


def _no_such_rate(column: str) -> pl.Expr:
    return ours(column).is_null() & ours("phy").is_null() & ~theirs("rate_mbps").is_in(RATES_MBPS)


def _rate_of_high_rate_phy(_: str) -> pl.Expr:
    return (ours("phy") == "hr_dsss") & theirs("phy").is_null() & theirs("rate_mbps").is_in(HR_DSSS_MBPS)


def _other_radiotap_version(column: str) -> pl.Expr:
    return ours(column).is_null() & (theirs("radiotap_version") != 0)


def _data_pad(_: str) -> pl.Expr:
    return (theirs("pad_bytes") > 0) & (theirs("length_bytes") - theirs("pad_bytes") == ours("length_bytes"))


def _prism_zero(_: str) -> pl.Expr:
    return ours("signal_dbm").is_null() & (theirs("signal_dbm") == 0) & theirs("protocols").str.starts_with("prism")


def _no_channel(_: str) -> pl.Expr:
    return (ours("phy") == "ofdm") & ours("channel_mhz").is_null() & theirs("phy").is_null()


def _channel_of_sent(column: str) -> pl.Expr:
    is_sent = (ours("direction") == "tx") & ours("tsft_us").is_null() & theirs("channel_mhz").is_null()
    has_phy_of_band = (ours("phy") == "erp") & theirs("phy").is_null() if column == "phy" else True
    return is_sent & (ours("channel_mhz") == pl.col("heard_mhz")) & has_phy_of_band


def _unknown_guard(column: str) -> pl.Expr:
    return ours(column).is_null() & (ours("phy") == "ht") & theirs("knows_guard").not_()


def _slow_subframe(_: str) -> pl.Expr:
    is_as_recorded = theirs("radiotap_mcs") == ours("mcs")
    return theirs("is_aggregate") & (ours("phy") == "ht") & is_as_recorded & ours("fcs_ok").not_()


def _by_the_rules(condition: pl.Expr) -> Predicate:
    """Each airtime follows its rule; the shares of the subframes of an A-MPDU add up to that of its PPDU."""
    is_wiresharks = (theirs("airtime_us") - pl.col("wireshark_us")).abs() <= 1
    is_the_standards = (ours("airtime_us") - pl.col("standard_us")).abs() <= 1
    is_ours = pl.when(pl.col("ppdu_no").is_not_null()).then(pl.col("adds_up")).otherwise(is_the_standards)
    return lambda _: condition & is_wiresharks & is_ours


def _not_computed(_: str) -> pl.Expr:
    return ours("phy").is_in(["he", "eht"]) & theirs("airtime_us").is_null()


IS_DSSS = ours("phy").is_in(["dsss", "hr_dsss"])
IS_SINGLE = IS_DSSS | ours("phy").is_in(["ofdm", "erp"])
IS_PADDED = theirs("pad_bytes") > 0
LACKS_FCS = theirs("recorded_bytes") + 4 == ours("length_bytes")
IS_PPI = theirs("protocols").str.starts_with("ppi:")

DIFFERENCES: tuple[Difference, ...] = (
    Difference("cf-end-ta", ("ta",), _cf_end),
    Difference("bandwidth-signalling-ta", ("ta",), _bandwidth_signalling),
    Difference("dmg-beacon-ra", ("ra",), _dmg_beacon),
    Difference("reserved-control-ra", ("ra",), _reserved_control),
    Difference("msdu-disguised-as-a-msdu", ("da", "sa"), _disguised_msdu),
    Difference("duration-with-top-bit", ("nav_us",), _top_bit),
    Difference("unfilled-fcs", ("fcs_ok",), _unfilled_fcs),
    Difference("fcs-of-another-mac-version", ("fcs_ok",), _other_mac_version),
    Difference("shorter-than-its-header", ("fcs_ok",), _shorter_than_header),
    Difference("another-radiotap-version", ("length_bytes",), _other_radiotap_version),
    Difference("data-pad", ("length_bytes",), _data_pad),
    Difference("prism-signal-of-zero", ("signal_dbm",), _prism_zero),
    Difference("ofdm-without-channel", ("phy",), _no_channel),
    Difference("channel-of-a-sent-frame", ("channel_mhz", "phy"), _channel_of_sent),
    Difference("rate-that-no-phy-has", ("phy", "rate_mbps", "airtime_us"), _no_such_rate),
    Difference("phy-of-a-cck-rate", ("phy", "airtime_us"), _rate_of_high_rate_phy),
    Difference("ht-guard-interval-unknown", ("guard_ns", "rate_mbps"), _unknown_guard),
    Difference(
        "bad-subframe-of-another-rate", ("mcs", "nss", "bandwidth_mhz", "guard_ns", "rate_mbps"), _slow_subframe
    ),
    Difference("he-airtime", ("airtime_us",), _not_computed),
    Difference("airtime-fcs-not-recorded", ("airtime_us",), _by_the_rules(IS_SINGLE & LACKS_FCS)),
    Difference("airtime-data-pad", ("airtime_us",), _by_the_rules(IS_SINGLE & IS_PADDED)),
    Difference("airtime-ppi-fcs-counted-twice", ("airtime_us",), _by_the_rules(IS_DSSS & IS_PPI)),
    Difference(
        "airtime-preamble-not-recorded", ("airtime_us",), _by_the_rules(IS_DSSS & theirs("short_preamble_assumed"))
    ),
    Difference("airtime-signal-extension", ("airtime_us",), _by_the_rules(ours("phy") == "erp")),
    Difference("airtime-ht-a-mpdu", ("airtime_us",), _by_the_rules((ours("phy") == "ht") & pl.col("in_ampdu"))),
    Difference("airtime-ht", ("airtime_us",), _by_the_rules(ours("phy") == "ht")),
    Difference("airtime-vht", ("airtime_us",), _by_the_rules(ours("phy") == "vht")),
)
