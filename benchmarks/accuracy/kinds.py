"""Recordings as recorders of other kinds would have made them: what they do not hear, leave out, or tell wrongly.

As :mod:`.recorders` this rewrites recordings of ns-3, whose sender has no signal field in its own frames. Its stamps
mark the start of what the recorder sent and the end of what it heard.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from benchmarks.accuracy.recorders import Record

TSFT, FLAGS, RATE, CHANNEL, SIGNAL, NOISE, TX_FLAGS, RETRIES, MCS, AMPDU, VHT, HE = (
    *(0, 1, 2, 3, 5, 6, 15, 17, 19, 20, 21, 23),
)
LAYOUT = {
    **{TSFT: (8, 8), FLAGS: (1, 1), RATE: (1, 1), CHANNEL: (4, 2), SIGNAL: (1, 1), NOISE: (1, 1), TX_FLAGS: (2, 2)},
    **{RETRIES: (1, 1), MCS: (3, 1), AMPDU: (8, 4), VHT: (12, 2), HE: (12, 2)},
}
"""Size and alignment of the fields of radiotap that ns-3 writes, or a recorder here."""

MODULATION = (RATE, MCS, VHT, HE, AMPDU)
"""Fields that tell rate and format of a PPDU."""

FCS_AT_END, FCS_BAD = 0x10, 0x40
RETRY = 0x08
CONTROL, DATA = 1, 2
BLOCK_ACK_REQUEST, BLOCK_ACK, CTS, ACK = 0x84, 0x94, 0xC4, 0xD4
MS = 1_000_000
PAUSE_NS = 1_200 * MS


class Frame(NamedTuple):
    """A record, taken apart."""

    ts_ns: int
    fields: dict[int, bytes]
    """Of radiotap, by their bits."""
    mac: bytes
    """The octets that were captured."""
    length: int
    """On the air, with FCS."""
    ppdu: int
    """The same of all subframes of an A-MPDU."""

    @property
    def is_own(self) -> bool:
        """The recorder sent it."""
        return SIGNAL not in self.fields

    @property
    def is_modern(self) -> bool:
        """Of HT or later."""
        return not self.fields.keys().isdisjoint((MCS, VHT, HE))

    @property
    def kind(self) -> int:
        """Management, control (1) or data (2)."""
        return self.mac[0] >> 2 & 3

    @property
    def receiver(self) -> bytes:
        """The first address."""
        return self.mac[4:10]

    @property
    def transmitter(self) -> bytes:
        """The second address, of which a CTS and an ACK have none."""
        return b"" if self.mac[0] in (CTS, ACK) else self.mac[10:16]


class Link(NamedTuple):
    """The ends of the link under study."""

    sender: bytes
    receiver: bytes


Kind = Callable[[list[Frame], random.Random, Link], Iterable[Frame]]


def recorded(records: Iterable[Record], kind: str, draws: random.Random, link: Link) -> Iterator[Record]:
    """The records that a recorder of one of :data:`KINDS` makes."""
    for frame in KINDS[kind](frames(records), draws, link):
        head = _header(frame.fields)
        yield Record(frame.ts_ns, head + frame.mac, len(head) + frame.length)


def frames(records: Iterable[Record]) -> list[Frame]:
    """The records, taken apart."""
    found: list[Frame] = []
    before = None
    for number, record in enumerate(records):
        (size,) = struct.unpack_from("<H", record.octets, 2)
        fields, mac = _fields(record.octets), record.octets[size:]
        of_ppdu = (record.ts_ns, mac[10:16], fields[AMPDU][:4]) if AMPDU in fields else None
        ppdu = found[-1].ppdu if of_ppdu and of_ppdu == before else number
        found.append(Frame(record.ts_ns, fields, mac, record.length - size, ppdu))
        before = of_ppdu
    return found


def _fields(octets: bytes) -> dict[int, bytes]:
    (present,) = struct.unpack_from("<I", octets, 4)
    at, found = 8, {}
    for bit in range(31):
        if present >> bit & 1:
            size, align = LAYOUT[bit]
            at = -(-at // align) * align
            found[bit] = octets[at : at + size]
            at += size
    return found


def _header(fields: dict[int, bytes]) -> bytes:
    body = b""
    for bit in sorted(fields):
        body += bytes(-len(body) % LAYOUT[bit][1]) + fields[bit]
    return struct.pack("<BBHI", 0, 0, 8 + len(body), sum(1 << bit for bit in fields)) + body


def _modern_unheard(share: float) -> Kind:
    """A radio of one stream, or of fewer MHz: as many PPDUs of HT and later are not heard, what is answered is."""

    def heard(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
        lost: dict[int, bool] = {}
        for frame in found:
            if frame.is_own or not frame.is_modern or not lost.setdefault(frame.ppdu, draws.random() < share):
                yield frame

    return heard


def _long_lost(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
    """A weak signal: the longer a frame, the more often it is lost."""
    return (frame for frame in found if frame.is_own or draws.random() >= min(0.9, frame.length / 3000))


def _no_control(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
    """Control frames are filtered out, as many firmwares do."""
    return (frame for frame in found if frame.kind != CONTROL)


def _ends_only(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
    """A capture filter for the two stations of the link."""
    return (frame for frame in found if frame.receiver in link and (frame.transmitter or link[0]) in link)


def _one_subframe(last: bool) -> Kind:
    """One subframe of each A-MPDU is kept."""
    return lambda found, draws, link: (frame for frame, is_it in _subframes(found, last) if is_it)


def _told_once(last: bool) -> Kind:
    """Rate and format are told with one subframe of each A-MPDU."""

    def heard(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
        for frame, is_it in _subframes(found, last):
            yield frame if is_it else frame._replace(fields=_without(frame.fields, *MODULATION))

    return heard


def _subframes(found: list[Frame], last: bool) -> Iterator[tuple[Frame, bool]]:
    """The frames, and whether each is the first, or last, of its PPDU."""
    chosen: dict[int, int] = {}
    for number, frame in enumerate(found):
        chosen[frame.ppdu] = number if last else chosen.get(frame.ppdu, number)
    return ((frame, chosen[frame.ppdu] == number) for number, frame in enumerate(found))


def _as_54(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
    """A driver that knows no HT tells its rates as 54 Mb/s of OFDM."""
    for frame in found:
        old = _without(frame.fields, *MODULATION) | {RATE: bytes([108])}
        yield frame._replace(fields=old) if frame.is_modern else frame


def _clock_set(by_ns: int) -> Kind:
    """The host's clock is set midway, and there is no other."""

    def stamped(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
        middle_ns = (found[0].ts_ns + found[-1].ts_ns) // 2
        for frame in _by_host(found):
            yield frame._replace(ts_ns=frame.ts_ns + by_ns * (frame.ts_ns > middle_ns))

    return stamped


def _usb(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
    """Stamps of the host behind USB: late by 50 us and more, some by much, in order."""
    last_ns = 0
    for frame in _by_host(found):
        late_ns = min(round(50_000 * draws.paretovariate(1.2)), 20 * MS)
        last_ns = max(last_ns + 1000, frame.ts_ns + late_ns)
        yield frame._replace(ts_ns=last_ns // 1000 * 1000)


def _by_host(found: Iterable[Frame]) -> Iterator[Frame]:
    """Frames without TSFT."""
    for frame in found:
        yield frame._replace(ts_ns=frame.ts_ns // 1000 * 1000, fields=_without(frame.fields, TSFT))


def _paused(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
    """The recorder stops for a while in the middle."""
    middle_ns = (found[0].ts_ns + found[-1].ts_ns) // 2
    pause_ns = min(PAUSE_NS, (found[-1].ts_ns - found[0].ts_ns) // 4)
    return (frame for frame in found if not middle_ns <= frame.ts_ns < middle_ns + pause_ns)


def _overflow(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
    """A buffer that is emptied at six tenths of the mean rate: full, it takes nothing until it is half empty."""
    span_ns = found[-1].ts_ns - found[0].ts_ns
    octets_per_ns = 0.6 * sum(len(frame.mac) for frame in found) / span_ns
    most, level, at_ns, is_full = octets_per_ns * 100 * MS, 0.0, found[0].ts_ns, False
    for frame in found:
        level = max(0.0, level - octets_per_ns * (frame.ts_ns - at_ns))
        at_ns = frame.ts_ns
        is_full = level >= most / 2 if is_full else level + len(frame.mac) > most
        if not is_full:
            level += len(frame.mac)
            yield frame


def _snapped(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
    """A snap length of 96 octets, radiotap included."""
    return (frame._replace(mac=frame.mac[: 96 - len(_header(frame.fields))]) for frame in found)


def _no_fcs(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
    """The FCS is cut off."""
    for frame in found:
        flags = bytes([frame.fields[FLAGS][0] & ~FCS_AT_END])
        length = frame.length - 4
        yield frame._replace(fields=frame.fields | {FLAGS: flags}, mac=frame.mac[:length], length=length)


def _damaged(found: list[Frame], draws: random.Random, link: Link) -> Iterator[Frame]:
    """One in ten frames is damaged, and recorded as such."""
    for frame in found:
        if frame.is_own or draws.random() >= 0.1:
            yield frame
            continue
        octets = bytearray(frame.mac)
        for _ in range(1 + len(octets) // 40):
            octets[draws.randrange(len(octets))] ^= 1 << draws.randrange(8)
        flags = bytes([frame.fields[FLAGS][0] | FCS_BAD])
        yield frame._replace(mac=bytes(octets), fields=frame.fields | {FLAGS: flags})


def _status(found: list[Frame], draws: random.Random, link: Link) -> list[Frame]:
    """What the radio sends is recorded when that is done: once for all attempts, behind the answer, without TSFT."""
    heard: list[Frame] = []
    sent: dict[tuple[bytes, ...], list[tuple[Frame, int]]] = {}
    for frame, behind in zip(found, [*found[1:], found[-1]], strict=True):
        if not frame.is_own:
            heard.append(frame)
        elif frame.kind != CONTROL or frame.mac[0] == BLOCK_ACK_REQUEST:
            sent.setdefault((frame.receiver, frame.mac[22:24], frame.mac[:1]), []).append((frame, behind.ts_ns))
    for attempts in sent.values():
        frame, answered_ns = attempts[-1]
        fields = _without(frame.fields, TSFT, FLAGS, NOISE, AMPDU)
        fields |= {TX_FLAGS: bytes(2), RETRIES: bytes([len(attempts) - 1 & 0xFF])}
        mac = bytes([frame.mac[0], frame.mac[1] & ~RETRY]) + frame.mac[2 : frame.length - 4]
        at_ns = (answered_ns + draws.randrange(20_000, 400_000)) // 1000 * 1000
        heard.append(frame._replace(ts_ns=at_ns, fields=fields, mac=mac, length=frame.length - 4))
    return sorted(heard, key=lambda frame: frame.ts_ns)


def _without(fields: dict[int, bytes], *bits: int) -> dict[int, bytes]:
    return {bit: value for bit, value in fields.items() if bit not in bits}


KINDS: dict[str, Kind] = {
    "modern_unheard": _modern_unheard(1.0),
    "modern_half": _modern_unheard(0.5),
    "long_lost": _long_lost,
    "no_control": _no_control,
    "ends_only": _ends_only,
    "first_subframe": _one_subframe(last=False),
    "last_subframe": _one_subframe(last=True),
    "told_first": _told_once(last=False),
    "told_last": _told_once(last=True),
    "as_54": _as_54,
    "clock_ahead": _clock_set(500 * MS),
    "clock_back": _clock_set(-500 * MS),
    "usb": _usb,
    "paused": _paused,
    "overflow": _overflow,
    "snapped": _snapped,
    "no_fcs": _no_fcs,
    "damaged": _damaged,
    "status": _status,
}
"""Recorders, by name."""
