"""The organization that a block of MAC addresses is assigned to, from the list that is shipped with the package."""

from __future__ import annotations

import lzma
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_FILE = "vendors.txt.xz"

_LOCAL_OR_GROUP = 0b11
"""Bits of the first octet: such addresses are assigned by nobody (IEEE 802-2014, 8.2.2)."""

_SIMULATED = ["00"] * 4
"""How addresses begin that ns-3 numbers from 1 on, in a block that Xerox owns."""


class VendorList(NamedTuple):
    """The list."""

    date: str
    """When its source was published."""
    source: str
    by_block: dict[str, str]
    """Name by the first three octets, six lower-case hexadecimal digits."""


def vendor(address: str | None) -> str | None:
    """The organization of an address.

    Returns:
        Its name; None for what is no universally administered individual address, and for a block that the list lacks.
    """
    octets = (address or "").lower().split(":")
    if len(octets) != 6 or octets[:4] == _SIMULATED:
        return None
    try:
        if int(octets[0], 16) & _LOCAL_OR_GROUP:
            return None
    except ValueError:
        return None
    return vendor_list().by_block.get("".join(octets[:3]))


@cache
def vendor_list() -> VendorList:
    """Read the list; `tools/update_vendors.py` makes it."""
    packed = (files("winf_analyzer") / "_names" / _FILE).read_bytes()
    head, *lines = lzma.decompress(packed).decode().splitlines()
    date, source = head.split("\t")
    blocks: dict[str, str] = {}
    for line in lines:
        name, digits = line.split("\t")
        blocks.update((digits[start : start + 6], name) for start in range(0, len(digits), 6))
    return VendorList(date, source, blocks)
