"""When a recording was made, in words: absolute times with their zone, durations, channels."""

from __future__ import annotations

from datetime import UTC, datetime

from winf_analyzer._report.labels import format_number

FIRST_DATE_NS = 315_532_800 * 10**9
"""1980-01-01. Stamps before it count from the start of a simulation, or from that of a recorder without a clock."""

_LAST_DATE_NS = 253_402_300_799 * 10**9


def has_date(ts_ns: int | None) -> bool:
    """Whether a time stamp is a date."""
    return ts_ns is not None and FIRST_DATE_NS <= ts_ns <= _LAST_DATE_NS


def date_text(ts_ns: int) -> str:
    """A time stamp as date and time of day, to the second; recordings are stamped in UTC."""
    return f"{datetime.fromtimestamp(ts_ns // 10**9, UTC):%Y-%m-%d %H:%M:%S} UTC"


def period_text(first_ns: int | None, last_ns: int | None) -> str:
    """From when to when, with the zone; the date once where both are of one day."""
    if first_ns is None or last_ns is None or not (has_date(first_ns) and has_date(last_ns)):
        return "unknown: the time stamps count from the start of the recording and name no date"
    first, last = (datetime.fromtimestamp(at // 10**9, UTC) for at in (first_ns, last_ns))
    end = f"{last:%H:%M:%S}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M:%S}"
    return f"{first:%Y-%m-%d %H:%M:%S} to {end} UTC"


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
