"""Captures of any number of stations and files: radiotap, 802.11a at 24 Mb/s, UDP from the stations to one host."""

from __future__ import annotations

import random
import struct
from pathlib import Path

EPOCH_S = 1_700_000_000
"""When the first capture begins."""

ACCESS_POINT = bytes.fromhex("020000000001")
PAYLOAD = 500
"""Octets of UDP payload."""

_SIFS, _SLOT, _DIFS = 16, 9, 34
_RADIOTAP = struct.Struct("<BBHIQBBHHb")
_RECORD = struct.Struct("<IIII")
_FILE = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 127)
_PRESENT = 0b101111
"""TSFT, Flags, Rate, Channel, signal."""


def station_address(number: int) -> bytes:
    """A locally administered address; those of different numbers are not in order."""
    return b"\x06" + (number * 0x9E3779B1 % 2**32 << 8 | 7).to_bytes(5, "big")


def capture(path: Path, stations: int, exchanges: range, *, idle_us: int = 0, offset_us: int = 0) -> None:
    """Write a capture of DATA and ACK pairs of stations that take turns at one access point.

    The exchange of a number is the same in every capture of as many stations and as much idle time.

    Args:
        path: the file.
        stations: that take turns.
        exchanges: numbers of the exchanges.
        idle_us: before each exchange, besides DIFS and backoff.
        offset_us: of the recorder's clock.
    """
    longest_us = idle_us + _DIFS + 15 * _SLOT + _airtime_us(PAYLOAD + 70) + _SIFS + _airtime_us(14)
    with path.open("wb") as file:
        file.write(_FILE)
        for number in exchanges:
            sender = station_address(number % stations)
            backoff_us = _SLOT * random.Random(number).randrange(16)
            data = _data(sender, number // stations, number)
            at_us = number * longest_us + idle_us + _DIFS + backoff_us + _airtime_us(len(data) + 4)
            file.write(_record(at_us, offset_us, data))
            ack = b"\xd4\x00\x00\x00" + sender
            file.write(_record(at_us + _SIFS + _airtime_us(len(ack) + 4), offset_us, ack))


def log_of(path: Path, seconds: int, bits_per_second: float, sender: int = 0) -> None:
    """Write the log of an iperf2 server (CSV, one row a second) of the flow of one station."""
    host = _host(station_address(sender))
    source = ".".join(str(octet) for octet in host)
    with path.open("w", encoding="ascii") as file:
        for second in range(seconds):
            clock = 20231114221320 + second + 1
            size = round(bits_per_second / 8)
            file.write(
                f"{clock},10.0.0.1,5001,{source},6000,3,{second}.0-{second + 1}.0,{size},{8 * size},0.1,0,9,0.0,0\n"
            )


def _data(sender: bytes, sequence: int, number: int) -> bytes:
    udp = struct.pack(">HHHH", 6000, 5001, 8 + PAYLOAD, 0) + number.to_bytes(PAYLOAD, "big")
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + _host(sender) + bytes((10, 0, 0, 1))
    header = struct.pack("<HH", 0x0188, 44) + ACCESS_POINT + sender + ACCESS_POINT
    return header + struct.pack("<HH", sequence % 4096 << 4, 0) + bytes.fromhex("aaaa030000000800") + ip + udp


def _host(address: bytes) -> bytes:
    return bytes((10, address[1] | 1, address[2], address[3]))


def _airtime_us(octets: int) -> int:
    """802.11a at 24 Mb/s: 96 bits a symbol (17.4.3)."""
    return 20 + 4 * -(-(16 + 8 * octets + 6) // 96)


def _record(end_us: int, offset_us: int, frame: bytes) -> bytes:
    heard_us = end_us + offset_us
    radiotap = _RADIOTAP.pack(0, 0, _RADIOTAP.size, _PRESENT, heard_us, 0, 48, 5180, 0x0140, -50)
    length = len(radiotap) + len(frame)
    return _RECORD.pack(EPOCH_S + heard_us // 10**6, heard_us % 10**6, length, length) + radiotap + frame
