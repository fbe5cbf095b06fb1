"""Parsing of durations such as 500ms."""

import re

_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_LONGEST_NS = 1 << 62
"""146 years, longer than any recording: sums of times stay within 64 bits."""
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|ms|s|m|h)")


def parse_ns(duration: str | int) -> int:
    """Nanoseconds of ``500ms``, ``1.5s``, ``2m``; an integer is in nanoseconds.

    Raises:
        ValueError: not a positive duration.
    """
    ns = duration if isinstance(duration, int) else _ns(duration)
    if ns is None or ns <= 0:
        raise ValueError(f"{duration!r} is not a duration; write for example 500ms, 1s or 2m")
    if ns > _LONGEST_NS:
        raise ValueError(f"{duration!r} is longer than any recording; a duration is at most 146 years")
    return ns


def _ns(text: str) -> int | None:
    match = _DURATION.fullmatch(text.strip().lower())
    return round(float(match[1]) * _UNITS[match[2]]) if match else None


def parse_offset_ns(offset: str | int) -> int:
    """Nanoseconds of ``2.5s``, ``-300ms`` or ``0``; an integer is in nanoseconds.

    Raises:
        ValueError: not a duration.
    """
    if isinstance(offset, int):
        return offset
    text = offset.strip()
    size = text.lstrip("+-")
    ns = 0 if size and not size.strip("0") else _ns(size)
    if ns is None or len(text) - len(size) > 1:
        raise ValueError(f"{offset!r} is not an offset; write for example 2.5s or -300ms")
    return -ns if text.startswith("-") else ns
