"""Access categories on a clock that tells no slot from the next: beacons declare what stamps do not show."""

import gzip
import random
import struct

import polars as pl
import pytest
from folders import ROOT

import winf_analyzer as winf

CAPTURE = ROOT / "tests/benchmarks/sample/edca.pcap.gz"
SENDER, RECEIVER = "00:00:00:00:00:01", "00:00:00:00:00:02"


def without_tsft(octets):
    """The record with TSFT, its first field, left out of the radiotap header."""
    version, pad, length, present = struct.unpack_from("<BBHI", octets)
    begin = 8 + (-8) % 8
    assert present & 1
    assert not present >> 31
    return struct.pack("<BBHI", version, pad, length - 8, present & ~1) + octets[begin + 8 :]


def recorded(folder, late_ns):
    """The recording with stamps that are late by up to `late_ns`, or as it is."""
    data, draw, last = gzip.decompress(CAPTURE.read_bytes()), random.Random(1), 0
    parts, at = [data[:24]], 24
    while at < len(data):
        seconds, ns, captured, length = struct.unpack_from("<IIII", data, at)
        octets = data[at + 16 : at + 16 + captured]
        at += 16 + captured
        stamp = 10**9 * seconds + ns
        if late_ns:
            last = stamp = max(last, stamp + draw.randrange(late_ns))
            octets, captured, length = without_tsft(octets), captured - 8, length - 8
        parts += [struct.pack("<IIII", *divmod(stamp, 10**9), captured, length), octets]
    path = folder / f"{late_ns}.pcap"
    path.write_bytes(b"".join(parts))
    dataset = winf.ingest([path], folder / f"{late_ns}.winf")
    winf.estimate(dataset, estimators=["saturation"], mode="corrected")
    rows = dataset.scan("recommended").filter(pl.col("whole"), sender=SENDER, receiver=RECEIVER).collect()
    return rows.row(0, named=True)


def test_best_effort_beside_video_is_answered_alike_by_stamps_that_are_late_by_up_to_300_us(tmp_path):
    exact, late = recorded(tmp_path, 0), recorded(tmp_path, 300_000)
    assert "timing_coarse" in late["reasons"]
    assert late["available_bps"] == pytest.approx(exact["available_bps"], rel=0.04)
