"""A sender whose first attempts at 54 Mb/s never arrive, and whose second ones at 24 Mb/s always do."""

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


def recorded(pause_us: float, path: Path, *, falls_back: bool) -> float:
    """Write a recording of packets with such pauses; what was delivered, Mb/s."""
    random, air, number, beacons = Random(1), Air(), 0, 0
    while air.now_us < 1_000_000 * (1 + SECONDS):
        if air.now_us > 1_000_000 + 102_400 * beacons:
            air.send(beacon(AP, seq=beacons), 6)
            beacons += 1
        for attempt in range(2):
            slots = random.randint(0, (CW_MIN + 1) * 2**attempt - 1)
            air.wait(28 - DIFS_US)  # AIFS of short slots; `exchange` waits for the longer DIFS
            arrives = attempt > 0 or not falls_back
            rate = 24 if attempt or not falls_back else 54
            air.exchange(
                AP, CLIENT, AP, body=bytes(1508), seq=number, rate_mbps=rate, retry=attempt > 0,
                backoff_us=SLOT_US * slots, answered=arrives,
            )  # fmt: skip
            if arrives:
                break
            air.wait(-250)  # an ACK is missed sooner at 24 Mb/s than at 1
        number += 1
        air.wait(random.expovariate(1 / pause_us) if pause_us else 0)
    path.write_bytes(air.capture())
    return number * PACKET_BITS / SECONDS / 1e6


@pytest.mark.parametrize("falls_back", [True, False])
def test_packets_back_off_as_often_as_it_was_seen(falls_back: bool, tmp_path: Path) -> None:
    full = recorded(0, tmp_path / "full.pcap", falls_back=falls_back)
    own = recorded(3000, tmp_path / "light.pcap", falls_back=falls_back)
    dataset = winf_analyzer.ingest([tmp_path / "light.pcap"], tmp_path / "light.winf")
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    answer = dataset.scan("recommended").filter("whole", receiver=CLIENT).collect().row(0, named=True)
    truth = 1e6 * (full - own)
    assert answer["available_low_bps"] < truth < answer["available_high_bps"]
    assert answer["available_bps"] == pytest.approx(truth, rel=0.12)
    assert ("failures_differ" in answer["reasons"]) == falls_back
    assert (answer["grade"] == "good") == (not falls_back)
