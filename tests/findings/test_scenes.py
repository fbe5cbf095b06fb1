"""Every finding is found in a recording that has it, not in one that has not, and its filter selects its frames."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from air import Air
from finding_scenes import OBSERVERS, SCENES
from once import make_once

import winf_analyzer
from winf_analyzer._findings import analysis, questions, registry

NAMES = sorted(SCENES)
TSHARK = shutil.which("tshark")


@pytest.fixture
def found(tmp_path_factory):
    """The recording of a scene with or without its finding, its dataset, and what is found in it. Only to be read."""

    def of(name: str, has_it: bool) -> tuple[Path, winf_analyzer.Dataset, pl.DataFrame]:
        def make(folder: Path) -> None:
            SCENES[name][0 if has_it else 1](air := Air())
            (capture := folder / "recording.pcap").write_bytes(air.capture())
            winf_analyzer.findings(winf_analyzer.ingest([capture], folder / "run.winf", observer=OBSERVERS.get(name)))

        folder = make_once(tmp_path_factory, f"{name}-{has_it}", make)
        dataset = winf_analyzer.Dataset.open(folder / "run.winf")
        return folder / "recording.pcap", dataset, dataset.scan("findings").collect()

    return of


def test_every_finding_has_recordings():
    assert sorted([*NAMES, "hidden_pair"]) == list(registry.findings_registry())


@pytest.mark.parametrize("name", NAMES)
def test_it_is_found_where_it_is(found, name):
    row = found(name, True)[-1].filter(name=name).row(0, named=True)
    assert row["value"] >= row["threshold"]
    assert row["confidence"] >= 0.5


@pytest.mark.parametrize("name", NAMES)
def test_it_is_not_found_where_it_is_not(found, name):
    assert name not in found(name, False)[-1]["name"]


@pytest.mark.parametrize("name", NAMES)
def test_a_threshold_above_its_value_hides_it(found, name):
    finding, (_, dataset, rows) = registry.findings_registry()[name], found(name, True)
    value = rows.filter(name=name)["value"].max()
    higher = {**finding.parameters, "threshold": (value * 1.001, "")}
    with analysis.questioned(dataset) as connection:
        assert questions.ask(connection, finding)
        assert not questions.ask(connection, dataclasses.replace(finding, parameters=higher))


@pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")
@pytest.mark.parametrize("name", NAMES)
def test_the_display_filter_selects_the_frames(found, name):
    capture, _, rows = found(name, True)
    row = rows.filter(name=name).row(0, named=True)
    if row["display_filter"] is None:
        assert not row["frames"], "frames without a filter that selects them"
        return
    assert row["frames"], "a filter without frames"
    command = [TSHARK, "-r", str(capture), "-Y", row["display_filter"]]
    done = subprocess.run([*command, "-T", "fields", "-e", "frame.number"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(row["frames"]) <= {int(number) for number in done.stdout.split()}
    assert row["first_ns"] <= row["last_ns"]
