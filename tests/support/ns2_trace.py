"""An ns-2 trace, line by line: what the MACs of a few nodes send and receive at 11 Mb/s with long preambles.

Times are in microseconds.
"""

from __future__ import annotations

SIFS_US, DIFS_US, SLOT_US = 10, 50, 20
PLCP_BYTES, PLCP_US = 24, 192
ACK_US, CTS_US, RTS_US = 304, 304, 352
OVERHEAD_BYTES = 58
"""By which a frame is longer in the trace than its packet: MAC header, FCS and LLC, PLCP preamble and header."""


def data_us(packet_bytes: int) -> float:
    """Airtime of a packet's frame."""
    return PLCP_US + (packet_bytes + OVERHEAD_BYTES - PLCP_BYTES) * 8 / 11


class Trace:
    """Lines of a trace in the order of time, and when the medium is free again (`now_us`)."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.now_us = 1e6

    def attempt(
        self, sender: int, receiver: int, uid: int, packet_bytes: int, *, rts: bool = False, lost: str = ""
    ) -> None:
        """One attempt at a packet, now; `lost`: the frame of it that does not arrive, of rts, cts, data and ack."""
        control = {"rts": (sender, receiver, RTS_US, "RTS", 44), "cts": (receiver, sender, CTS_US, "CTS", 38)}
        data = {
            "data": (sender, receiver, data_us(packet_bytes), "cbr", packet_bytes + OVERHEAD_BYTES),
            "ack": (receiver, sender, ACK_US, "ACK", 38),
        }
        for name, (source, target, airtime_us, kind, octets) in ((control if rts else {}) | data).items():
            number = uid if kind == "cbr" else 0
            self._event("s", source, number, kind, octets, target, source)
            self.now_us += airtime_us
            if name == lost:
                # Who waits for an answer waits as long as it would have taken.
                if name != "ack":
                    self.now_us += SIFS_US + (CTS_US if name == "rts" else ACK_US)
                break
            self._event("r", target, number, kind, packet_bytes if kind == "cbr" else octets, target, source)
            if name != "ack":
                self.now_us += SIFS_US

    def text(self) -> str:
        """The trace."""
        return "".join(self.lines)

    def _event(self, what: str, node: int, uid: int, kind: str, octets: int, target: int, source: int) -> None:
        head = f"{what} {self.now_us / 1e6:.9f} _{node}_ MAC  --- {uid} {kind} {octets} "
        if kind == "cbr":
            tail = f"[13a {target:x} {source:x} 800] ------- [{source}:1 {target}:1 32 0] [{uid}] {int(what == 'r')} 0"
        else:
            tail = f"[13a {target:x} {source:x} 0] "
        self.lines.append(f"{head}{tail}\n")
