"""Recordings of ns-3 with the goodput that saturates the link, as recorded and with what recorders do to them."""

import csv
import gzip
import random
import struct
from pathlib import Path

import polars as pl
import pytest

import winf_analyzer as winf
from winf_analyzer.estimators import Settings, estimate

FOLDER = Path(__file__).parents[1] / "data" / "saturation"
SENDER, RECEIVER = "00:00:00:00:00:01", "00:00:00:00:00:02"
SECOND = 1_000_000_000


def records(name):
    """File header, and the records of a recording: stamp in ns, octets, how many more there were."""
    data = gzip.decompress((FOLDER / f"{name}.pcap.gz").read_bytes())
    found, at = [], 24
    while at < len(data):
        seconds, ns, length, whole = struct.unpack_from("<IIII", data, at)
        found.append((seconds * SECOND + ns, data[at + 16 : at + 16 + length], whole - length))
        at += 16 + length
    return data[:24], found


def without_tsft(octets):
    """The same frame of a driver that stamps none (ns-3 writes TSFT first, if at all)."""
    length, present = struct.unpack_from("<HI", octets, 2)
    if not present & 1:
        return octets
    return octets[:2] + struct.pack("<HI", length - 8, present & ~1) + octets[16:]


def transmitter(octets):
    mac = octets[struct.unpack_from("<H", octets, 2)[0] :]
    return mac[10:16].hex(":") if len(mac) >= 16 else None


def missing(share):
    draw = random.Random(1)
    return lambda ns, octets: (ns, octets) if draw.random() >= share else None


def coarse(ns, octets):
    return ns // 1_000_000 * 1_000_000, without_tsft(octets)


def jittered():
    draw = random.Random(1)
    return lambda ns, octets: (ns + draw.randrange(300_000), without_tsft(octets))


def deaf(ns, octets):
    """What the fifth station sends is not recorded; the answers to it are."""
    return None if transmitter(octets) == "00:00:00:00:00:05" else (ns, octets)


def answer(name, folder, change=lambda ns, octets: (ns, octets), window=1000 * SECOND):
    """`available_bps`, its interval and `reason` of the link, and the truth in the same window or windows."""
    header, found = records(name)
    parts = [header]
    for stamp_ns, recorded, cut in found:
        changed = change(stamp_ns, recorded)
        if changed is not None:
            ns, octets = changed
            parts += [struct.pack("<IIII", ns // SECOND, ns % SECOND, len(octets), len(octets) + cut), octets]
    capture = folder / "sender.pcap"
    capture.write_bytes(b"".join(parts))
    dataset = winf.ingest([capture], folder / "run.winf")
    settings = Settings(window_ns=window, min_cover=0.0)
    rows = estimate(dataset.scan("exchanges"), ["saturation"], ["corrected"], settings, dataset.scan("frames"))
    rows = rows.filter(pl.col("node") == SENDER, pl.col("sender") == SENDER, pl.col("receiver") == RECEIVER)
    with (FOLDER / f"{name}.csv").open() as file:
        truth = pl.DataFrame([{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)])
    if window > SECOND:
        return rows.row(0, named=True) | {"truth_bps": truth["truth_bps"].mean()}
    truth = truth.with_columns(pl.col("window_start_ns").cast(pl.Int64))
    return rows.join(truth, on="window_start_ns")


def error(row):
    return row["available_bps"] / row["truth_bps"] - 1


def covers(row):
    return row["available_low_bps"] <= row["truth_bps"] <= row["available_high_bps"]


CHANGES = {
    "as recorded": (lambda ns, octets: (ns, octets), None),
    "20 % missed": (missing(0.2), "frames_missed"),
    "stamps of 1 ms": (coarse, "timing_coarse"),
    "jitter of 300 us": (jittered(), "timing_coarse"),
    "one station unheard": (deaf, "neighbour_unheard"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_three_links_of_11_mbits_whatever_the_recorder_does(case, tmp_path):
    change, reason = CHANGES[case]
    row = answer("b11_three_links", tmp_path, change)
    assert abs(error(row)) < 0.12
    assert covers(row)
    assert reason is None or reason in (row["reason"] or "").split(",")


def test_aggregates_beside_a_hidden_station_are_not_lost_whole(tmp_path):
    row = answer("n26_hidden", tmp_path)
    assert abs(error(row)) < 0.4
    assert covers(row)


def test_packets_at_equal_intervals_do_not_make_collisions_harmless(tmp_path):
    row = answer("g54_four_at_equal_intervals", tmp_path)
    assert abs(error(row)) < 0.15
    assert covers(row)


def test_seconds_are_covered_as_well(tmp_path):
    rows = answer("b11_three_links", tmp_path, window=SECOND)
    assert rows.height >= 3
    assert sum(covers(row) for row in rows.to_dicts()) >= rows.height - 1


def test_links_that_a_sniffer_does_not_hear_show_by_aggregates_that_nobody_answered(tmp_path):
    """Of three other links it hears nothing of two; a sender of single frames in their place would give way."""
    row = answer("ac78_edge", tmp_path)
    assert abs(error(row)) < 0.15
    assert covers(row)
    assert "others_unheard" in row["reason"].split(",")
