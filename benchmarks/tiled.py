"""A long recording from a short one: its frames again and again, each time later."""

from __future__ import annotations

import struct
from pathlib import Path

_FILE_HEADER = 24
_RECORD_HEADER = 16
_TSFT_BIT = 1


def tile_pcap(sample: Path, target: Path, frames: int) -> int:
    """Write at least ``frames`` frames of the pcap ``sample`` to ``target``, stamps and TSFT moved on with each round.

    The sample is little-endian, of link type 127, with one radiotap present word that starts with TSFT.

    Returns:
        How many frames were written.
    """
    octets = sample.read_bytes()
    per_second = 10**9 if octets[:4] == bytes.fromhex("4d3cb2a1") else 10**6
    records = _records(octets)
    first, last = (records[place][0] * per_second + records[place][1] for place in (0, -1))
    round_units = last - first + per_second // 100
    rounds = -(-frames // len(records))
    with target.open("wb") as file:
        file.write(octets[:_FILE_HEADER])
        for number in range(rounds):
            file.write(b"".join(_moved(record, number * round_units, per_second) for record in records))
    return rounds * len(records)


def tile_trace(sample: Path, target: Path, events: int) -> int:
    """Write at least ``events`` lines of the ns-2 trace ``sample`` to ``target``, later with each round.

    Returns:
        How many lines were written.
    """
    lines = [line.split(" ", 2) for line in sample.read_text(encoding="utf-8").splitlines()]
    round_s = float(lines[-1][1]) + 0.01
    rounds = -(-events // len(lines))
    with target.open("w", encoding="utf-8") as file:
        for number in range(rounds):
            moved = (f"{event} {float(at) + number * round_s:.9f} {rest}\n" for event, at, rest in lines)
            file.writelines(moved)
    return rounds * len(lines)


def _records(octets: bytes) -> list[tuple[int, int, int, bytes]]:
    found, place = [], _FILE_HEADER
    while place < len(octets):
        seconds, fraction, kept, length = struct.unpack_from("<IIII", octets, place)
        place += _RECORD_HEADER
        found.append((seconds, fraction, length, octets[place : place + kept]))
        place += kept
    return found


def _moved(record: tuple[int, int, int, bytes], units: int, per_second: int) -> bytes:
    seconds, fraction, length, content = record
    stamp = seconds * per_second + fraction + units
    if struct.unpack_from("<I", content, 4)[0] & _TSFT_BIT:
        (tsft,) = struct.unpack_from("<Q", content, 8)
        content = content[:8] + struct.pack("<Q", tsft + units * 10**6 // per_second) + content[16:]
    return struct.pack("<IIII", stamp // per_second, stamp % per_second, len(content), length) + content
