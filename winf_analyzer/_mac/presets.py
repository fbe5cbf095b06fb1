"""Default MAC and PHY parameters of each PHY, for values that a recording does not show.

They are the defaults of IEEE 802.11-2020 with long preamble, and RTS, CTS and ACK at the lowest mandatory rate.
Airtimes of recorded frames take precedence over a preset.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from winf_analyzer._mac.constants import (
    HIGH_BAND,
    LOW_BAND,
    TEN_MHZ_CHANNELS,
    constant,
    in_10_mhz_channel,
    in_low_band,
    low_band_edges,
    ten_mhz_centres,
    whole,
)

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Mac:
    """Parameters of one PHY. Durations in microseconds, rates in bit/s, sizes in octets."""

    slot_us: float
    """aSlotTime."""
    sifs_us: float
    """aSIFSTime."""
    cw_min: int
    """aCWmin, slots."""
    plcp_us: float
    """Airtime of a data PPDU besides its PSDU: preamble, PHY header and signal extension."""
    rts_us: float
    """Airtime of an RTS (20 octets)."""
    cts_us: float
    """Airtime of a CTS (14 octets)."""
    ack_us: float
    """Airtime of an ACK (14 octets)."""
    rate_min_bps: float
    """Lowest modulation rate."""
    rate_max_bps: float
    """Highest modulation rate."""
    header_bytes: int = whole("data_header") + whole("fcs")
    """MAC header and FCS of one MPDU (three addresses)."""

    @property
    def difs_us(self) -> float:
        """DIFS = SIFS + 2 slots (10.3.7)."""
        return self.sifs_us + 2 * self.slot_us

    @property
    def backoff_us(self) -> float:
        """E[BO] = CWmin/2 slots: the mean of a uniform draw from [0, CWmin], no collision before it (10.3.3)."""
        return self.cw_min / 2 * self.slot_us


def _preset(phy: str, band: str) -> Mac:
    def of(name: str) -> float:
        return constant(name, phy, band)

    return Mac(
        slot_us=of("aSlotTime"),
        sifs_us=of("aSIFSTime"),
        cw_min=int(of("aCWmin")),
        plcp_us=of("preamble") + of("aSignalExtension"),
        rts_us=of("rts_airtime"),
        cts_us=of("cts_airtime"),
        ack_us=of("ack_airtime"),
        rate_min_bps=float(round(of("min_rate") * 1e6)),
        rate_max_bps=float(round(of("max_rate") * 1e6)),
    )


PRESETS: dict[str, Mac] = {
    "dsss": _preset("dsss", LOW_BAND),
    "hr_dsss": _preset("hr_dsss", LOW_BAND),
    "ofdm": _preset("ofdm", HIGH_BAND),
    "ofdm_10mhz": _preset("ofdm", TEN_MHZ_CHANNELS),
    "erp": _preset("erp", LOW_BAND),
    "ht": _preset("ht", HIGH_BAND),
    "ht_2ghz": _preset("ht", LOW_BAND),
    "vht": _preset("vht", HIGH_BAND),
    "he": _preset("he", HIGH_BAND),
    "he_2ghz": _preset("he", LOW_BAND),
    "eht": _preset("eht", HIGH_BAND),
    "eht_2ghz": _preset("eht", LOW_BAND),
}
"""Default parameters by PHY, one spatial stream; `_2ghz` if they depend on the band. VHT has one timing (clause 21).
`ofdm_10mhz` is OFDM in the channels of 10 MHz."""

PHY_ORDER = ("dsss", "hr_dsss", "ofdm", "erp", "ht", "vht", "he", "eht")
"""PHYs from the oldest to the newest."""


def phy_family() -> pl.Expr:
    """The PHY, of OFDM with whether it is half as fast, as in channels of 10 MHz."""
    import polars as pl

    return pl.when((pl.col("phy") == "ofdm") & in_10_mhz_channel()).then(pl.lit("ofdm_10mhz")).otherwise("phy")


def preset_name() -> pl.Expr:
    """Name of the preset: that of the PHY, or of the usual PHY of the band if the PHY is unknown."""
    import polars as pl

    phy, low_band = phy_family(), in_low_band()
    return (
        pl.when(phy.is_in(["ht", "he", "eht"]) & low_band)
        .then(phy + "_2ghz")
        .when((phy == "ofdm") & low_band)
        .then(pl.lit("erp"))
        .when(phy.is_in(list(PRESETS)))
        .then(phy)
        .when(in_10_mhz_channel())
        .then(pl.lit("ofdm_10mhz"))
        .when(low_band.not_())
        .then(pl.lit("ofdm"))
        .otherwise(pl.lit("hr_dsss"))
    )


def preset_of(phy: str | None, channel_mhz: int | None) -> str:
    """The same for one exchange."""
    low, high = low_band_edges()
    in_band = None if channel_mhz is None else low <= channel_mhz <= high
    if phy in ("ht", "he", "eht") and in_band:
        return f"{phy}_2ghz"
    if phy == "ofdm" and in_band:
        return "erp"
    first, last = ten_mhz_centres()
    if phy in ("ofdm", None) and channel_mhz in range(first, last + 1, 10):
        return "ofdm_10mhz"
    if phy in PRESETS:
        return phy
    return "ofdm" if in_band is False else "hr_dsss"
