"""How much memory a command may use: one figure for this process, from which every part takes its share."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?")

MAX_DEFAULT = 4 * 2**30
MIN_BYTES = 256 * 2**20
"""Interpreter, libraries and one chunk of a recording take this much."""

_CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))

_limit: int | None = None


def parse_size(text: str) -> int:
    """Octets of ``512M``, ``2GiB`` or ``1.5G``; units are powers of 1024.

    Raises:
        ValueError: not a size, or less than :data:`MIN_BYTES`.
    """
    match = _SIZE.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError(f"{text!r} is not a size; write for example 512M or 2G")
    size = round(float(match[1]) * _UNITS[match[2]])
    if size < MIN_BYTES:
        raise ValueError(f"{text!r} is less than {MIN_BYTES >> 20}M, which a command needs at least")
    return size


def set_memory_limit(size: int | None) -> None:
    """Set the limit of this process in octets; None: the default."""
    global _limit  # one process, one memory
    _limit = size


def memory_limit() -> int:
    """The limit of this process in octets: as set, else a quarter of the machine's memory, at most 4 GiB."""
    return _limit or max(MIN_BYTES, min(MAX_DEFAULT, _available() // 4))


def share(numerator: int, denominator: int, *, at_most: int) -> int:
    """A share of the limit in octets, as a part of a command may use."""
    return min(at_most, memory_limit() * numerator // denominator)


def release() -> None:
    """Return what is free to the system, between steps that need memory of different libraries.

    The C library keeps what the native module freed, for its next step; Polars and DuckDB have allocators of their own,
    which return it after a while.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:  # of the GNU C library
        trim(0)


def _available() -> int:
    """The memory of the machine, or of the control group that this process runs in."""
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for path in _CGROUP_LIMITS:
        try:
            sizes.append(int(path.read_text(encoding="ascii")))
        except (OSError, ValueError):  # no such group, or `max`
            continue
    return min(sizes)
