"""Recordings decoded side by side: the same octets for any number of jobs, and bad ones beside the others."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._dataset import manifest
from winf_analyzer._ingest.pool import BYTES_PER_JOB, UNUSABLE, number_of_jobs
from winf_analyzer._util.errors import InterruptedRun, UnusableInput, UsageError
from winf_analyzer._util.memory import set_memory_limit


@pytest.fixture
def captures(tmp_path) -> Path:
    folder = tmp_path / "captures"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.pcap").write_bytes(pcaps.busy_link(20 + number))
    return folder


def digests(dataset: Path) -> dict[str, str]:
    files = sorted(path for path in dataset.rglob("*.parquet"))
    return {str(path.relative_to(dataset)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_any_number_of_jobs_writes_the_same_octets(captures, tmp_path):
    alone = winf_analyzer.ingest(captures, tmp_path / "one.winf", jobs=1)
    several = winf_analyzer.ingest(captures, tmp_path / "four.winf", jobs=4)
    assert digests(alone.path) == digests(several.path)
    assert alone.metadata["inputs"] == several.metadata["inputs"]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_bad_recording_leaves_its_reason_and_the_others_stay(captures, tmp_path, jobs, winf):
    (captures / "2.pcap").write_bytes(pcaps.pcap([(0, bytes(60))], link_type=pcaps.ETHERNET))
    done = winf("ingest", *sorted(captures.iterdir()), "-o", tmp_path / "run.winf", "--jobs", jobs_text(jobs))
    assert done.returncode == 3, done.stderr
    dataset = winf_analyzer.Dataset.open(tmp_path / "run.winf")
    rows = dataset.scan("warnings").filter(pl.col("code") == UNUSABLE).collect()
    assert rows["source"].to_list() == ["2.pcap"]
    assert "Ethernet" in rows["message"][0]
    sources = dataset.scan("frames").select(pl.col("source").cast(pl.String).unique().sort()).collect()["source"]
    assert sources.to_list() == [f"{number}.pcap" for number in (0, 1, 3, 4, 5)]
    assert [entry["reason"] for entry in dataset.metadata["skipped"]] == rows["message"].to_list()


def jobs_text(jobs: int) -> str:
    return str(jobs)


def test_what_is_known_of_the_recordings_is_put_into_text_once(captures, tmp_path, monkeypatch):
    """It is most of what ingesting many short recordings does one after the other."""
    texts = []
    dumps = manifest.dumps
    monkeypatch.setattr(manifest, "dumps", lambda metadata: texts.append(dumps(metadata)) or texts[-1])
    winf_analyzer.ingest(captures, tmp_path / "run.winf")
    assert texts == [(tmp_path / "run.winf" / "dataset.json").read_text(encoding="utf-8")]


def test_nothing_usable_is_no_dataset(tmp_path):
    (tmp_path / "a.pcap").write_bytes(b"")
    with pytest.raises(UnusableInput):
        winf_analyzer.ingest([tmp_path / "a.pcap"], tmp_path / "run.winf", jobs=2)
    assert not (tmp_path / "run.winf").exists()


def test_an_interrupt_stops_all_jobs(captures, tmp_path):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(InterruptedRun):
        winf_analyzer.ingest(captures, tmp_path / "run.winf", jobs=2, progress=interrupt)
    assert [entry.name for entry in tmp_path.iterdir()] == ["captures"]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("winf-ingest")]


def test_the_number_of_jobs_follows_cores_and_memory():
    assert number_of_jobs(1) == 1
    with pytest.raises(UsageError, match="--jobs 0"):
        number_of_jobs(0)
    try:
        set_memory_limit(2 * BYTES_PER_JOB)
        assert number_of_jobs(64) == 2
    finally:
        set_memory_limit(None)


def test_an_observer_that_is_no_address_is_a_usage_error(captures, tmp_path):
    with pytest.raises(UsageError, match="not a station address"):
        winf_analyzer.ingest(captures, tmp_path / "run.winf", observer="me")


def test_a_fault_of_the_decoder_is_not_a_usage_error(captures, tmp_path, monkeypatch):
    def faulty(*_: object, **__: object) -> str:
        raise ValueError("a fault")

    monkeypatch.setattr("winf_analyzer._core.ingest", faulty)
    with pytest.raises(ValueError, match="a fault"):
        winf_analyzer.ingest(captures, tmp_path / "run.winf")
