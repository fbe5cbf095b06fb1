"""Earlier versions of a dataset, back to one of them, and what can be rebuilt of a damaged one."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import pcaps
import pytest
from dataset_state import QUICK
from folders import SAMPLES

import winf_analyzer
from winf_analyzer import Dataset, DatasetError
from winf_analyzer._dataset import manifest


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    return winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf").path


def test_history_undo_and_gc(run):
    first = manifest.load(run)
    winf_analyzer.estimate(run, **QUICK)
    second = Dataset.open(run).scan("estimates").collect()
    assert winf_analyzer.history(run)["version"].to_list() == [2, 1]
    restored = winf_analyzer.undo(run)
    assert restored.metadata["tables"] == first["tables"]
    assert restored.scan("estimates").collect().is_empty()
    assert winf_analyzer.undo(run).scan("estimates").collect().equals(second), "undo is undone"
    assert winf_analyzer.undo(run, version=1).scan("estimates").collect().is_empty()
    with pytest.raises(winf_analyzer.UsageError, match="no version 99"):
        winf_analyzer.undo(run, version=99)
    assert winf_analyzer.gc(run, keep=1).manifests == 3
    assert winf_analyzer.history(run).height == 2
    winf_analyzer.gc(run)
    with pytest.raises(winf_analyzer.UsageError, match="no earlier version"):
        winf_analyzer.undo(run)
    assert winf_analyzer.check(run).is_empty()


def test_a_folder_that_is_no_dataset_is_refused_and_left_alone(run, tmp_path):
    empty, campaign = tmp_path / "empty", tmp_path / "campaign"
    empty.mkdir()
    campaign.mkdir()
    run.rename(campaign / "run.winf")
    copy = partial(winf_analyzer.anonymize, output=tmp_path / "copy.winf")
    for command in (winf_analyzer.gc, winf_analyzer.undo, copy):
        with pytest.raises(DatasetError, match="a folder of 1 datasets, of which this command takes one"):
            command(campaign)
    for command in (winf_analyzer.gc, winf_analyzer.undo):
        with pytest.raises(DatasetError, match="not a dataset"):
            command(empty)
    assert list(empty.iterdir()) == []
    assert [path.name for path in campaign.iterdir()] == ["run.winf"]


def test_a_lost_manifest_is_rebuilt_from_parts(run):
    winf_analyzer.estimate(run, **QUICK)
    rows = {table: Dataset.open(run).scan(table).collect().rows() for table in Dataset.open(run).tables}
    (run / "dataset.json").unlink()
    repaired = winf_analyzer.repair(run)
    assert repaired.left == []
    assert "was rebuilt" in repaired.done[0]
    assert {table: Dataset.open(run).scan(table).collect().rows() for table in Dataset.open(run).tables} == rows
    assert Dataset.open(run).metadata["inputs"][0]["source"] == "a.pcap", "the history has the provenance"
    winf_analyzer.gc(run)
    (run / "dataset.json").write_text("{")
    assert "provenance is lost" in winf_analyzer.repair(run).done[0]
    assert winf_analyzer.report(run, run.parent / "report.html").is_file()


def test_repair_leaves_a_foreign_project_alone(tmp_path):
    (tmp_path / "dataset.json").write_text('{"name": "iris"}')
    with pytest.raises(DatasetError):
        winf_analyzer.repair(tmp_path)
    assert (tmp_path / "dataset.json").read_text() == '{"name": "iris"}'


def test_commands_of_the_program(winf, run):
    assert winf("check", run).returncode == 0
    assert json.loads(winf("history", run, "--to", "json").stdout)[0]["action"] == "ingest"
    winf_analyzer.hidden_pairs(run)
    assert "version 3" in winf("undo", run).stderr
    (part,) = (run / "nodes").iterdir()
    part.write_bytes(b"junk")
    faults = winf("check", run)
    assert (faults.returncode, len(faults.stdout.splitlines())) == (1, 1)
    assert "is no Parquet file" in faults.stdout
    repaired = winf("repair", run)
    assert (repaired.returncode, repaired.stdout) == (0, "")
    assert "nodes was computed again" in repaired.stderr
    assert winf("check", run).returncode == 0
    assert "removed" in winf("gc", run).stderr
    (part,) = (run / "frames").iterdir()
    part.unlink()
    assert winf("repair", run).returncode == 1


def test_a_rebuilt_manifest_is_not_whole_without_the_parts_of_recordings(winf, run):
    winf_analyzer.estimate(run, **QUICK)
    for table in ("frames", "estimates"):
        for part in (run / table).iterdir():
            part.unlink()
    (run / "dataset.json").unlink()
    repaired = winf("repair", run)
    assert (repaired.returncode, repaired.stdout.partition(":")[0][:17]) == (1, "frames/part-00000")
    assert "estimates was emptied" in repaired.stderr
    assert "whole" not in repaired.stderr
    assert winf("check", run).returncode == 1, "nor is it later"
    winf_analyzer.ingest(run.parent / "a.pcap", run, force=True)
    assert winf_analyzer.check(run).is_empty()


@pytest.mark.parametrize("gone", [["audit"], ["audit", "dataset.json"], ["audit", "dataset.json", ".history"]])
def test_a_lost_audit_is_a_fault_that_only_recordings_mend(winf, run, gone):
    for name in gone:
        shutil.rmtree(run / name) if (run / name).is_dir() else (run / name).unlink(missing_ok=True)
    repaired = winf("repair", run)
    assert (repaired.returncode, "whole" in repaired.stderr, "emptied" in repaired.stderr) == (1, False, False)
    assert repaired.stdout.startswith("audit/part-00000")
    assert repaired.stdout.endswith("Ingest the dataset's recordings again, with --force.\n")
    readers = (
        lambda: winf_analyzer.estimate(run, **QUICK),
        lambda: winf_analyzer.why(run),
        lambda: winf_analyzer.report(run, run.parent / "report.html"),
        lambda: winf_analyzer.anonymize(run, run.parent / "public.winf"),
    )
    for answer in readers:  # without the audit, a clock that is wrong would be taken for right
        with pytest.raises(DatasetError, match="audit/part"):
            answer()
    assert winf_analyzer.sql(run, "select count(*) from frames").item() > 0
    winf_analyzer.ingest(run.parent / "a.pcap", run, force=True)
    assert winf_analyzer.check(run).is_empty()


def test_what_an_older_winf_did_not_write_is_not_lost(run):
    document = manifest.load(run)
    del document["tables"]["audit"]
    shutil.rmtree(run / "audit")
    (run / "dataset.json").write_text(manifest.dumps(document))
    winf_analyzer.estimate(run, **QUICK)
    (run / "dataset.json").unlink()
    assert winf_analyzer.repair(run).left == []


@pytest.mark.parametrize(("table", "first"), [("frames", "Move the file away, and ingest"), ("nodes", "`winf repair`")])
def test_check_says_what_helps_against_a_damaged_part(winf, run, table, first):
    (part,) = (run / table).iterdir()
    part.write_bytes(b"junk")
    (fault,) = winf("check", run).stdout.splitlines()
    assert f"is no Parquet file. {first}" in fault
    if table == "frames":
        assert winf("repair", run).stdout.splitlines() == [fault], "what cannot be repaired has the same advice"
        part.unlink()
        assert winf("ingest", run.parent / "a.pcap", "-o", run, "--force").returncode == 0
    else:
        winf_analyzer.repair(run)
    assert winf("check", run).returncode == 0


def test_check_advises_to_merge_a_merged_dataset_again(tmp_path):
    run = winf_analyzer.merge(SAMPLES / "ns3_hidden" / "recording", tmp_path / "merged.winf").path
    shutil.rmtree(run / "audit")
    assert set(winf_analyzer.check(run)["fault"]) == {"is missing. Merge the dataset's recordings again, with --force."}


@pytest.mark.parametrize("table", ["frames", "exchanges", "capabilities", "audit", "warnings"])
@pytest.mark.parametrize("recordings", [2, 40])
def test_without_an_earlier_manifest_other_parts_tell_of_lost_ones(tmp_path, recordings, table):
    for number in range(recordings):  # many short ones share parts
        (tmp_path / f"{number}.pcap").write_bytes(pcaps.busy_link(3))
    run = winf_analyzer.ingest(sorted(tmp_path.glob("*.pcap")), tmp_path / "run.winf", jobs=1).path
    (run / "dataset.json").unlink()
    assert winf_analyzer.repair(run).left == []
    lost = min((run / table).iterdir())
    lost.unlink()
    (run / "dataset.json").unlink()
    (sentence,) = winf_analyzer.repair(run).left
    assert sentence.startswith(f"{table}/{manifest.stem(str(lost))}.parquet: was lost")


@pytest.mark.parametrize("table", ["capabilities", "audit", "warnings"])
def test_other_parts_tell_of_a_lost_one_of_a_merged_dataset(tmp_path, table):
    run = winf_analyzer.merge(SAMPLES / "ns3_hidden" / "recording", tmp_path / "merged.winf").path
    lost = max((run / table).iterdir())
    lost.unlink()
    (run / "dataset.json").unlink()
    (sentence,) = winf_analyzer.repair(run).left
    assert sentence.startswith(f"{table}/{manifest.stem(str(lost))}.parquet: was lost")
    assert winf_analyzer.check(run).height == 1


def test_a_followed_or_merged_dataset_is_rebuilt_whole(tmp_path):
    merged = winf_analyzer.merge(SAMPLES / "ns3_hidden" / "recording", tmp_path / "merged.winf").path
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    followed = winf_analyzer.follow(tmp_path / "a.pcap", tmp_path / "followed.winf", stop=lambda: True).path
    for run in (merged, followed):
        (run / "dataset.json").unlink()
        assert winf_analyzer.repair(run).left == []
        (part, *_) = (run / "exchanges").iterdir()
        part.unlink()
        (run / "dataset.json").unlink()
        (sentence,) = winf_analyzer.repair(run).left
        assert sentence.startswith("exchanges/")


@pytest.mark.parametrize("damage", ["lost", "cut"])
def test_who_writes_into_a_dataset_with_a_damaged_manifest_is_told_what_helps(run, damage):
    text = (run / "dataset.json").read_text()
    (run / "dataset.json").unlink()
    if damage == "cut":
        (run / "dataset.json").write_text(text[:400])
    recording = run.parent / "other.pcap"
    recording.write_bytes(pcaps.busy_link(4))
    for force in (False, True):
        with pytest.raises(DatasetError, match=r"lost or damaged\. `winf repair` makes it again"):
            winf_analyzer.ingest(recording, run, force=force)
    assert winf_analyzer.repair(run).left == []
