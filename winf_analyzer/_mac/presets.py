"""MAC and PHY parameters that the standard makes the default of a PHY, for what a recording does not tell.

They are presumptions: what IEEE 802.11-2020 makes the default of a PHY, long preamble, RTS, CTS and ACK at the lowest
mandatory rate. A frame that was heard speaks for itself; a preset only stands in for what was not heard.
"""

from dataclasses import dataclass, replace

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
    """The part of a data PPDU that is not MPDU: preamble, PHY header and signal extension."""
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
    header_bytes: int = 28
    """MAC header and FCS of one MPDU (three addresses)."""

    @property
    def difs_us(self) -> float:
        """DIFS = SIFS + 2 slots (10.3.7)."""
        return self.sifs_us + 2 * self.slot_us

    @property
    def backoff_us(self) -> float:
        """E[BO] = CWmin/2 slots: the mean of a uniform draw from [0, CWmin], no collision before it (10.3.3)."""
        return self.cw_min / 2 * self.slot_us


_DSSS = Mac(
    slot_us=20,
    sifs_us=10,
    cw_min=31,
    plcp_us=192,
    rts_us=352,
    cts_us=304,
    ack_us=304,
    rate_min_bps=1e6,
    rate_max_bps=11e6,
)
_OFDM_5 = Mac(
    slot_us=9,
    sifs_us=16,
    cw_min=15,
    plcp_us=20,
    rts_us=52,
    cts_us=44,
    ack_us=44,
    rate_min_bps=6e6,
    rate_max_bps=54e6,
)
# 2.4 GHz: shorter SIFS, and every OFDM PPDU ends in 6 us of signal extension (clause 18).
_OFDM_2 = replace(_OFDM_5, sifs_us=10, plcp_us=26, rts_us=58, cts_us=50, ack_us=50)

PRESETS: dict[str, Mac] = {
    "dsss": _DSSS,
    "hr_dsss": _DSSS,
    "ofdm": _OFDM_5,
    "erp": _OFDM_2,
    "ht": replace(_OFDM_5, plcp_us=36, rate_min_bps=6.5e6, rate_max_bps=600e6),
    "ht_2ghz": replace(_OFDM_2, plcp_us=42, rate_min_bps=6.5e6, rate_max_bps=600e6),
    "vht": replace(_OFDM_5, plcp_us=40, rate_min_bps=6.5e6, rate_max_bps=6.9334e9),
    "he": replace(_OFDM_5, plcp_us=44, rate_min_bps=0.375e6, rate_max_bps=9.6078e9),
    "he_2ghz": replace(_OFDM_2, plcp_us=50, rate_min_bps=0.375e6, rate_max_bps=9.6078e9),
    "eht": replace(_OFDM_5, plcp_us=48, rate_min_bps=0.375e6, rate_max_bps=23.0588e9),
    "eht_2ghz": replace(_OFDM_2, plcp_us=54, rate_min_bps=0.375e6, rate_max_bps=23.0588e9),
}
"""Presumed parameters by PHY (clauses 15 to 21, 27, 36), one spatial stream; `_2ghz` where the band matters."""

PHY_ORDER = ("dsss", "hr_dsss", "ofdm", "erp", "ht", "vht", "he", "eht")
"""PHYs from the oldest to the latest."""


def preset_name() -> pl.Expr:
    """Name of the preset: the PHY, or what is usual in the band where the PHY is unknown."""
    phy, low_band = pl.col("phy"), pl.col("channel_mhz") < 3000
    return (
        pl.when(phy.is_in(["ht", "he", "eht"]) & low_band)
        .then(phy + "_2ghz")
        .when(phy.is_in(list(PRESETS)))
        .then(phy)
        .when(low_band.not_())
        .then(pl.lit("ofdm"))
        .otherwise(pl.lit("hr_dsss"))
    )
