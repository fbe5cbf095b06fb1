"""Frames of the recording station as Linux hands them to a monitor interface: without TSFT and channel, and late."""

from __future__ import annotations

import random
import struct

import polars as pl
import pytest
from pcaps import AP, STATION, ack, beacon, data, pcap, radiotap

import winf_analyzer as winf

RATE_MBPS, PAYLOAD = 36, 1000
AIRTIME_US = 20 + 4 * -(-(16 + 6 + 8 * (24 + PAYLOAD + 4)) // (4 * RATE_MBPS)) + 6
"""Of a data frame of that payload: preamble, symbols, signal extension (IEEE 802.11-2020, 18.5.3.2)."""


def told(frame: bytes, *, retries: int = 0) -> bytes:
    """With a header of mac80211: rate, TX flags (acknowledged) and data retries; without FCS."""
    present = (1 << 2) | (1 << 15) | (1 << 17)
    return struct.pack("<BBHIBxHB", 0, 0, 13, present, 2 * RATE_MBPS, 0, retries) + frame


def recording(exchanges: int = 40, *, with_answers: bool = True) -> bytes:
    """A station sends every 10 ms, and hears beacons of its access point.

    The host's clock is 7 s ahead of the radio's. It stamps what the radio received up to 0.5 ms later, and what the
    station sent up to 3 ms later, before the ACK.
    """
    draw = random.Random(1)
    records, latest_ns = [], 0

    def add(at_us: float, octets: bytes) -> None:
        nonlocal latest_ns
        latest_ns = max(latest_ns + 1000, round(at_us * 1000) + 7 * 10**9)
        records.append((latest_ns, octets))

    for number in range(exchanges):
        begin_us = 1_000_000 + 10_000 * number
        heard_us = begin_us + AIRTIME_US + 10
        if number % 4 == 0:
            add(
                begin_us - 5000 + draw.random() * 500,
                radiotap(beacon(AP, b"x", seq=number), tsft_us=begin_us - 5000, rate_mbps=1),
            )
        add(heard_us + draw.random() * 3000, told(data(AP, STATION, PAYLOAD, seq=number)))
        if with_answers:
            add(heard_us + draw.random() * 500, radiotap(ack(STATION), tsft_us=heard_us, rate_mbps=24))
    return pcap(records)


@pytest.fixture
def stored(tmp_path):
    def stored(content: bytes) -> winf.Dataset:
        (tmp_path / "monitor.pcap").write_bytes(content)
        return winf.ingest([tmp_path / "monitor.pcap"], tmp_path / "monitor.winf")

    return stored


def test_their_times_are_those_of_the_acks(stored):
    dataset = stored(recording())
    sent = dataset.scan("frames").filter(pl.col("direction") == "tx").collect()
    assert sent["channel_mhz"].unique().to_list() == [2412]
    assert sent["airtime_us"].unique().to_list() == [AIRTIME_US]
    assert sent["assumptions"].unique().to_list() == ["fcs_present,end_by_answer"]
    acks = dataset.scan("frames").filter(pl.col("kind") == "ack").collect()
    assert (acks["start_ns"] - sent["end_ns"]).unique().to_list() == [10_000]
    assert acks["assumptions"].null_count() == acks.height, "the radio's stamps are exact"
    exchanges = dataset.scan("exchanges").filter(pl.col("sender") == STATION).collect()
    assert (exchanges.height, exchanges["complete"].sum()) == (40, 40)
    assert exchanges["start_ns"].diff().drop_nulls().unique().to_list() == [10_000_000]


def test_an_audit_does_not_count_them(stored):
    """One SIFS was put between them: that they are one SIFS apart says nothing of the stamps."""
    audit = stored(recording()).scan("audit").filter(pl.col("check") == "sifs").collect()
    assert audit["pairs"].sum() == 0


def test_of_what_nobody_answered_the_times_are_those_of_the_host(stored):
    sent = stored(recording(with_answers=False)).scan("frames").filter(pl.col("direction") == "tx").collect()
    assert sent["assumptions"].unique().to_list() == ["fcs_present,stamp"]
