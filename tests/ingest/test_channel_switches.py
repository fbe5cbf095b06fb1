"""Channel switches that frames announce: both decoders beside tshark's fields."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pcaps
import polars as pl
import pytest
from air import ALL, beacon, mac, operating

from winf_analyzer import _core

AP = "02:00:00:00:01:00"
PLAIN, EXTENDED = bytes([37, 3, 1, 100, 5]), bytes([60, 4, 1, 121, 104, 6])
EXPECTED = {
    "nothing": (beacon(AP, told=operating(52)), None, None),
    "plain": (beacon(AP, told=operating(52) + PLAIN), 5500, 5),
    "extended": (beacon(AP, told=operating(52) + EXTENDED), 5520, 6),
    "both": (beacon(AP, told=operating(52) + PLAIN + EXTENDED), 5520, 6),
    "to_6ghz": (beacon(AP, told=operating(52) + bytes([60, 4, 0, 131, 37, 0])), 6135, 0),
    "at_2_4ghz": (beacon(AP, told=operating(1) + bytes([37, 3, 0, 11, 3])), 2462, 3),
    "spectrum_management": (mac(0xD0, ALL, AP, AP, bytes([0, 4]) + PLAIN), 5500, 5),
    "public": (mac(0xD0, ALL, AP, AP, bytes([4, 4]) + EXTENDED[2:]), 5520, 6),
    "protected_dual": (mac(0xD0, ALL, AP, AP, bytes([9, 4]) + EXTENDED[2:]), 5520, 6),
    "another_action": (mac(0xD0, ALL, AP, AP, bytes([3, 0, 1, 121, 104, 6])), None, None),
}
FIELDS = (
    "wlan.csa.new_channel_number",
    "wlan.fixed.extchansw.new.channumber",
    "wlan.csa.channel_switch.count",
    "wlan.extchansw.switchcount",
)


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    records = (
        (number * 10**8, pcaps.radiotap(frame, tsft_us=number * 100_000, rate_mbps=6, channel_mhz=5260))
        for number, (frame, _, _) in enumerate(EXPECTED.values())
    )
    (tmp_path / "capture.pcap").write_bytes(pcaps.pcap(records))
    return tmp_path / "capture.pcap"


needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


@pytest.mark.parametrize("decoder", ["native", pytest.param("tshark", marks=needs_tshark)])
def test_announced_channels(capture: Path, decoder: str) -> None:
    frames = pl.DataFrame(_core.frames(capture, "x", decoder=decoder))
    found = dict(zip(EXPECTED, frames.select("bss_switch_mhz", "bss_switch_beacons").iter_rows(), strict=True))
    assert found == {name: (mhz, beacons) for name, (_, mhz, beacons) in EXPECTED.items()}


@needs_tshark
def test_numbers_and_counts_are_those_of_tshark(capture: Path) -> None:
    fields = [part for field in FIELDS for part in ("-e", field)]
    shown = subprocess.run(
        ["tshark", "-r", str(capture), "-T", "fields", *fields], capture_output=True, text=True, check=True
    )
    frames = pl.DataFrame(_core.frames(capture, "x"))
    for line, mhz, beacons in zip(
        shown.stdout.splitlines(), frames["bss_switch_mhz"], frames["bss_switch_beacons"], strict=True
    ):
        plain, extended, plain_count, extended_count = (int(text, 0) if text else None for text in line.split("\t"))
        number, count = (plain, plain_count) if extended is None else (extended, extended_count)
        assert count == beacons
        assert number is None or number == (mhz - {2: 2407, 5: 5000, 6: 5950}[mhz // 1000]) // 5
