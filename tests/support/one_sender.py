"""Recordings of an access point that sends to one client, and repeats what nobody answers as told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from air import DIFS_US, Air, beacon

AP, CLIENT = "02:00:00:00:00:01", "02:00:00:00:00:02"
SLOT_US, CW_MIN = 9, 15
SECONDS = 4
PACKET_BITS = 8 * 1508


def recorded(
    pause_us: float, path: Path, *, attempts: int, attempt: Callable[[Random, int], tuple[int, bool]]
) -> float:
    """Write a recording of packets with such pauses between them, none: its queue is full; what arrived, Mb/s.

    Args:
        pause_us: mean, of an exponential distribution.
        path: of the capture.
        attempts: how often a packet is sent at most.
        attempt: of the first attempt, 0, and further ones: rate in Mb/s, and whether it arrives.
    """
    random, air, number, arrived, beacons = Random(1), Air(), 0, 0, 0
    while air.now_us < 1_000_000 * (1 + SECONDS):
        if air.now_us > 1_000_000 + 102_400 * beacons:
            air.send(beacon(AP, seq=beacons), 6)
            beacons += 1
        for again in range(attempts):
            slots = random.randint(0, (CW_MIN + 1) * 2**again - 1)
            rate, arrives = attempt(random, again)
            air.wait(28 - DIFS_US)  # AIFS of short slots; `exchange` waits for the longer DIFS
            air.exchange(
                AP, CLIENT, AP, body=bytes(1508), seq=number, rate_mbps=rate, retry=again > 0,
                backoff_us=SLOT_US * slots, answered=arrives,
            )  # fmt: skip
            if arrives:
                arrived += 1
                break
            air.wait(-250)  # an ACK is missed sooner at 24 Mb/s than at 1
        number += 1
        air.wait(random.expovariate(1 / pause_us) if pause_us else 0)
    path.write_bytes(air.capture())
    return arrived * PACKET_BITS / SECONDS / 1e6
