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


def recorded(name: str, folder: Path, *, has_it: bool) -> winf_analyzer.Dataset:
    """The dataset of a scene with or without its finding, and its recording beside it."""
    SCENES[name][0 if has_it else 1](air := Air())
    (capture := folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.ingest([capture], folder / "run.winf", observer=OBSERVERS.get(name))


@pytest.fixture
def found(tmp_path_factory):
    """The recording of a scene with its finding, its dataset, and what is found in it. Only to be read."""

    def of(name: str) -> tuple[Path, winf_analyzer.Dataset, pl.DataFrame]:
        def make(folder: Path) -> None:
            winf_analyzer.findings(recorded(name, folder, has_it=True))

        folder = make_once(tmp_path_factory, f"scene-{name}", make)
        dataset = winf_analyzer.Dataset.open(folder / "run.winf")
        return folder / "recording.pcap", dataset, dataset.scan("findings").collect()

    return of


def test_every_finding_has_recordings():
    assert sorted([*NAMES, "hidden_pair"]) == list(registry.findings_registry())


@pytest.mark.parametrize("name", NAMES)
def test_it_is_found_where_it_is(found, name):
    row = found(name)[-1].filter(name=name).row(0, named=True)
    assert row["value"] >= row["threshold"]
    assert row["confidence"] >= 0.5


@pytest.mark.parametrize("name", NAMES)
def test_it_is_not_found_where_it_is_not(tmp_path, name):
    with analysis.questioned(recorded(name, tmp_path, has_it=False)) as connection:
        assert not questions.ask(connection, registry.findings_registry()[name])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_asked_has_no_answer(found, name):
    known = registry.findings_registry()
    with analysis.questioned(found(name)[1]) as connection:
        met = questions.conditions_met(connection, known.values())
        assert questions.is_asked(met, known[name])
        spared = [each for each in known.values() if not questions.is_asked(met, each)]
        assert not [each.name for each in spared if questions.ask(connection, each)]


@pytest.mark.parametrize("name", NAMES)
def test_a_threshold_above_its_value_hides_it(found, name):
    finding, (_, dataset, rows) = registry.findings_registry()[name], found(name)
    value = rows.filter(name=name)["value"].max()
    higher = {**finding.parameters, "threshold": (value * 1.001, "")}
    with analysis.questioned(dataset) as connection:
        assert questions.ask(connection, finding)
        assert not questions.ask(connection, dataclasses.replace(finding, parameters=higher))


@pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")
@pytest.mark.parametrize("name", NAMES)
def test_the_display_filter_selects_the_frames(found, name):
    capture, _, rows = found(name)
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
