"""When frames that go one by one could have gone together."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from air import Air
from finding_scenes import AP, A, B

import winf_analyzer


def _found(folder: Path, receivers: tuple[str, ...], together: int) -> pl.DataFrame:
    """Every 4 ms so many frames one behind the other, to the receivers in turn."""
    air = Air()
    for number in range(2400):
        if number % together == 0:
            air.until(4_000 * (number // together))
        air.exchange(
            AP,
            receivers[number % len(receivers)],
            AP,
            seq=number,
            kind=0x88,
            body=b"\0\0" + bytes(500),
            mcs=7,
            rate_mbps=24,
            backoff_us=9 * (number % 8),
            channel_mhz=5180,
        )
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="missing_aggregation")


def test_frames_to_one_receiver_after_the_other_could_not(tmp_path):
    assert _found(tmp_path, (A, B), together=2).is_empty()


def test_several_to_each_of_two_receivers_could(tmp_path):
    assert _found(tmp_path, (A, B), together=8)["subject"].to_list() == [f"{AP} > {A}", f"{AP} > {B}"]
