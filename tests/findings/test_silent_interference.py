"""When a wait after a failed attempt is one that no frame explains."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from air import Air, beacon
from finding_scenes import AP, OTHER_AP, A, B, C
from pcaps import ack, address

import winf_analyzer


def _found(folder: Path, air: Air) -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="silent_interference")


def _failures(air: Air, silence_us: float, *, others: int = 0, body: bytes = bytes(1000)) -> None:
    """Attempts of A that fail, silence, frames of B if there are any, and the repetition."""
    for number in range(40):
        air.exchange(A, AP, AP, seq=number, answered=False, body=body)
        air.wait(silence_us)
        for more in range(others):
            air.exchange(B, AP, AP, seq=others * number + more, backoff_us=100)
        air.exchange(A, AP, AP, seq=number, retry=True, body=body)
        air.wait(10_000)


def test_silence_counts_though_another_station_sends_first_behind_it(tmp_path):
    air = Air()
    _failures(air, 8_000, others=1)
    row = _found(tmp_path, air).row(0, named=True)
    assert (row["subject"], row["value"], row["samples"]) == (A, 1.0, 40)
    # It is not known how long the medium was taken, only that one station waited.
    assert row["airtime_share"] is None
    assert "free" not in row["text"]


def test_a_wait_as_long_as_the_longest_frame_is_none(tmp_path):
    """The frame that the attempt collided with need not have been heard; at 1 Mb/s it takes 8 ms and more."""
    short, long = Air(), Air()
    _failures(short, 8_000)
    _failures(long, 8_000)
    for number in range(3):
        long.exchange(B, AP, AP, seq=number, rate_mbps=1, body=bytes(1200))
    assert _found(tmp_path, short).height == 1
    assert _found(tmp_path, long).is_empty()


@pytest.mark.parametrize("again", [True, False])
def test_frames_of_others_that_collide_are_no_silence(tmp_path, again):
    """Nobody hears two that collide, and each of them sends again: eight collisions of 1 ms while A waits."""
    air = Air()
    for number in range(40):
        air.exchange(A, AP, AP, seq=number, answered=False)
        air.wait(8_000)
        for more in range(8):
            for station in (B, C):
                air.exchange(station, AP, AP, seq=8 * number + more, retry=again, backoff_us=100)
        air.exchange(A, AP, AP, seq=number, retry=True)
        air.wait(10_000)
    assert _found(tmp_path, air).is_empty() == again


def test_a_recorder_that_misses_a_quarter_of_the_frames_hears_silence_that_is_none(tmp_path):
    air = Air()
    _failures(air, 8_000)
    for _ in range(60):  # ACKs whose data was not heard
        air.wait(1_000)
        air.send(ack(B), 1)
    assert _found(tmp_path, air).is_empty()


def _beacon(air: Air, number: int, bssid: str = AP) -> None:
    air.send(beacon(bssid, seq=number), 1)


def _null(air: Air, number: int, station: str = A) -> None:
    air.exchange(station, AP, AP, seq=number, kind=0x48, body=b"", rate_mbps=1)


def _poll(air: Air, number: int) -> None:
    air.send(struct.pack("<BBH", 0xA4, 0, 0xC001) + address(AP) + address(A), 1)
    air.wait(10)
    air.send(ack(A), 1)


def _naps(air: Air, wake: Callable[[Air, int], None]) -> None:
    """Frames of the access point that A does not get because it sleeps, and gets once something woke it."""
    for number in range(40):
        air.exchange(AP, A, AP, seq=2 * number, answered=False)
        air.wait(30_000)
        wake(air, number)
        air.exchange(AP, A, AP, seq=2 * number, retry=True)
        air.exchange(AP, A, AP, seq=2 * number + 1)
        air.wait(10_000)


@pytest.mark.parametrize("wake", [_beacon, _null, _poll])
def test_a_station_that_slept_gets_its_frames_later(tmp_path, wake):
    air = Air()
    _naps(air, wake)
    assert _found(tmp_path, air).is_empty()


@pytest.mark.parametrize(("wake", "by"), [(_beacon, OTHER_AP), (_null, B)])
def test_frames_that_wake_nobody_explain_no_wait(tmp_path, wake, by):
    """A beacon of another access point, and a frame of another station."""
    air = Air()
    _naps(air, lambda air, number: wake(air, number, by))
    row = _found(tmp_path, air).row(0, named=True)
    assert (row["subject"], row["value"], row["samples"]) == (AP, 1.0, 40)
