"""One writer at a time, and readers that keep what they opened, whoever writes meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer import Dataset, DatasetError, _anonymize
from winf_analyzer._dataset import locks
from winf_analyzer._dataset.creating import sibling_of
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


def test_a_reader_keeps_what_it_opened_while_others_write(run, winf):
    """Superseded parts move away only when nobody reads, and at the latest with the next command."""
    Dataset.open(run).replace_table("scores", scores(7))
    reader = other_process(run, "reader")
    for rows in (8, 9):
        Dataset.open(run).replace_table("scores", scores(rows))
    assert len(list((run / "scores").iterdir())) == 3
    assert winf_analyzer.check(run).is_empty()
    assert [fault.partition(": ")[2] for fault in _anonymize.faults(Dataset.open(run)) if "scores/" in fault] == 2 * [
        "belongs to an earlier version."
    ]
    checked = winf("check", run)
    assert (checked.returncode, checked.stderr.count("is of an earlier version. The next command")) == (0, 2)
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


def test_gc_says_what_keeps_it_from_knowing_who_reads(run):
    (run / ".readers").unlink()
    (run / ".readers").mkdir()
    with pytest.raises(DatasetError, match=r"\.readers in it cannot be opened.*: Is a directory\.") as refusal:
        winf_analyzer.gc(run)
    assert "being read" not in str(refusal.value)


def test_gc_tells_a_reader_of_this_process_from_others(run):
    reader = Dataset.open(run)
    with pytest.raises(DatasetError, match="is being read by another thread of this process"):
        _from_another_thread(lambda: winf_analyzer.gc(run))
    del reader
    _from_another_thread(lambda: winf_analyzer.gc(run))
