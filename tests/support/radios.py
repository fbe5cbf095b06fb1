"""The recording that one station's own radio would have made, from the truth of a simulation."""

from __future__ import annotations

import struct
from collections import Counter

from collisions import Scene, Transmission
from pcaps import address, pcap, radiotap

_FRAME_CONTROL = {"rts": 0xB4, "cts": 0xC4, "ack": 0xD4, "data": 0x08, "beacon": 0x80, "mgmt_other": 0x00}
_RETRY = 0x08


def own_recording(scene: Scene, node: int) -> bytes:
    """A pcap of what the station sent and what it received whole, stamped where each frame began."""
    numbers: Counter[int] = Counter()
    records = []
    for place, frame in enumerate(scene.transmissions):
        if frame.kind not in ("rts", "cts", "ack") and not frame.retry:
            numbers[frame.node] += 1
        if node == frame.node or node in frame.received:
            octets = _mpdu(scene, frame, numbers[frame.node], _reserved_us(scene.transmissions, place))
            stamped = radiotap(octets, tsft_us=frame.start_ns // 1000, rate_mbps=frame.rate_mbps)
            records.append((frame.start_ns, stamped))
    return pcap(records)


def _mpdu(scene: Scene, frame: Transmission, number: int, reserved_us: int) -> bytes:
    """Header and a body of zeros, without FCS."""
    receiver = "ff:ff:ff:ff:ff:ff" if frame.receiver is None else scene.address[frame.receiver]
    head = struct.pack("<BBH", _FRAME_CONTROL[frame.kind], _RETRY * frame.retry, reserved_us) + address(receiver)
    if frame.kind in ("cts", "ack"):
        return head
    head += address(scene.address[frame.node])
    if frame.kind == "rts":
        return head
    head += address(receiver) + struct.pack("<H", (number % 4096) << 4)
    return head + bytes(frame.length - 4 - len(head))


def _reserved_us(transmissions: list[Transmission], place: int) -> int:
    """Until the end of the ACK, if the frames after it follow at a SIFS; else what a long frame may take."""
    frame = transmissions[place]
    if frame.kind == "ack" or frame.receiver is None:
        return 0
    end_ns = frame.end_ns
    for later in transmissions[place + 1 : place + 8]:
        if 0 <= later.start_ns - end_ns <= 18_000:
            end_ns = later.end_ns
            if later.kind == "ack":
                return -((frame.end_ns - end_ns) // 1000)
    return {"rts": 2000, "cts": 1700}.get(frame.kind, 60)
