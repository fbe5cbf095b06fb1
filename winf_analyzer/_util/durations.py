"""Durations as people write them."""

import re

_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|ms|s|m|h)")


def parse_ns(duration: str | int) -> int:
    """Nanoseconds of ``500ms``, ``1.5s``, ``2m``; a whole number is nanoseconds already.

    Raises:
        ValueError: not a positive duration.
    """
    if isinstance(duration, int):
        ns = duration
    else:
        match = _DURATION.fullmatch(duration.strip().lower())
        ns = round(float(match[1]) * _UNITS[match[2]]) if match else 0
    if ns <= 0:
        raise ValueError(f"{duration!r} is not a duration; write for example 500ms, 1s or 2m")
    return ns


def parse_offset_ns(offset: str | int) -> int:
    """Nanoseconds of ``2.5s``, ``-300ms`` or ``0``; a whole number is nanoseconds already.

    Raises:
        ValueError: not a duration.
    """
    if isinstance(offset, int):
        return offset
    text = offset.strip()
    size = text.lstrip("+-")
    if not size.strip("0") and size:
        return 0
    if len(text) - len(size) > 1:
        raise ValueError(f"{offset!r} is not an offset; write for example 2.5s or -300ms")
    return -parse_ns(size) if text.startswith("-") else parse_ns(size)
