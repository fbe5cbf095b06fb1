"""Which repeated segments tell that TCP waited for its timer."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from air import Air, tcp
from finding_scenes import AP, A

import winf_analyzer


def _found(folder: Path, air: Air) -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="tcp_stalls")


def _repeated(air: Air, octets: int, *, acknowledged: int, first: int = 1) -> None:
    """Segments of so many octets, each sent again 0.4 s later, and what is acknowledged in between, from its start."""
    for number in range(8):
        start = (first + 1000 * number) % 2**32
        for again in range(2):
            air.exchange(A, AP, AP, seq=2 * number + again, body=tcp(1, 2, start, octets))
            air.wait(20_000)
            if not again:
                acked = (start + acknowledged) % 2**32
                air.exchange(AP, A, AP, seq=number, body=tcp(2, 1, 1, 0, acked, ports=(5001, 5000)))
                air.wait(400_000)


def test_a_segment_that_was_not_acknowledged_waited_for_the_timer(tmp_path):
    air = Air()
    _repeated(air, 100, acknowledged=0)
    assert _found(tmp_path, air)["value"].to_list() == [8.0]


@pytest.mark.parametrize("first", [1, 2**32 - 50])
def test_a_segment_that_was_acknowledged_did_not(tmp_path, first):
    air = Air()
    _repeated(air, 100, acknowledged=100, first=first)
    assert _found(tmp_path, air).is_empty()


def test_a_keep_alive_is_no_segment_that_waits(tmp_path):
    """One octet below the next sequence number, every 45 s; what is acknowledged is not above it."""
    air = Air()
    for number in range(6):
        air.exchange(A, AP, AP, seq=number, body=tcp(1, 2, 999, 1))
        air.exchange(AP, A, AP, seq=number, body=tcp(2, 1, 1, 0, 1000, ports=(5001, 5000)))
        air.wait(45_000_000)
    assert _found(tmp_path, air).is_empty()
    more = Air()
    for number in range(6):
        more.exchange(A, AP, AP, seq=number, body=tcp(1, 2, 999, 1))
        more.wait(45_000_000)
    assert _found(tmp_path, more).is_empty()
