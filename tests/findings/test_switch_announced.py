"""Announced changes of channel: what came of them, and in which frames they are told."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from air import ALL, Air, beacon, mac, operating
from finding_scenes import AP, OTHER_AP, becomes_wider, leaves

import winf_analyzer

SWITCH = bytes([37, 3, 1, 100, 1])
BEACON_US = 102_400


def found(folder: Path, air: Air, name: str = "switch_announced") -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name=name)


def announced(*, on: int = 52, beacons_after: int = 0, goes_to: int = 52) -> Air:
    """Ten beacons, three of which announce channel 100, and some that follow."""
    air = Air()
    for beat in range(10 + beacons_after):
        air.until(beat * BEACON_US)
        says = operating(on if beat < 10 else goes_to) + (SWITCH if 7 <= beat < 10 else b"")
        air.send(beacon(AP, seq=beat, told=says), 6, channel_mhz=5000 + 5 * on)
    return air


def test_who_left_is_told_where_to(tmp_path: Path) -> None:
    leaves(air := Air())
    (row,) = found(tmp_path, air).to_dicts()
    assert row["subject"] == AP
    assert "announced 5 times that it goes from 5260 to 5500 MHz, and was not heard any more." in row["text"]
    assert "outside the DFS range" in row["remedy"]


def test_who_stays_did_not_mean_it(tmp_path: Path) -> None:
    (row,) = found(tmp_path, announced(beacons_after=5)).to_dicts()
    assert row["text"].endswith(
        "announced 3 times that it goes from 5260 to 5500 MHz, and its beacons went on where they were."
    )
    assert "sent the announcements itself" in row["remedy"]


def test_a_recording_that_ends_does_not_show_it(tmp_path: Path) -> None:
    (row,) = found(tmp_path, announced()).to_dicts()
    assert row["text"].endswith("and the recording does not show whether it did.")


@pytest.mark.parametrize("on", [36, 100])
def test_who_is_on_the_channel_that_was_announced_has_moved_or_been_there(on: int, tmp_path: Path) -> None:
    air = announced(on=on, beacons_after=6, goes_to=100)
    assert found(tmp_path, air).is_empty()
    assert found(tmp_path, air, "channel_switch").height == (on != 100)


def test_another_width_is_no_other_channel(tmp_path: Path) -> None:
    becomes_wider(air := Air())
    assert found(tmp_path, air).is_empty()


@pytest.mark.parametrize("body", [bytes([0, 4]) + SWITCH, bytes([4, 4, 1, 121, 100, 1])])
def test_action_frames_announce_as_beacons_do(body: bytes, tmp_path: Path) -> None:
    air = Air()
    for beat in range(10):
        air.until(beat * BEACON_US)
        air.send(beacon(AP, seq=beat, told=operating(52)), 6, channel_mhz=5260)
    air.send(mac(0xD0, ALL, AP, AP, body, seq=10), 6, channel_mhz=5280)
    (row,) = found(tmp_path, air).to_dicts()
    assert "announced once that it goes from 5260 to 5500 MHz" in row["text"], "not from where it was heard"


def test_the_last_frame_of_a_recording_may_announce_its_own_channel(tmp_path: Path) -> None:
    air = Air()
    for beat in range(4):
        says = operating(100) + (SWITCH if beat == 3 else b"")
        air.send(beacon(AP, seq=beat, told=says), 6, channel_mhz=5500)
    assert found(tmp_path, air).is_empty()


@pytest.mark.parametrize(
    ("beats", "then"), [(5, "the recording does not show whether it did"), (15, "was not heard any more")]
)
def test_a_second_without_it_shows_that_it_left(beats: int, then: str, tmp_path: Path) -> None:
    air = announced()
    for beat in range(beats):
        air.until((10 + beat) * BEACON_US)
        air.send(beacon(OTHER_AP, seq=beat, told=operating(52)), 6, channel_mhz=5260)
    (row,) = found(tmp_path, air).to_dicts()
    assert row["text"].endswith(f", and {then}.")


def test_beacons_until_the_switch_are_where_they_were(tmp_path: Path) -> None:
    """Announced once, six beacons ahead."""
    air = Air()
    for beat in range(30):
        air.until(beat * BEACON_US)
        if beat < 10:
            says = operating(52) + (bytes([37, 3, 1, 100, 6]) if beat == 4 else b"")
            air.send(beacon(AP, seq=beat, told=says), 6, channel_mhz=5260)
        air.send(beacon(OTHER_AP, seq=beat, told=operating(52)), 6, channel_mhz=5260)
    (row,) = found(tmp_path, air).to_dicts()
    assert row["text"].endswith(", and was not heard any more.")
