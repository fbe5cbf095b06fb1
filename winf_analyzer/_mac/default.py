"""What the standard makes the default, for stations about which the recording is silent."""

from winf_analyzer._mac.presets import PRESETS
from winf_analyzer._mac.schema import DCF

LONG_SLOT_US = 20.0
"""Of stations in the 2.4 GHz band that do not use the short slot time (18.5.4)."""

_AIFSN = {DCF: 2, "be": 3, "bk": 7, "vi": 2, "vo": 2}


def slot_us(family: str, *, direct: bool) -> float:
    """The aSlotTime of a PHY's preset; in an IBSS at 2.4 GHz the short slot time is not used (9.4.1.4, 11.1.4)."""
    preset = PRESETS[family]
    low_band_ofdm = preset.sifs_us == 10 and preset.slot_us < LONG_SLOT_US
    return LONG_SLOT_US if direct and low_band_ofdm else preset.slot_us


def aifsn(category: str) -> int:
    """AIFSN of a station (table 9-155); DIFS is two slots after SIFS (10.3.2.3.5)."""
    return _AIFSN[category]


def cw_min(family: str, category: str) -> int:
    """CWmin of an access category from aCWmin (table 9-155)."""
    a_cw_min = PRESETS[family].cw_min
    return {"vi": (a_cw_min + 1) // 2 - 1, "vo": (a_cw_min + 1) // 4 - 1}.get(category, a_cw_min)
