"""What a time stamp says of its clock, and the date that it names."""

from __future__ import annotations

from datetime import UTC, datetime

EPOCH_NS = 10**17
"""Later times count from 1970 (this is March 1973); clocks of simulators, and those since a computer was started, show
less."""

_LAST_DATE_NS = 253_402_300_799 * 10**9
"""The end of the year 9999: Python knows no later date."""


def has_date(ts_ns: int | None) -> bool:
    """Whether a time stamp names a date."""
    return ts_ns is not None and EPOCH_NS < ts_ns <= _LAST_DATE_NS


def date_text(ts_ns: int) -> str:
    """A time stamp as date and time of day, to the second; recordings are stamped in UTC."""
    return f"{datetime.fromtimestamp(ts_ns // 10**9, UTC):%Y-%m-%d %H:%M:%S} UTC"
