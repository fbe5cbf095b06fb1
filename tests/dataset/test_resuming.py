"""What a dataset holds is not made again, and a command goes on where another was killed."""

from __future__ import annotations

from pathlib import Path

import pcaps
import pytest

import winf_analyzer
from winf_analyzer import DatasetError
from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.creating import create


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    return winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf").path


def test_what_is_there_is_not_made_again(run, monkeypatch):
    made = winf_analyzer.estimate(run, estimators=["rt_winf"])
    version = manifest.load(run)["version"]
    assert winf_analyzer.estimate(run, estimators=["rt_winf"]).equals(made)
    assert manifest.load(run)["version"] == version
    winf_analyzer.estimate(run, estimators=["rt_winf"], again=True)
    winf_analyzer.estimate(run, estimators=["rt_winf"], window="100ms")
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
