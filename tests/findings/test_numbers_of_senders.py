"""How many stations, BSSIDs and rates a sentence tells of are those of the frames that it counts."""

from pathlib import Path

import pytest
from air import Air, beacon, mac
from finding_scenes import AP, A, B

import winf_analyzer


def text(folder: Path, air: Air, name: str) -> str:
    (folder / "recording.pcap").write_bytes(air.capture())
    return str(winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name=name)["text"][0])


@pytest.mark.parametrize(
    ("rates", "said"), [((1, 1), "at 1 Mb/s)"), ((1, 6), "at 1 to 6 Mb/s, 1 in the median)")], ids=["one", "several"]
)
def test_who_only_answers_probes_sends_no_beacons(tmp_path: Path, rates: tuple[float, float], said: str) -> None:
    """Beacons of 20 BSSIDs, three of them at the second rate, and probe responses of three others."""
    air = Air()
    for number in range(12):
        for place in range(20):
            air.until(number * 102_400 + place * 5_000)
            air.send(beacon(f"02:00:00:00:02:{place:02x}", seq=number), rates[place < 3])
            if place < 3:
                other = f"02:00:00:00:03:{place:02x}"
                air.wait(500)
                air.send(mac(0x50, A, other, other, bytes(12) + b"\x00\x03net", seq=number), 1)
    assert f"Beacons (240 of 20 BSSIDs, {said} and probe frames (36)" in text(tmp_path, air, "management_overhead")


@pytest.mark.parametrize(
    ("sleepers", "whose"),
    [((B,), f"PS-Polls of {B} take"), ((B, B, A), f"PS-Polls of 2 stations, most of them of {B}, take")],
)
def test_one_station_does_not_send_most_of_its_null_frames(
    tmp_path: Path, sleepers: tuple[str, ...], whose: str
) -> None:
    air = Air()
    for number in range(300):
        air.exchange(sleepers[number % len(sleepers)], AP, AP, seq=number, kind=0x48, body=b"", rate_mbps=1)
        air.wait(2_000)
    assert whose in text(tmp_path, air, "power_save")
