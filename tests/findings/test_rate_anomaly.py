"""Whose low rate takes the airtime of others."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from air import Air
from finding_scenes import AP, A, B

import winf_analyzer


def _found(folder: Path, rates: dict[str, float]) -> pl.DataFrame:
    """An access point that sends as many frames to each station, at its rate."""
    air = Air()
    for number in range(150):
        for receiver, rate_mbps in rates.items():
            air.exchange(AP, receiver, AP, seq=number, rate_mbps=rate_mbps)
        air.wait(4_000)
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="rate_anomaly")


def test_a_station_that_downloads_slowly_is_named(tmp_path):
    """The access point sends all frames: its airtime is that of its stations."""
    found = _found(tmp_path, {A: 11, B: 1})
    assert found["subject"].to_list() == [B]
    assert f"What {AP} sends to {B} goes at 1 Mb/s" in found["text"][0]


def test_stations_that_download_alike_are_not(tmp_path):
    assert _found(tmp_path, {A: 11, B: 11}).is_empty()
