"""Parsing of durations such as 500ms."""

import re

_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_LONGEST_NS = 876_000 * _UNITS["h"]
"""A hundred years: with any instant of a recording it is a number of 64 bits."""
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|ms|s|m|h)")


def parse_ns(duration: str | int) -> int:
    """Nanoseconds of ``500ms``, ``1.5s``, ``2m``; an integer is in nanoseconds.

    Raises:
        ValueError: not a duration, not greater than zero, or more than a hundred years.
    """
    ns = _given_ns(duration)
    if ns is None:
        raise ValueError(f"{duration!r} is not a duration; write for example 500ms, 1s or 2m")
    if not 0 < ns <= _LONGEST_NS:
        raise ValueError(f"{duration!r}: a duration is {'greater than zero' if ns <= 0 else 'at most 876000h'}")
    return ns


def _ns(text: str) -> int | None:
    match = _DURATION.fullmatch(text.strip().lower())
    return round(float(match[1]) * _UNITS[match[2]]) if match else None


def parse_offset_ns(offset: str | int) -> int:
    """Nanoseconds of ``2.5s``, ``-300ms`` or ``0``; an integer is in nanoseconds.

    Raises:
        ValueError: not a duration.
    """
    ns = _given_ns(offset)
    if ns is None:
        raise ValueError(f"{offset!r} is not an offset; write for example 2.5s or -300ms")
    return ns


def _given_ns(given: object) -> int | None:
    """Nanoseconds of a text or an integer; None of anything else, also of True, which Python takes for 1."""
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    return _signed_ns(given.strip()) if isinstance(given, str) else None


def _signed_ns(text: str) -> int | None:
    """Nanoseconds of a duration with or without a sign; zero needs no unit."""
    size = text.lstrip("+-")
    ns = 0 if size and not size.strip("0") else _ns(size)
    if ns is None or len(text) - len(size) > 1:
        return None
    return -ns if text.startswith("-") else ns
