"""A sender with a retry limit of one: a fifth of its data is lost, and none is sent again."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from air import DIFS_US, Air, beacon

import winf_analyzer

AP, CLIENT = "02:00:00:00:00:01", "02:00:00:00:00:02"
SLOT_US, CW_MIN = 9, 15
SECONDS = 4
PACKET_BITS = 8 * 1508


def recorded(pause_us: float, path: Path, *, repeats: bool) -> float:
    """Write a recording of packets with such pauses, of which a fifth of the attempts fails; what arrived, Mb/s."""
    random, air, number, arrived, beacons = Random(1), Air(), 0, 0, 0
    while air.now_us < 1_000_000 * (1 + SECONDS):
        if air.now_us > 1_000_000 + 102_400 * beacons:
            air.send(beacon(AP, seq=beacons), 6)
            beacons += 1
        for attempt in range(7 if repeats else 1):
            slots, arrives = random.randint(0, (CW_MIN + 1) * 2**attempt - 1), random.random() > 0.2
            air.wait(28 - DIFS_US)  # AIFS of short slots; `exchange` waits for the longer DIFS
            air.exchange(
                AP, CLIENT, AP, body=bytes(1508), seq=number, rate_mbps=54, retry=attempt > 0,
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


@pytest.mark.parametrize("repeats", [True, False])
def test_what_is_never_repeated_may_be_lost(repeats: bool, tmp_path: Path) -> None:
    full = recorded(0, tmp_path / "full.pcap", repeats=repeats)
    own = recorded(3000, tmp_path / "light.pcap", repeats=repeats)
    dataset = winf_analyzer.ingest([tmp_path / "light.pcap"], tmp_path / "light.winf")
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    answer = dataset.scan("recommended").filter("whole", receiver=CLIENT).collect().row(0, named=True)
    assert answer["available_low_bps"] < 1e6 * (full - own) < answer["available_high_bps"]
    assert ("never_repeated" in answer["reasons"]) == (not repeats)
    assert (answer["grade"] == "good") == repeats
