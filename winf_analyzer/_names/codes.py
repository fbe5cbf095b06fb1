"""Reason and status codes in words."""

from functools import cache

from winf_analyzer import _core


def reason_text(code: int) -> str:
    """A reason code (IEEE 802.11-2020, table 9-49) as its number and its meaning."""
    return f"{code} ({_reasons().get(code, 'reserved')})"


def status_text(code: int) -> str:
    """A status code (IEEE 802.11-2020, table 9-50) as its number and its meaning."""
    return f"{code} ({_statuses().get(code, 'not of authentication or association')})"


@cache
def _reasons() -> dict[int, str]:
    return dict(_core.reason_codes())


@cache
def _statuses() -> dict[int, str]:
    return dict(_core.status_codes())
