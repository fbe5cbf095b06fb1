"""Every finding is found in a recording that has it, not in one that has not, and its filter selects its frames."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from air import Air
from finding_scenes import OBSERVERS, SCENES

import winf_analyzer
from winf_analyzer._findings import registry

NAMES = sorted(SCENES)
TSHARK = shutil.which("tshark")


@cache
def _found(name: str, has_it: bool) -> tuple[bytes, pl.DataFrame]:
    """The recording, and its findings."""
    air = Air()
    SCENES[name][0 if has_it else 1](air)
    with tempfile.TemporaryDirectory() as folder:
        capture = Path(folder) / "recording.pcap"
        capture.write_bytes(air.capture())
        dataset = winf_analyzer.ingest([capture], Path(folder) / "run.winf", observer=OBSERVERS.get(name))
        return air.capture(), winf_analyzer.findings(dataset)


def test_every_finding_has_recordings():
    assert sorted([*NAMES, "hidden_pair"]) == list(registry.findings_registry())


@pytest.mark.parametrize("name", NAMES)
def test_it_is_found_where_it_is(name):
    _, found = _found(name, True)
    row = found.filter(name=name).row(0, named=True)
    assert row["value"] >= row["threshold"]
    assert row["confidence"] >= 0.5


@pytest.mark.parametrize("name", NAMES)
def test_it_is_not_found_where_it_is_not(name):
    assert name not in _found(name, False)[1]["name"]


@pytest.mark.parametrize("name", NAMES)
def test_a_threshold_above_its_value_hides_it(name, monkeypatch, tmp_path):
    finding, (capture, found) = registry.findings_registry()[name], _found(name, True)
    value = found.filter(name=name)["value"].max()
    higher = {**finding.parameters, "threshold": (value * 1.001, "")}
    changed = registry.Finding(**{**finding.__dict__, "parameters": higher})
    monkeypatch.setattr("winf_analyzer._findings.analysis.findings_registry", lambda: {name: changed})
    (tmp_path / "recording.pcap").write_bytes(capture)
    assert winf_analyzer.why([tmp_path / "recording.pcap"], observer=OBSERVERS.get(name)).findings.is_empty()


@pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")
@pytest.mark.parametrize("name", NAMES)
def test_the_display_filter_selects_the_frames(name, tmp_path):
    capture, found = _found(name, True)
    row = found.filter(name=name).row(0, named=True)
    if row["display_filter"] is None:
        assert not row["frames"], "frames without a filter that selects them"
        return
    assert row["frames"], "a filter without frames"
    (tmp_path / "recording.pcap").write_bytes(capture)
    command = [TSHARK, "-r", str(tmp_path / "recording.pcap"), "-Y", row["display_filter"]]
    done = subprocess.run([*command, "-T", "fields", "-e", "frame.number"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(row["frames"]) <= {int(number) for number in done.stdout.split()}
    assert row["first_ns"] <= row["last_ns"]
