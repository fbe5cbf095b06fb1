"""Channels with few frames: told of, but no reason for a finding."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from air import Air, beacon
from finding_scenes import AP

import winf_analyzer


def _found(folder: Path, channels: tuple[int, ...], seldom: tuple[int, ...]) -> pl.DataFrame:
    """Six rounds of five beacons on each channel, and at the end one beacon on each of those where few were heard."""
    air = Air()
    for channel in [*(mhz for _ in range(6) for mhz in channels for _ in range(5)), *seldom]:
        air.wait(400)
        air.send(beacon(AP), 1, channel_mhz=channel)
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="channel_hopping")


def test_all_channels_are_told_of(tmp_path):
    row = _found(tmp_path, (2412, 2437, 2462), (2417, 2422, 2412)).row(0, named=True)
    assert "changed between 5 channels 20 times." in row["text"]
    assert (row["value"], row["samples"]) == (3, 18)


def test_channels_with_few_frames_are_no_reason(tmp_path):
    assert _found(tmp_path, (2412, 2437), (2417, 2422, 2427, 2432)).is_empty()
