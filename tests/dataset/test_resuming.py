"""What a dataset holds is not made again, and a command goes on where another was killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pcaps
import pytest
from dataset_state import QUICK, is_clean

import winf_analyzer
from winf_analyzer import DatasetError, _core
from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.creating import create


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    return winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf").path


def test_what_is_there_is_not_made_again(run, monkeypatch):
    made = winf_analyzer.estimate(run, **QUICK)
    version = manifest.load(run)["version"]
    assert winf_analyzer.estimate(run, **QUICK).equals(made)
    assert manifest.load(run)["version"] == version
    winf_analyzer.estimate(run, **QUICK, again=True)
    winf_analyzer.estimate(run, **QUICK, window="100ms")
    assert manifest.load(run)["version"] == version + 2
    first = winf_analyzer.replay(run, topology="stack", controllers=["cbr"], duration="1s")
    version = manifest.load(run)["version"]
    second = winf_analyzer.replay(run, topology="stack", controllers=["cbr"], duration="1s")
    assert second.summary.equals(first.summary)
    assert manifest.load(run)["version"] == version
    monkeypatch.setattr("winf_analyzer._util.code_identity.code_identity", lambda: "other code")
    winf_analyzer.replay(run, topology="stack", controllers=["cbr"], duration="1s")
    assert manifest.load(run)["version"] == version + 1


def test_a_killed_analysis_goes_on_and_does_not_look_finished(tmp_path, monkeypatch):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    arguments = tmp_path / "a.pcap", tmp_path / "out"

    class Killed(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("winf_analyzer.pipeline._compare_truth", killed)
        with pytest.raises(Killed):
            winf_analyzer.analyze(*arguments)
    assert not (tmp_path / "out" / "report.html").exists()
    before = manifest.load(tmp_path / "out" / "run.winf")
    result = winf_analyzer.analyze(*arguments)
    assert result.resumed
    assert result.report.is_file()
    assert result.estimates.height
    assert manifest.load(tmp_path / "out" / "run.winf") == before, "nothing was made again"
    with pytest.raises(DatasetError, match="exists already"):
        winf_analyzer.analyze(*arguments)
    (tmp_path / "b.pcap").write_bytes(pcaps.busy_link(2))
    result.report.unlink()
    with pytest.raises(DatasetError, match="exists already"):
        winf_analyzer.analyze(tmp_path / "b.pcap", tmp_path / "out")


def test_an_unusable_input_leaves_no_folder(tmp_path):
    (tmp_path / "a.txt").write_text("no recording")
    with pytest.raises(winf_analyzer.UnusableInput):
        winf_analyzer.analyze(tmp_path / "a.txt", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_failed_making_leaves_nothing(tmp_path):
    with pytest.raises(RuntimeError), create(tmp_path / "new.winf"):
        raise RuntimeError("no")
    assert list(tmp_path.iterdir()) == []


KILLED_INGEST = """
import os, signal, sys
import winf_analyzer
from winf_analyzer._ingest import ingestion
decode, decoded = ingestion._core.ingest, []
def ingest(path, *arguments, **named):
    if len(decoded) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    decoded.append(path)
    return decode(path, *arguments, **named)
ingestion._core.ingest = ingest
winf_analyzer.ingest(sys.argv[1], sys.argv[2], force=sys.argv[3] == "1", jobs=1)
"""


@pytest.mark.parametrize("force", [False, True])
def test_a_killed_ingest_takes_over_what_was_decoded(tmp_path, monkeypatch, force):
    """Of three recordings two were decoded when it was killed; one of these is another now."""
    captures = tmp_path / "captures"
    captures.mkdir()
    for number, name in enumerate(("a.pcap", "b.pcap", "c.pcap")):
        (captures / name).write_bytes(pcaps.busy_link(3 + number))
    target = tmp_path / "run.winf"
    if force:
        winf_analyzer.ingest(captures / "a.pcap", target)
    killed = subprocess.run([sys.executable, "-c", KILLED_INGEST, captures, target, str(int(force))], check=False)
    assert killed.returncode == -signal.SIGKILL
    (captures / "b.pcap").write_bytes(pcaps.busy_link(9))
    decode, decoded = _core.ingest, []

    def counted(path: Path, *arguments: object, **named: object) -> str:
        decoded.append(path.name)
        return decode(path, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("winf_analyzer._ingest.ingestion._core.ingest", counted)
    dataset = winf_analyzer.ingest(captures, target, force=force, jobs=1)
    assert decoded == ["b.pcap", "c.pcap"]
    assert [entry["counts"]["frames"] for entry in dataset.metadata["inputs"]] == [6, 18, 10]
    assert is_clean(tmp_path)
    rows = {table: dataset.scan(table).collect().rows() for table in dataset.tables}
    again = winf_analyzer.ingest(captures, tmp_path / "again.winf")
    assert {table: again.scan(table).collect().rows() for table in again.tables} == rows
