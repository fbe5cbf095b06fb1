"""Which traffic in the category for voice is none."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from air import Air
from finding_scenes import AP, A, sent_as_voice

import winf_analyzer


def _found(folder: Path, air: Air) -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="bulk_in_voice")


@pytest.mark.parametrize("priority", [6, 7])
def test_both_priorities_of_voice(tmp_path, priority):
    sent_as_voice(air := Air(), priority=priority)
    row = _found(tmp_path, air).row(0, named=True)
    assert (row["subject"], row["samples"]) == (f"{A} > {AP}", 200)
    assert f"user priority {priority}" in row["text"]
    assert row["effect_bps"] is None


@pytest.mark.parametrize("priority", [0, 3, 5])
def test_long_packets_of_other_categories_are_theirs(tmp_path, priority):
    """Video sends packets as long as the link takes."""
    sent_as_voice(air := Air(), priority=priority)
    air.exchange(A, AP, AP, kind=0x88, body=b"\6\0" + bytes(200))
    assert _found(tmp_path, air).is_empty()


def test_what_takes_little_time_is_none(tmp_path):
    """Some 0.8 ms in 12."""
    air = Air()
    for number in range(100):
        air.exchange(A, AP, AP, seq=number, kind=0x88, body=b"\6\0" + bytes(1400), rate_mbps=24)
        air.wait(11_000)
    assert _found(tmp_path, air).is_empty()
