"""The wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding), as far as traces need it."""

from __future__ import annotations

import struct
from functools import cache

VARINT, FIXED64, LENGTH = 0, 1, 2

_SINGLE = tuple(bytes((value,)) for value in range(0x80))


def varint(value: int) -> bytes:
    """A non-negative integer below 2**64 in groups of 7 bits, the least significant first."""
    if value < 0x80:
        return _SINGLE[value]
    if value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    octets = bytearray()
    while value > 0x7F:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
    octets.append(value)
    return bytes(octets)


@cache
def key(field: int, kind: int) -> bytes:
    """What stands in front of a value: field number and wire type."""
    return varint(field << 3 | kind)


def unsigned(field: int, value: int) -> bytes:
    """A field of type uint64, uint32, enum or bool."""
    return key(field, VARINT) + varint(value)


def signed(field: int, value: int) -> bytes:
    """A field of type int64: two's complement of 64 bits."""
    return key(field, VARINT) + varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def double(field: int, value: float) -> bytes:
    """A field of type double."""
    return key(field, FIXED64) + struct.pack("<d", value)


def message(field: int, content: bytes) -> bytes:
    """A field that holds a message or octets."""
    return key(field, LENGTH) + varint(len(content)) + content


def text(field: int, value: str) -> bytes:
    """A field of type string; what is no character of Unicode becomes a question mark."""
    return message(field, value.encode("utf-8", "replace"))
