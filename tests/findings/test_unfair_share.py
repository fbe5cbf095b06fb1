"""Which flows compete for the medium."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from air import Air, tcp
from finding_scenes import AP, A, B

import winf_analyzer


def _found(folder: Path, sizes: tuple[int, ...], every: int = 20) -> pl.DataFrame:
    """A flow of full segments, and one with fewer, whose payloads are of these sizes in turn."""
    air, acknowledged = Air(), 1
    for number in range(600):
        air.exchange(A, AP, AP, seq=number, body=tcp(1, 9, 1 + 1000 * number, 1000))
        if number % every == 0:
            size = sizes[number // every % len(sizes)]
            air.exchange(B, AP, AP, seq=number // every, body=tcp(3, 9, acknowledged, size, ports=(6000, 5001)))
            acknowledged += size
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="unfair_share")


def test_a_starved_flow_is_found_though_it_sent_little(tmp_path):
    row = _found(tmp_path, (1000,)).row(0, named=True)
    assert (row["value"], row["samples"]) == (20.0, 30)


def test_a_flow_of_small_segments_waits_for_its_application(tmp_path):
    assert _found(tmp_path, (40, 1000, 60)).is_empty()


def test_a_flow_of_a_few_segments_is_none(tmp_path):
    assert _found(tmp_path, (1000,), every=40).is_empty()
