"""Default values of the standard, for stations whose parameters a recording does not show."""

from winf_analyzer._mac.constants import LOW_BAND, constant, whole
from winf_analyzer._mac.presets import PRESETS
from winf_analyzer._mac.schema import DCF

LONG_SLOT_US = constant("long_slot")
"""aSlotTime of stations in the 2.4 GHz band that do not use the short slot time (18.5.4)."""


def slot_us(family: str, *, direct: bool) -> float:
    """The aSlotTime of a PHY's preset; in an IBSS at 2.4 GHz the short slot time is not used (9.4.1.4, 11.1.4)."""
    preset = PRESETS[family]
    low_band_ofdm = preset.sifs_us == constant("aSIFSTime", "erp", LOW_BAND) and preset.slot_us < LONG_SLOT_US
    return LONG_SLOT_US if direct and low_band_ofdm else preset.slot_us


def aifsn(category: str) -> int:
    """AIFSN of a station (table 9-155); DIFS is two slots after SIFS (10.3.2.3.5)."""
    return whole(f"AIFSN[{category}]")


def cw_min(family: str, category: str) -> int:
    """CWmin of an access category from aCWmin (table 9-155)."""
    divisor = 1 if category == DCF else whole(f"cw_divisor[{category}]")
    return (PRESETS[family].cw_min + 1) // divisor - 1
