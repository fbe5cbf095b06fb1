"""What `dataset.json` says of inputs is of what was decoded."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pcaps
import pytest

import winf_analyzer


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    return winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf").path


def test_provenance_is_of_what_was_decoded(tmp_path, monkeypatch):
    """A file that grows while it is read, and one that is replaced after it was read."""
    import hashlib

    capture = tmp_path / "a.pcap"
    capture.write_bytes(pcaps.busy_link(3))
    was = hashlib.sha256(capture.read_bytes()).hexdigest()
    decode = winf_analyzer._ingest.ingestion._core.ingest  # type: ignore[attr-defined]

    def replaced(*arguments: object, **named: object) -> object:
        facts = decode(*arguments, **named)
        capture.write_bytes(pcaps.busy_link(5))
        return facts

    monkeypatch.setattr("winf_analyzer._ingest.ingestion._core.ingest", replaced)
    (entry,) = winf_analyzer.ingest(capture, tmp_path / "run.winf").metadata["inputs"]
    assert entry["sha256"] == was


def test_a_pipe_is_read_and_an_idle_one_ends(tmp_path, monkeypatch):
    import hashlib
    import threading

    content = pcaps.busy_link(3)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    (entry,) = winf_analyzer.ingest(pipe, tmp_path / "run.winf").metadata["inputs"]
    writer.join()
    expected = {"path": str(pipe), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    assert {key: entry[key] for key in expected} == expected
    monkeypatch.setattr("winf_analyzer._ingest.inputs.PIPE_PATIENCE_S", 0.2)
    started = time.monotonic()
    with pytest.raises(winf_analyzer.UnusableInput, match="nothing was written"):
        winf_analyzer.ingest(pipe, tmp_path / "other.winf")
    with pytest.raises(winf_analyzer.UnusableInput, match="is no file"):
        winf_analyzer.compare(tmp_path / "run.winf", pipe)
    assert time.monotonic() - started < 5
    with pytest.raises(winf_analyzer.UnusableInput, match="is no file"):
        winf_analyzer.ingest("/dev/zero", tmp_path / "other.winf")


def test_files_of_an_older_killed_run_are_no_input(run):
    """Staging folders beside recordings are passed over."""
    sibling = run.parent / ".other.winf.partial"
    sibling.mkdir()
    shutil.copy(run.parent / "a.pcap", sibling / "b.pcap")
    again = winf_analyzer.ingest(run.parent, run.parent / "again.winf")
    assert [entry["source"] for entry in again.metadata["inputs"]] == ["a.pcap"]
