"""The organization that a block of MAC addresses is assigned to, from the list that is shipped with the package."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

_FILE = "vendors.txt.gz"

_LOCAL_OR_GROUP = 0b11
"""Bits of the first octet: such addresses are assigned by nobody (IEEE 802-2014, 8.2.2)."""

FEW = 200
"""Blocks that are searched for in the text; for more the list is made into a dictionary, which takes as long as 500
searches do."""

_SIMULATED = ["00"] * 4
"""How addresses begin that ns-3 numbers from 1 on, in a block that Xerox owns."""


class VendorList(NamedTuple):
    """Where the list is from."""

    date: str
    """When its source was published."""
    source: str


def vendor(address: str | None) -> str | None:
    """The organization of an address.

    Returns:
        Its name; None for what is no universally administered individual address, and for a block that the list lacks.
    """
    octets = (address or "").lower().split(":")
    if len(octets) != 6 or octets[:4] == _SIMULATED:
        return None
    block = "".join(octets[:3])
    try:
        if not block.isalnum() or int(block, 16) >> 16 & _LOCAL_OR_GROUP:
            return None
    except ValueError:
        return None
    return _searched(block) if _searched.cache_info().misses < FEW else _by_block().get(block)


@cache
def vendor_list() -> VendorList:
    """Read the first line of the list; `tools/update_vendors.py` makes it."""
    with _opened() as lines:
        date, source = lines.readline().decode().rstrip("\n").split("\t")
    return VendorList(date, source)


@cache
def _text() -> str:
    """A line per organization: its name, a tab, and its blocks, each of six lower-case hexadecimal digits."""
    with _opened() as lines:
        lines.readline()
        return lines.read().decode()


@contextmanager
def _opened() -> Iterator[gzip.GzipFile]:
    with (files("winf_analyzer") / "_names" / _FILE).open("rb") as packed, gzip.open(packed) as lines:
        yield lines


@lru_cache(maxsize=FEW)
def _searched(block: str) -> str | None:
    text = _text()
    at = text.find(block)
    while at >= 0:
        start = text.rfind("\n", 0, at) + 1
        first = text.index("\t", start) + 1
        if at >= first and (at - first) % 6 == 0:
            return text[start : first - 1]
        at = text.find(block, at + 1)
    return None


@cache
def _by_block() -> dict[str, str]:
    """The name of every block."""
    blocks: dict[str, str] = {}
    for line in _text().splitlines():
        name, digits = line.split("\t")
        blocks.update((digits[start : start + 6], name) for start in range(0, len(digits), 6))
    return blocks
