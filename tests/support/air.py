"""Frames put on the air one after the other, so that a test can say what a recording holds."""

from __future__ import annotations

import math
import struct
import zlib

from pcaps import ack, address, pcap

ALL = "ff:ff:ff:ff:ff:ff"
SIFS_US, DIFS_US = 10, 50
RETRY, TO_DS, FROM_DS = 0x08, 0x01, 0x02
CCK = (1, 2, 5.5, 11)
CONTROL_US = 304
"""CTS or ACK at 1 Mb/s."""


def airtime_us(octets: int, rate_mbps: float) -> int:
    """Long preambles of 802.11b, or ERP-OFDM with its signal extension."""
    if rate_mbps in CCK:
        return 192 + math.ceil(8 * octets / rate_mbps)
    return 26 + 4 * math.ceil((22 + 8 * octets) / (4 * rate_mbps))


def mac(
    kind: int, ra: str, ta: str, bssid: str, body: bytes = b"", *, seq: int = 0, flags: int = 0, nav_us: int = 0
) -> bytes:
    """A management or data frame; `kind`: first octet of Frame Control."""
    head = struct.pack("<BBH", kind, flags, nav_us) + address(ra) + address(ta) + address(bssid)
    return head + struct.pack("<H", seq % 4096 << 4) + body


def beacon(bssid: str, ssid: bytes = b"net", seq: int = 0, told: bytes = b"") -> bytes:
    """A beacon with a body of 150 octets, and the elements `told`."""
    body = struct.pack("<QHH", 0, 100, 0x0401) + bytes([0, len(ssid)]) + ssid + b"\x01\x04\x82\x84\x8b\x96"
    return mac(0x80, ALL, bssid, bssid, body + told + b"\xdd\x78" + bytes(120), seq=seq)


def operating(primary: int, *, above: bool | None = None, centre_80: int | None = None) -> bytes:
    """DSSS Parameter Set, HT Operation, and VHT Operation of 80 MHz around the channel `centre_80`.

    `above`: the secondary channel is above or below the primary; None: 20 MHz.
    """
    offset = 0 if above is None else 5 if above else 7
    elements = bytes([3, 1, primary, 61, 22, primary, offset]) + bytes(20)
    return elements if centre_80 is None else elements + bytes([192, 5, 1, centre_80, 0, 0, 0])


def tcp(
    source: int, target: int, seq: int, payload: int, acked: int = 0, *, ports: tuple[int, int] = (5000, 5001)
) -> bytes:
    """LLC, IPv4 and TCP between 10.0.0.`source` and 10.0.0.`target`."""
    segment = struct.pack(">HHIIBBHHH", *ports, seq, acked, 0x50, 0x10, 65535, 0, 0) + bytes(payload)
    head = struct.pack(
        ">BBHHHBBHBBBBBBBB", 0x45, 0, 20 + len(segment), 0, 0, 64, 6, 0, 10, 0, 0, source, 10, 0, 0, target
    )
    return b"\xaa\xaa\x03\x00\x00\x00\x08\x00" + head + segment


class Air:
    """A recording in the making; `now_us` is the next free instant."""

    def __init__(self) -> None:
        self.now_us = 1_000_000
        self.records: list[tuple[int, bytes]] = []

    def capture(self) -> bytes:
        """The recording as a pcap."""
        return pcap(sorted(self.records, key=lambda record: record[0]))

    def send(
        self, frame: bytes, rate_mbps: float = 11, *, dbm: int = -40, channel_mhz: int = 2412, mcs: int | None = None
    ) -> None:
        """One frame, stamped where it begins; `mcs`: an HT frame of 20 MHz in place of `rate_mbps`."""
        octets = frame + struct.pack("<I", zlib.crc32(frame))
        if mcs is None:
            self.records.append((1000 * self.now_us, _legacy(self.now_us, rate_mbps, channel_mhz, dbm) + octets))
            self.now_us += airtime_us(len(octets), rate_mbps)
        else:
            self.records.append((1000 * self.now_us, _ht(self.now_us, mcs, channel_mhz, dbm) + octets))
            bits = (26, 52, 78, 104, 156, 208, 234, 260)[mcs]
            self.now_us += 36 + 4 * math.ceil((22 + 8 * len(octets)) / bits)

    def wait(self, us: float) -> None:
        """Nobody sends."""
        self.now_us += round(us)

    def until(self, us: float) -> None:
        """Nobody sends before this instant, counted from the start."""
        self.now_us = max(self.now_us, 1_000_000 + round(us))

    def rts(self, ta: str, ra: str, protected_us: int, *, cts: bool = True) -> None:
        """An RTS at 1 Mb/s, its CTS, and SIFS; `protected_us`: the CTS's duration."""
        self.send(struct.pack("<BBH", 0xB4, 0, SIFS_US + CONTROL_US + protected_us) + address(ra) + address(ta), 1)
        self.wait(SIFS_US)
        if cts:
            self.send(struct.pack("<BBH", 0xC4, 0, protected_us) + address(ta), 1)
            self.wait(SIFS_US)
        else:
            self.wait(CONTROL_US + 20)

    def cts_to_self(self, ta: str, protected_us: int) -> None:
        """A CTS at 1 Mb/s to its own sender, and SIFS; `protected_us`: its duration."""
        self.send(struct.pack("<BBH", 0xC4, 0, protected_us) + address(ta), 1)
        self.wait(SIFS_US)

    def exchange(
        self,
        ta: str,
        ra: str,
        bssid: str,
        *,
        body: bytes = bytes(1000),
        seq: int = 0,
        rate_mbps: float = 11,
        answered: bool = True,
        retry: bool = False,
        kind: int = 0x08,
        dbm: int = -40,
        backoff_us: float = 310,
        mcs: int | None = None,
        channel_mhz: int = 2412,
    ) -> None:
        """DIFS, backoff, a frame to one station, and its ACK."""
        self.wait(DIFS_US + backoff_us)
        flags = (TO_DS if ra == bssid else FROM_DS) | (RETRY if retry else 0)
        flags = flags if kind & 0x0C == 0x08 else flags & RETRY
        self.send(
            mac(kind, ra, ta, bssid, body, seq=seq, flags=flags, nav_us=314),
            rate_mbps,
            dbm=dbm,
            mcs=mcs,
            channel_mhz=channel_mhz,
        )
        if answered:
            self.wait(16 if mcs is not None else SIFS_US)
            self.send(ack(ta), 24 if rate_mbps not in CCK or mcs is not None else 1, channel_mhz=channel_mhz)
        else:
            self.wait(320)


def _legacy(tsft_us: int, rate_mbps: float, channel_mhz: int, dbm: int) -> bytes:
    flags = (0x20 if rate_mbps in CCK else 0x40) | (0x80 if channel_mhz < 3000 else 0x100)
    fields = struct.pack("<QBBHHb", tsft_us, 0x10, round(2 * rate_mbps), channel_mhz, flags, dbm)
    return struct.pack("<BBHI", 0, 0, 8 + len(fields), 0b101111) + fields


def _ht(tsft_us: int, mcs: int, channel_mhz: int, dbm: int) -> bytes:
    fields = struct.pack("<QBxHHb", tsft_us, 0x10, channel_mhz, 0x140, dbm) + struct.pack("<BBB", 0x07, 0, mcs)
    return struct.pack("<BBHI", 0, 0, 8 + len(fields), 0b101011 | 1 << 19) + fields
