"""Small captures written by hand, so that a test can say what is in them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

RADIOTAP = 127
IEEE802_11 = 105
ETHERNET = 1

AP = "02:00:00:00:00:01"
STATION = "02:00:00:00:00:02"


def pcap(records: Iterable[tuple[int, bytes]], link_type: int = RADIOTAP, *, endian: str = "<") -> bytes:
    """A capture file with nanosecond stamps; ``records`` are (stamp in ns, octets)."""
    header = struct.pack(endian + "IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, link_type)
    parts = [header]
    for ns, octets in records:
        parts += [struct.pack(endian + "IIII", ns // 10**9, ns % 10**9, len(octets), len(octets)), octets]
    return b"".join(parts)


def radiotap(
    frame: bytes, *, tsft_us: int | None, rate_mbps: float = 11, channel_mhz: int = 2412, signal_dbm: int | None = -40
) -> bytes:
    """A frame behind TSFT, flags (FCS at the end), rate, channel and signal, the first and last if any, and its FCS."""
    cck = rate_mbps in (1, 2, 5.5, 11)
    flags = (0x0020 if cck else 0x0040) | (0x0080 if channel_mhz < 3000 else 0x0100)
    fields = struct.pack("<BBHH", 0x10, round(rate_mbps * 2), channel_mhz, flags)
    present = 0b001110
    if signal_dbm is not None:
        fields, present = fields + struct.pack("<b", signal_dbm), present | 0b100000
    if tsft_us is not None:
        fields = struct.pack("<Q", tsft_us) + fields
    header = struct.pack("<BBHI", 0, 0, 8 + len(fields), present | (tsft_us is not None))
    return header + fields + frame + struct.pack("<I", zlib.crc32(frame))


def retimed(record: bytes, tsft_us: int, *, signal_dbm: int) -> bytes:
    """The octets of `radiotap` with another TSFT and signal: what another radio would have recorded."""
    return record[:8] + struct.pack("<Q", tsft_us) + record[16:22] + struct.pack("<b", signal_dbm) + record[23:]


def address(text: str) -> bytes:
    """Six octets of ``aa:bb:cc:dd:ee:ff``."""
    return bytes.fromhex(text.replace(":", ""))


def ack(receiver: str) -> bytes:
    """An acknowledgment."""
    return struct.pack("<BBH", 0xD4, 0, 0) + address(receiver)


def data(receiver: str, transmitter: str, payload: int, *, seq: int = 0, duration_us: int = 314) -> bytes:
    """A data frame from a station to its access point with ``payload`` octets of MSDU."""
    header = struct.pack("<BBH", 0x08, 0x01, duration_us) + address(receiver) + address(transmitter) + address(receiver)
    return header + struct.pack("<H", seq << 4) + b"\xaa\xaa\x03\x00\x00\x00\x88\xb5" + bytes(payload - 8)


def beacon(transmitter: str, ssid: bytes, *, seq: int = 0, timestamp_us: int = 0) -> bytes:
    """A beacon that announces ``ssid``; ``timestamp_us`` is the TSF timer of its sender."""
    header = struct.pack("<BBH", 0x80, 0, 0) + b"\xff" * 6 + address(transmitter) * 2 + struct.pack("<H", seq << 4)
    body = struct.pack("<QHH", timestamp_us, 100, 0x0401) + bytes([0, len(ssid)]) + ssid + b"\x01\x04\x82\x84\x8b\x96"
    return header + body


def exchange(start_us: int, payload: int = 1500, *, seq: int = 0) -> list[tuple[int, bytes]]:
    """DATA and ACK at 11 and 1 Mb/s with long preambles, stamped at the start of the frame."""
    frame = data(AP, STATION, payload, seq=seq)
    airtime_us = 192 + 8 * (len(frame) + 4) / 11
    answer_us = start_us + round(airtime_us) + 10
    return [
        (start_us * 1000, radiotap(frame, tsft_us=start_us)),
        (answer_us * 1000, radiotap(ack(STATION), tsft_us=answer_us, rate_mbps=1)),
    ]


def busy_link(exchanges: int, interval_us: int = 10_000) -> bytes:
    """A capture of one link that carries an exchange every ``interval_us``."""
    return pcap(
        record
        for number in range(exchanges)
        for record in exchange(1_000_000 + number * interval_us, seq=number % 4096)
    )


def pcapng(interfaces: Iterable[str], records: Iterable[tuple[int, int, bytes]]) -> bytes:
    """A pcapng capture of radiotap frames; ``records`` are (number of the interface, stamp in ns, octets)."""

    def block(kind: int, content: bytes) -> bytes:
        padded = content + bytes(-len(content) % 4)
        length = struct.pack("<I", 12 + len(padded))
        return struct.pack("<I", kind) + length + padded + length

    def option(code: int, value: bytes) -> bytes:
        return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)

    parts = [block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))]
    for name in interfaces:
        options = option(2, name.encode()) + option(9, b"\x09") + option(0, b"")
        parts.append(block(1, struct.pack("<HHI", RADIOTAP, 0, 0) + options))
    for interface, ns, octets in records:
        size = len(octets)
        parts.append(block(6, struct.pack("<IIIII", interface, ns >> 32, ns & 0xFFFFFFFF, size, size) + octets))
    return b"".join(parts)


def commview(frames: Iterable[bytes]) -> bytes:
    """A capture in CommView's format (NCF) of bare frames at 11 Mb/s on channel 1, a millisecond apart."""
    parts = []
    for number, frame in enumerate(frames):
        size = len(frame)
        stamp = struct.pack("<BHBBBBBI", 0, 2024, 1, 1, 12, 0, 0, 1000 * number)
        parts += [struct.pack("<HH", size, size) + stamp + struct.pack("<BBBBBBbb", 1, 50, 22, 1, 1, 0, -40, 0), frame]
    return b"".join(parts)


def beginning(capture: bytes, records: int) -> bytes:
    """The first records of a little-endian capture file."""
    end = 24
    for _ in range(records):
        end += 16 + int(struct.unpack_from("<I", capture, end + 8)[0])
    return capture[:end]
