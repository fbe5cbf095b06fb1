"""One writer at a time, readers that keep what they opened, and commands that go on where another was killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer import Dataset, DatasetError
from winf_analyzer._dataset import locks, manifest
from winf_analyzer._dataset.creating import create, sibling_of
from winf_analyzer._schema import schema

HOLDER = """
import sys, time
from pathlib import Path
from winf_analyzer import Dataset
from winf_analyzer._dataset import locks
root = Path(sys.argv[1])
if sys.argv[2] == "writer":
    with locks.writer(root):
        print("holding", flush=True)
        time.sleep(100)
dataset = Dataset.open(root)
rows = dataset.scan("scores")
print("holding", flush=True)
sys.stdin.readline()
print(rows.collect().height, flush=True)
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    return winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf").path


def other_process(run: Path, role: str) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", HOLDER, run, role], **pipes)  # type: ignore[call-overload]
    assert process.stdout.readline() == "holding\n"
    return process  # type: ignore[no-any-return]


def scores(rows: int) -> pl.DataFrame:
    return pl.DataFrame(schema=schema("scores")).clear(rows)


def test_a_second_writer_says_who_writes_and_a_dead_one_holds_nothing(run):
    process = other_process(run, "writer")
    with pytest.raises(DatasetError, match=rf"is being written by .*process {process.pid} on .*, since 20"):
        winf_analyzer.estimate(run)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdin.close()
    process.stdout.close()
    assert winf_analyzer.estimate(run).height


def test_two_makers_of_one_dataset(tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    target = tmp_path / "new.winf"
    sibling_of(target).mkdir()
    process = other_process(sibling_of(target), "writer")
    with pytest.raises(DatasetError, match=f"new.winf: is being written by .*process {process.pid}"):
        winf_analyzer.ingest(tmp_path / "a.pcap", target)
    assert not target.exists()
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()
    winf_analyzer.ingest(tmp_path / "a.pcap", target)
    assert not sibling_of(target).exists()


def test_a_sibling_that_is_not_winfs_is_left_alone(tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    taken = sibling_of(tmp_path / "new.winf")
    taken.mkdir()
    (taken / "thesis.tex").write_text("four years of work")
    with pytest.raises(DatasetError, match="not winf's"):
        winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "new.winf")
    assert (taken / "thesis.tex").read_text() == "four years of work"


def test_a_text_in_the_lock_does_no_harm(run):
    (run / ".lock").write_text("\x1b[31m{not json")
    winf_analyzer.hidden_pairs(run)
    with pytest.raises(DatasetError, match="another process"), locks.writer(run):  # noqa: PT012
        (run / ".lock").write_text('{"command": "\\u001b[31m", "pid": [], "host": "h"}')
        _from_another_thread(lambda: winf_analyzer.hidden_pairs(run))


def _from_another_thread(act):  # type: ignore[no-untyped-def]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(act).result()


def test_a_reader_keeps_what_it_opened_while_others_write(run):
    """Superseded parts move away only when nobody reads, and at the latest with the next command."""
    Dataset.open(run).replace_table("scores", scores(7))
    reader = other_process(run, "reader")
    for rows in (8, 9):
        Dataset.open(run).replace_table("scores", scores(rows))
    assert len(list((run / "scores").iterdir())) == 3
    assert winf_analyzer.sql(run, "select count(*) from scores").item() == 9
    out, _ = reader.communicate("go on\n")
    assert out == "7\n"
    winf_analyzer.hidden_pairs(run)
    assert len(list((run / "scores").iterdir())) == 1
    assert winf_analyzer.check(run).is_empty()


def test_gc_waits_for_readers_and_says_so(run):
    Dataset.open(run).replace_table("scores", scores(7))
    reader = other_process(run, "reader")
    with pytest.raises(DatasetError, match="is being read by another process"):
        winf_analyzer.gc(run)
    reader.communicate("go on\n")
    assert winf_analyzer.gc(run).manifests == 1
    assert not (run / ".history").exists()


def test_readers_beside_a_tight_writer_see_old_or_new(run):
    """All tables of a command change at once: the two always have the same number of rows."""
    with Dataset.open(run).change("test") as change:
        for table in ("scores", "comparison"):
            change.replace(table, [pl.DataFrame(schema=schema(table))])
    writer = """
import sys, time
import polars as pl
from winf_analyzer import Dataset
from winf_analyzer._schema import schema
end = time.monotonic() + 4
rows = 0
while time.monotonic() < end:
    rows += 1
    with Dataset.open(sys.argv[1]).change("test") as change:
        for table in ("scores", "comparison"):
            change.replace(table, [pl.DataFrame(schema=schema(table)).clear(rows % 50)])
print(rows)
"""
    process = subprocess.Popen([sys.executable, "-c", writer, run], stdout=subprocess.PIPE, text=True)
    reads = 0
    question = "select (select count(*) from scores) as a, (select count(*) from comparison) as b"
    while process.poll() is None:
        ((a, b),) = winf_analyzer.sql(run, question).rows()
        assert a == b
        reads += 1
    assert process.stdout is not None
    assert int(process.stdout.read()) > 3
    process.stdout.close()
    assert reads > 3


def test_history_undo_and_gc(run):
    first = manifest.load(run)
    winf_analyzer.estimate(run, estimators=["rt_winf"])
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
    with pytest.raises(winf_analyzer.UsageError, match="no version"):
        winf_analyzer.undo(run)
    assert winf_analyzer.check(run).is_empty()


def test_a_lost_manifest_is_rebuilt_from_parts(run):
    winf_analyzer.estimate(run, estimators=["rt_winf"])
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


def test_files_of_an_older_killed_run_are_no_input(run):
    """Staging folders beside recordings are passed over."""
    sibling = run.parent / ".other.winf.partial"
    sibling.mkdir()
    shutil.copy(run.parent / "a.pcap", sibling / "b.pcap")
    again = winf_analyzer.ingest(run.parent, run.parent / "again.winf")
    assert [entry["source"] for entry in again.metadata["inputs"]] == ["a.pcap"]


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
