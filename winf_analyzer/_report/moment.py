"""When a recording was made, in words: absolute times with their zone, durations, channels."""

from __future__ import annotations

from winf_analyzer._report.labels import format_number
from winf_analyzer._util.clocks import date_text, has_date


def period_text(first_ns: int | None, last_ns: int | None) -> str:
    """From when to when, with the zone; the date once where both are of one day."""
    if first_ns is None or last_ns is None or not (has_date(first_ns) and has_date(last_ns)):
        return "unknown: the time stamps count from the start of the recording and name no date"
    first, last = date_text(first_ns).removesuffix(" UTC"), date_text(last_ns)
    day, _, time = last.partition(" ")
    return f"{first} to {time if first.startswith(day) else last}"


def duration_text(seconds: float) -> str:
    """A duration in the two largest units that it has."""
    if seconds < 120:
        return f"{format_number(seconds)} s"
    whole = round(seconds)
    for unit, name, below, smaller in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= unit:
            return f"{whole // unit} {name} {whole % unit // below} {smaller}"
    return f"{whole} s"


def channel_text(mhz: int) -> str:
    """Number and band of a 20 MHz channel (IEEE 802.11-2020, annex E), or its frequency where it has no number."""
    if mhz == 2484:
        return "channel 14 (2.4 GHz)"
    if 2412 <= mhz <= 2472:
        return f"channel {(mhz - 2407) // 5} (2.4 GHz)"
    if 5955 <= mhz <= 7115:
        return f"channel {(mhz - 5950) // 5} (6 GHz)"
    if 5000 < mhz <= 5895:
        return f"channel {(mhz - 5000) // 5} (5 GHz)"
    return f"{mhz} MHz"
