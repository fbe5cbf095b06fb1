"""Constants of IEEE 802.11. They are stated once, each with its clause, in the crate `ieee80211/`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from winf_analyzer import _core

if TYPE_CHECKING:
    import polars as pl

LOW_BAND, HIGH_BAND = "2.4 GHz", "5 GHz"
"""Bands with a timing of their own; what holds at 5 GHz holds at 6 GHz too."""

TEN_MHZ_CHANNELS = "5.9 GHz, 10 MHz"
"""Channels for vehicles, whose OFDM is half as fast (802.11-2020, 17.1)."""

SEQUENCE_NUMBERS = 1 << 12
"""The MAC numbers packets modulo this (IEEE 802.11-2020, 9.2.4.4.2)."""


@cache
def _values() -> dict[tuple[str, str | None, str | None], float]:
    return {(name, phy, band): value for name, phy, band, value, _, _ in _core.phy_constants()}


def constant(name: str, phy: str | None = None, band: str | None = None) -> float:
    """A value by its name in the standard, and by PHY and band where it depends on those."""
    return _values()[name, phy, band]


def whole(name: str, phy: str | None = None, band: str | None = None) -> int:
    """The same for counts, octets and whole microseconds."""
    return int(constant(name, phy, band))


def in_low_band() -> pl.Expr:
    """`channel_mhz` is the centre of a channel at 2.4 GHz; null where it is unknown."""
    import polars as pl

    return pl.col("channel_mhz").is_between(*low_band_edges())


def in_10_mhz_channel() -> pl.Expr:
    """`channel_mhz` is the centre of a channel of 10 MHz; null where it is unknown."""
    import polars as pl

    channel, (first, last) = pl.col("channel_mhz"), ten_mhz_centres()
    return channel.is_between(first, last) & ((channel - first) % 10 == 0)


def ten_mhz_centres() -> tuple[int, int]:
    """The first and the last centre of a channel of 10 MHz, MHz; there is one every 10 MHz."""
    return whole("min_centre", band=TEN_MHZ_CHANNELS), whole("max_centre", band=TEN_MHZ_CHANNELS)


def low_band_edges() -> tuple[int, int]:
    """Lowest and highest centre of a channel at 2.4 GHz, MHz."""
    return whole("min_centre", band=LOW_BAND), whole("max_centre", band=LOW_BAND)
