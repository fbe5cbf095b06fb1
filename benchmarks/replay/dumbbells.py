"""The wired dumbbells on which XCP is compared with ns-2's."""

from __future__ import annotations

from dataclasses import dataclass

HEADER_BYTES = 50
"""IPv4 and TCP, and the timestamp option as ns-2 counts it (`ts_option_size_`); its XCP agents always send one."""


@dataclass(frozen=True)
class Dumbbell:
    """One bottleneck, and a flow per access delay; flow k starts at k times the spacing."""

    name: str
    rate_mbps: float
    delay_ms: float
    access_ms: tuple[float, ...]
    spacing_s: float
    stop_s: int
    queue_packets: int

    def arguments(self) -> list[str]:
        """As ``reference/xcp_ns2.tcl`` takes them, but for the seed."""
        access = ",".join(f"{ms:g}" for ms in self.access_ms)
        numbers = (self.spacing_s, self.stop_s, self.queue_packets)
        return [f"{self.rate_mbps:g}", f"{self.delay_ms:g}", access, *(f"{number:g}" for number in numbers)]


DUMBBELLS = (
    Dumbbell("10 Mbit/s, 44 ms", 10, 20, (1, 1, 1, 1), 2, 20, 200),
    Dumbbell("10 Mbit/s, 44 to 104 ms", 10, 20, (1, 11, 21, 31), 2, 20, 200),
    Dumbbell("45 Mbit/s, 84 ms", 45, 40, (1, 1, 1, 1), 2, 20, 600),
    Dumbbell("2 Mbit/s, 124 ms", 2, 60, (1, 1, 1, 1), 4, 32, 100),
)

OVERFLOWING = (
    Dumbbell("10 Mbit/s, 44 ms, 4 flows, queue 10", 10, 20, (1, 1, 1, 1), 2, 20, 10),
    Dumbbell("2 Mbit/s, 124 ms, 4 flows, queue 10", 2, 60, (1, 1, 1, 1), 4, 32, 10),
    Dumbbell("45 Mbit/s, 84 ms, 4 flows, queue 10", 45, 40, (1, 1, 1, 1), 2, 20, 10),
    Dumbbell("45 Mbit/s, 84 ms, 4 flows, queue 25", 45, 40, (1, 1, 1, 1), 2, 20, 25),
    Dumbbell("45 Mbit/s, 84 ms, 4 flows, queue 50", 45, 40, (1, 1, 1, 1), 2, 20, 50),
    Dumbbell("10 Mbit/s, 44 ms, 1 flow, queue 10", 10, 20, (1,), 2, 20, 10),
    Dumbbell("2 Mbit/s, 124 ms, 1 flow, queue 10", 2, 60, (1,), 2, 32, 10),
    Dumbbell("20 Mbit/s, 44 ms, 2 flows, queue 20", 20, 20, (1, 1), 2, 20, 20),
    Dumbbell("10 Mbit/s, 124 ms, 2 flows, queue 20", 10, 60, (1, 1), 2, 20, 20),
    Dumbbell("10 Mbit/s, 124 to 184 ms, 4 flows, queue 40", 10, 60, (1, 11, 21, 31), 2, 20, 40),
    Dumbbell("45 Mbit/s, 44 ms, 1 flow, queue 50", 45, 20, (1,), 2, 20, 50),
)
"""Queues so short that XCP's bursts overflow them."""

VARIES, VARIES_EVERY_S = 0.001, 0.01
"""There, by which share of itself the rate of the bottleneck is drawn anew to both sides, and how often."""
