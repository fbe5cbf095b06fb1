"""Recordings that break what every recording should keep: no answer, or the one of the recording that was damaged."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from air import SIFS_US, Air
from folders import SAMPLES
from pcaps import address
from rewriting import Record, records

import winf_analyzer

STATION, OTHER = "00:00:00:00:00:01", "00:00:00:00:00:02"
EPOCH_US = 77_000_000
"""What the radio's clock is ahead of the host's."""


def sample() -> list[Record]:
    """A station's recording with stamps of its radio beside those of the host, which are up to 0.45 ms late."""
    late = random.Random(1)
    frames, host_ns = [], 0
    for frame in records(SAMPLES / "ns3_basic_link/recording/node-1.pcap"):
        host_ns = max(frame.ns + 300_000 + late.randrange(150_000), host_ns + 1000)
        frames.append(replace(stamped(frame, frame.ns // 1000 + EPOCH_US), ns=host_ns))
    return frames


def tsft_us(frame: Record) -> int:
    return int(struct.unpack_from("<Q", frame.octets, 8)[0])


def stamped(frame: Record, tsft_us: int) -> Record:
    return replace(frame, octets=frame.octets[:8] + struct.pack("<Q", tsft_us % 2**64) + frame.octets[16:])


def written(frames: list[Record]) -> bytes:
    parts = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 127)]
    for frame in frames:
        stamp = struct.pack("<IIII", frame.ns // 10**9, frame.ns % 10**9, len(frame.octets), frame.length)
        parts += [stamp, frame.octets]
    return b"".join(parts)


def estimated(frames: list[Record], folder: Path) -> winf_analyzer.Dataset:
    (folder / "recording.pcap").write_bytes(written(frames))
    dataset = winf_analyzer.ingest([folder / "recording.pcap"], folder / "run.winf")
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    return dataset


def answer(dataset: winf_analyzer.Dataset) -> dict[str, Any]:
    rows = dataset.scan("recommended").filter(pl.col("whole"), sender=STATION, receiver=OTHER).collect()
    return rows.row(0, named=True)


def verdict(dataset: winf_analyzer.Dataset, check: str) -> str:
    return str(dataset.scan("audit").filter(check=check).collect()["verdict"].item())


def faster(by: float, *, host: bool) -> Callable[[list[Record]], list[Record]]:
    def changed(frames: list[Record]) -> list[Record]:
        first = tsft_us(frames[0])
        frames = [stamped(frame, first + round((tsft_us(frame) - first) * by)) for frame in frames]
        return [replace(frame, ns=round(frame.ns * by)) for frame in frames] if host else frames

    return changed


COPIES: dict[str, Callable[[list[Record]], list[Record]]] = {
    "a file behind itself": lambda frames: [*frames, *frames],
    "every frame twice": lambda frames: [frame for each in frames for frame in (each, each)],
    "two interfaces of a radio": lambda frames: sorted(
        [*frames, *(replace(frame, ns=frame.ns + 40_000) for frame in frames)], key=lambda frame: frame.ns
    ),
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_count_once(name, tmp_path):
    (tmp_path / "plain").mkdir()
    plain, copied = estimated(sample(), tmp_path / "plain"), estimated(COPIES[name](sample()), tmp_path)
    known, found = answer(plain), answer(copied)
    assert found["grade"] == "good"
    assert found["samples"] == known["samples"]
    assert found["available_bps"] == pytest.approx(known["available_bps"], rel=0.01)
    assert copied.scan("warnings").collect()["code"].to_list() == ["duplicate_records"]


def _turned(frames: list[Record]) -> list[Record]:
    return [stamped(frame, int.from_bytes(frame.octets[8:16], "big")) for frame in frames]


def _frozen(frames: list[Record]) -> list[Record]:
    latest = tsft_us(frames[len(frames) // 2])
    return [stamped(frame, min(tsft_us(frame), latest)) for frame in frames]


CLOCKS: dict[str, Callable[[list[Record]], list[Record]]] = {
    "octets in another order": _turned,
    "milliseconds": lambda frames: [stamped(frame, tsft_us(frame) // 1000) for frame in frames],
    "stands still": lambda frames: [stamped(frame, EPOCH_US) for frame in frames],
    "stands still from the middle on": _frozen,
    "wraps at 32 bits": lambda frames: [
        stamped(frame, (tsft_us(frame) + 2**32 - 78_500_000) % 2**32) for frame in frames
    ],
    "batches of the host": lambda frames: [
        replace(
            frame, octets=_without_tsft(frame.octets), ns=-(-frame.ns // 10_000_000) * 10_000_000 + number % 50 * 1000
        )
        for number, frame in enumerate(frames)
    ],
}


@pytest.mark.parametrize("name", CLOCKS)
def test_a_radio_with_another_clock_gives_no_answer_or_one_that_holds_the_right_one(name, tmp_path):
    (tmp_path / "plain").mkdir()
    known = answer(estimated(sample(), tmp_path / "plain"))
    dataset = estimated(CLOCKS[name](sample()), tmp_path)
    found = answer(dataset)
    assert "duplicate_records" not in dataset.scan("warnings").collect()["code"]
    assert found["samples"] == pytest.approx(known["samples"], abs=1)
    if found["available_high_bps"] is None:
        assert (found["grade"], found["capacity_bps"]) == ("unknown", None)
    else:
        assert found["available_low_bps"] <= known["available_bps"] <= found["available_high_bps"]
        assert found["grade"] == "poor" or name.startswith("wraps")


def test_a_time_that_was_recorded_twice_gives_no_answer(tmp_path):
    """Two recordings behind one another, with stamps of their hosts alone."""
    frames = [replace(frame, octets=_without_tsft(frame.octets)) for frame in sample()]
    dataset = estimated([*frames, *(replace(frame, ns=frame.ns + 7_000_000) for frame in frames)], tmp_path)
    row = answer(dataset)
    assert verdict(dataset, "recorded_once") == "unusable"
    assert (row["available_bps"], row["capacity_bps"], row["grade"]) == (None, None, "unknown")
    assert "clock_unusable" in str(row["reasons"])


def _without_tsft(octets: bytes) -> bytes:
    """The frame behind a header without its first field."""
    length, present = struct.unpack_from("<HI", octets, 2)
    return octets[:2] + struct.pack("<HI", length - 8, present & ~1) + octets[16:]


@pytest.mark.parametrize("host", [False, True])
@pytest.mark.parametrize("by", [2.0, 0.5])
def test_a_clock_that_does_not_measure_airtimes_gives_no_answer(by, host, tmp_path):
    dataset = estimated(faster(by, host=host)(sample()), tmp_path)
    row = answer(dataset)
    assert verdict(dataset, "clock_speed") == "unusable"
    values = [row[f"{name}_bps"] for name in ("capacity", "available", "available_low", "available_tcp")]
    assert values == [None] * 4
    assert "clock_unusable" in str(row["reasons"])
    assert verdict(dataset, "recorded_once") == "good"


def test_a_replay_of_a_recording_without_a_usable_clock_says_so_and_knows_nothing(tmp_path):
    dataset = estimated(faster(2.0, host=True)(sample()), tmp_path)
    replayed = winf_analyzer.replay(dataset, controllers=["new_reno"], draws=5)
    assert any("(clock_unusable)" in note for note in replayed.notes)
    for row in replayed.overview.iter_rows(named=True):
        assert row["throughput_low_bps"] == 0
        assert row["throughput_high_bps"] >= 24e6
        assert row["delay_high_ms"] is None


def test_a_cts_to_self_takes_its_time_whatever_the_stamps(tmp_path):
    known, coarse = (_protected(tmp_path / name, step_us) for name, step_us in (("exact", 1), ("coarse", 1000)))
    assert "timing_coarse" in str(coarse["reasons"])
    assert coarse["capacity_bps"] == pytest.approx(known["capacity_bps"], rel=0.05)


def _protected(folder: Path, step_us: int) -> dict[str, Any]:
    """The answer for data at 54 Mb/s behind CTS of its sender at 1 Mb/s, with stamps of so many microseconds."""
    air = Air()
    for number in range(300):
        air.wait(2500 + number % 7 * 313)
        air.send(struct.pack("<BBH", 0xC4, 0, 600) + address(STATION), 1)
        air.wait(SIFS_US)
        air.exchange(STATION, OTHER, OTHER, seq=number, rate_mbps=54, backoff_us=-50)
    folder.mkdir()
    late = random.Random(2)
    frames = []
    for ns, octets in air.records:
        host_ns = (ns // 1000 + late.randrange(step_us)) // step_us * step_us * 1000
        octets = octets if step_us == 1 else _without_tsft(octets)
        frames.append(Record(host_ns, octets, len(octets)))
    return answer(estimated(frames, folder))
