"""What is said of RTS and CTS, and what would be sent without them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from air import CONTROL_US, DIFS_US, SIFS_US, Air, airtime_us, beacon
from finding_scenes import AP, BACKOFFS, A, B

import winf_analyzer
from winf_analyzer._findings import analysis, questions, registry
from winf_analyzer._findings.counterfactual import Cause, _exchanges

FINDING = registry.findings_registry()["protection_overhead"]
NON_ERP = b"\x2a\x01\x03"
"""ERP element: NonERP_Present and Use_Protection."""


def _air(*, b_mbps: float = 24, announced: bytes = b"\x2a\x01\x00") -> Air:
    """RTS of A before frames of 24 Mb/s, one frame in three with CTS-to-self, and frames of B between them."""
    air = Air()
    air.send(beacon(AP) + announced, 1)
    behind_us = airtime_us(228, 24) + SIFS_US + airtime_us(14, 24)
    for number in range(300):
        air.wait(DIFS_US + BACKOFFS[number % len(BACKOFFS)])
        if number % 3:
            air.rts(A, AP, SIFS_US + behind_us)
        else:
            air.cts_to_self(A, SIFS_US + behind_us)
        air.exchange(A, AP, AP, seq=number, body=bytes(200), rate_mbps=24, backoff_us=-DIFS_US)
        if number % 10 == 0:
            air.exchange(B, AP, AP, seq=number, body=bytes(200), rate_mbps=b_mbps)
        air.wait(500)
    return air


def _row(folder: Path, air: Air, observer: str | None = None) -> tuple[dict, list[tuple[str, int, float]]]:
    """The finding, and what A sends without it: kind, how often, and microseconds ahead of the data."""
    (folder / "a.pcap").write_bytes(air.capture())
    dataset = winf_analyzer.ingest([folder / "a.pcap"], folder / "run.winf", observer=observer)
    with analysis.questioned(dataset) as connection:
        (row,) = questions.ask(connection, FINDING)
        left = _exchanges(connection, row["source"], Cause(FINDING, row)).filter(sender=A)
    ahead_us = ((pl.col("data_start_ns") - pl.col("start_ns")) / 1e3).median()
    return row, left.group_by("kind").agg(pl.len(), ahead_us).sort("kind").rows()


def test_without_stations_of_802_11b_both_go(tmp_path):
    row, left = _row(tmp_path, _air())
    assert (row["what"], row["instead"], row["remedy"]) == ("RTS and CTS", "RTS and CTS", None)
    assert row["samples"] == 300
    assert row["airtime_share"] == row["value"]
    assert left == [("basic", 300, 0.0)]


@pytest.mark.parametrize(("b_mbps", "announced"), [(11, b""), (24, NON_ERP)], ids=["heard", "announced"])
def test_beside_stations_of_802_11b_cts_to_self_stays_or_takes_the_place_of_rts(tmp_path, b_mbps, announced):
    row, left = _row(tmp_path, _air(b_mbps=b_mbps, announced=announced))
    assert row["what"] == "RTS with their CTS"
    assert "CTS-to-self that 802.11b stations need" in row["instead"]
    assert "CTS-to-self" in row["remedy"]
    assert row["samples"] == 200
    assert left == [("cts_self", 300, CONTROL_US + SIFS_US)]
    assert row["airtime_share"] == pytest.approx(row["value"] * 362 / (362 + 314), rel=0.01)


@pytest.mark.parametrize(("observer", "heard"), [(A, ""), (B, "that were heard ")])
def test_of_other_stations_rts_those_that_were_heard_count(tmp_path, observer, heard):
    row, _ = _row(tmp_path, _air(), observer)
    assert row["heard"] == heard
