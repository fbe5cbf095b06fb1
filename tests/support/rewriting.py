"""ns-3 pcaps with another clock, made longer, or with frames missing: recordings whose truth is known."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

_NANOSECONDS, _MICROSECONDS = 0xA1B23C4D, 0xA1B2C3D4


@dataclass(frozen=True)
class Record:
    """One captured frame: its stamp, its octets with radiotap header, its length before it was cut."""

    ns: int
    octets: bytes
    length: int

    @property
    def mac(self) -> int:
        """Where the MAC header begins."""
        return int.from_bytes(self.octets[2:4], "little")


def records(path: Path) -> Iterator[Record]:
    """The frames of a little-endian radiotap pcap."""
    content = path.read_bytes()
    magic = int.from_bytes(content[:4], "little")
    unit = {_NANOSECONDS: 1, _MICROSECONDS: 1000}[magic]
    at = 24
    while at < len(content):
        seconds, fraction, captured, length = struct.unpack_from("<IIII", content, at)
        yield Record(seconds * 10**9 + fraction * unit, content[at + 16 : at + 16 + captured], length)
        at += 16 + captured


SIGNAL, AMPDU_STATUS = 5, 20
"""Radiotap fields by their present bits."""
_ALIGN_AND_SIZE = {
    **{0: (8, 8), 1: (1, 1), 2: (1, 1), 3: (2, 4), SIGNAL: (1, 1), 6: (1, 1)},
    **{19: (1, 3), AMPDU_STATUS: (4, 8)},
}


def radiotap_fields(frame: Record) -> dict[int, int]:
    """Where the fields of a radiotap header with one present word begin, by present bit, up to the A-MPDU status."""
    present, at, places = int.from_bytes(frame.octets[4:8], "little"), 8, {}
    for bit, (align, size) in _ALIGN_AND_SIZE.items():
        if present >> bit & 1:
            at = -(-at // align) * align
            places[bit], at = at, at + size
    return places


def write(path: Path, frames: list[Record]) -> None:
    """A pcap with nanosecond stamps; TSFT, the first field of every ns-3 radiotap header, follows the stamp."""
    parts = [struct.pack("<IHHiIII", _NANOSECONDS, 2, 4, 0, 0, 65535, 127)]
    for frame in frames:
        octets = frame.octets[:8] + struct.pack("<Q", frame.ns // 1000) + frame.octets[16:]
        stamp = struct.pack("<IIII", frame.ns // 10**9, frame.ns % 10**9, len(octets), frame.length)
        parts += [stamp, octets]
    path.write_bytes(b"".join(parts))


def tiled(frames: list[Record], times: int, period_ns: int) -> list[Record]:
    """The recording over and over; the IPv4 identification tells the repetitions apart."""
    return [_repetition(frame, number, period_ns) for number in range(times) for frame in frames]


def _repetition(frame: Record, number: int, period_ns: int) -> Record:
    octets = bytearray(frame.octets)
    ethertype, identification = frame.mac + 30, frame.mac + 36
    if octets[frame.mac] in (0x08, 0x88) and octets[ethertype : ethertype + 2] == b"\x08\x00":
        known = int.from_bytes(octets[identification : identification + 2], "big")
        octets[identification : identification + 2] = ((known + 1000 * number) % 65536).to_bytes(2, "big")
    return Record(frame.ns + number * period_ns, bytes(octets), frame.length)


def reclocked(frames: list[Record], clock: Callable[[int], int]) -> list[Record]:
    """The recording of a radio with another clock."""
    return [replace(frame, ns=clock(frame.ns)) for frame in frames]
