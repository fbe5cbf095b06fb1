"""File names with a number sign, behind which the second radio of a recording has its number."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._ingest import tasks


def write(folder: Path, names: Iterable[str], exchanges: int = 3) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_bytes(pcaps.busy_link(exchanges))
    return folder


def two_radios(path: Path) -> None:
    """Two radios on two channels that record at the same time."""
    records = [
        (radio, number * 10**8, pcaps.radiotap(pcaps.beacon(pcaps.AP, b"net"), tsft_us=None, channel_mhz=channel_mhz))
        for number in range(20)
        for radio, channel_mhz in enumerate((2412, 5180))
    ]
    path.write_bytes(pcaps.pcapng(["wlan0", "wlan1"], records))


def frames(dataset: winf_analyzer.Dataset) -> dict[str, int]:
    counted = dataset.scan("frames").group_by(pl.col("source").cast(pl.String)).len().sort("source").collect()
    return dict(counted.iter_rows())


@pytest.mark.parametrize("neighbour", ["run#office", "run#1", "run#1.pcap"])
def test_a_changed_recording_takes_no_rows_of_one_whose_name_begins_like_its_own(tmp_path, neighbour):
    """Short recordings share parts, out of which the rows of one are filtered."""
    others = [f"{number:02}.pcap" for number in range(tasks.MIN_SHORT)]
    captures = write(tmp_path / "captures", ["run", neighbour, *others])
    before = frames(winf_analyzer.ingest(captures, tmp_path / "run.winf"))
    assert len(set(before.values())) == 1
    write(captures, ["run"], exchanges=9)
    after = frames(winf_analyzer.ingest(captures, tmp_path / "run.winf"))
    assert {source for source in after if after[source] != before[source]} == {"run"}
    assert after == frames(winf_analyzer.ingest(captures, tmp_path / "other.winf"))


def of_a(run):
    return {source: rows for source, rows in frames(run).items() if source.startswith("a")}


@pytest.mark.parametrize("number", [0, tasks.MIN_SHORT])
def test_the_second_radio_of_one_recording_is_no_other_recording(tmp_path, number):
    captures = write(tmp_path / "captures", ["a#1", *(f"{each:02}.pcap" for each in range(number))])
    two_radios(captures / "a")
    run = winf_analyzer.ingest(captures, tmp_path / "run.winf")
    assert of_a(run) == {"a": 20, "a#1": 20, r"a\x231": 6}
    two_radios(captures / "a#1")
    run = winf_analyzer.ingest(captures, tmp_path / "run.winf")
    assert of_a(run) == {"a": 20, "a#1": 20, r"a\x231": 20, r"a\x231#1": 20}
    told = {entry["source"]: entry["number_of_networks"] for entry in winf_analyzer.info([run.path])}
    assert (told["a"], told[r"a\x231"]) == (1, 1)


def test_such_a_recording_can_be_published(tmp_path):
    captures = write(tmp_path / "captures", ["lab #1.pcap", "lab #2.pcap"])
    two_radios(captures / "lab#1")
    run = winf_analyzer.ingest(captures, tmp_path / "run.winf")
    public = winf_analyzer.anonymize(run, tmp_path / "public.winf")
    assert winf_analyzer.check_public(public) == []
    assert sorted(frames(public)) == ["recording-1", "recording-2", "recording-3", "recording-3#1"]


def test_stations_of_a_recording_with_a_line_break_in_its_name(tmp_path):
    captures = write(tmp_path / "captures", ["a\nb.pcap", "c.pcap"])
    run = winf_analyzer.ingest(captures, tmp_path / "run.winf")
    assert [entry["number_of_stations"] for entry in winf_analyzer.info([run.path])] == [1, 1]
