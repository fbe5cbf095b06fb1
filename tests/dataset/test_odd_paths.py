"""Every command does in a folder with an odd name what it does in another: `*`, `?` and `[` are no patterns there."""

from __future__ import annotations

import os

import duckdb
import iperf3
import pcaps
import pytest
from dataset_state import QUICK
from program import TERMINAL

import winf_analyzer
from winf_analyzer import Dataset
from winf_analyzer._dataset import checking

PLAIN, ODD, MATCHED = "a plain", "a[1] *?", "a1 xy"
"""The second, taken for a pattern, is one of the third."""

FEW = ("--estimators", "idle_gap", "--mode", "paper", "--window", "100ms")
LINK = f"{pcaps.STATION},{pcaps.AP}"

COMMANDS = (
    ("ingest", "{0}.pcap", "-o", "{0}.winf"),
    ("info", "{0}.winf"),
    ("estimate", "{0}.winf", *FEW, "--to", "csv"),
    ("ingest", "{0}.pcap", "{0}-2.pcap", "-o", "{0}.winf"),
    ("estimate", "{0}.winf", *FEW, "--to", "csv"),
    ("why", "{0}.winf"),
    ("compare", "{0}.winf", "--iperf", "{0}.json", "--link", LINK, "--to", "csv"),
    ("replay", "{0}.winf", "--controllers", "xcp_winf", "--duration", "1s", "--to", "csv"),
    ("report", "{0}.winf", "-o", "{0}.html"),
    ("diff", "{0}.winf", "{0}.winf", "--to", "csv"),
    ("sql", "{0}.winf", "select source, count(*) as n from frames group by source order by source", "--to", "csv"),
    ("sql", "{0}.winf", "select count(*) as n, count(source) as of_it, min(source) as first from exchanges"),
    ("sql", "{0}.winf", "other.winf", "select dataset, count(*) from frames group by 1 order by 1", "--to", "csv"),
    ("export", "{0}.winf", "--to", "csv", "-o", "{0} csv"),
    ("export", "{0}.winf", "--to", "arrow", "-o", "{0} arrow"),
    ("export", "{0}.winf", "--to", "duckdb", "-o", "{0}.duckdb"),
    ("export", "{0}.winf", "--to", "duckdb", "-o", "{0}.duckdb", "--force"),
    ("export", "{0}.winf", "--to", "perfetto", "-o", "{0}.pftrace"),
    ("anonymize", "{0}.winf", "-o", "{0} public.winf"),
    ("merge", "{0}.pcap", "{0}-2.pcap", "-o", "{0} merged.winf"),
    ("ingest", "{0}.pcap", "{0}-2.pcap", "-o", "{0} one.winf", "--shard", "1/2"),
    ("ingest", "{0}.pcap", "{0}-2.pcap", "-o", "{0} two.winf", "--shard", "2/2"),
    ("collect", "{0} one.winf", "{0} two.winf", "-o", "{0} all.winf"),
    ("analyze", "{0}.pcap", "-o", "{0} out", "--controllers", "none"),
    ("undo", "{0}.winf"),
    ("undo", "{0}.winf"),
    ("check", "{0}.winf"),
    ("repair", "{0}.winf"),
    ("gc", "{0}.winf"),
    ("check", "{0}.winf"),
)


def recordings(folder, name, pairs):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.pcap").write_bytes(pcaps.busy_link(pairs))
    (folder / f"{name}-2.pcap").write_bytes(pcaps.busy_link(pairs + 2))
    iperf3.write_server_log(
        folder / f"{name}.json",
        [(at * 10**8, 10**8, 1e6 + at) for at in range(8)],
        epoch_s=None,
        sender="10.0.0.2:5000",
        receiver="10.0.0.1:5000",
    )


def outcomes(winf, folder, name):
    """Code and output of every command, without what differs with the name of the folder."""
    told = []
    for command in COMMANDS:
        arguments = [folder / word.format(name) if "{0}" in word or word == "other.winf" else word for word in command]
        done = winf(*arguments)
        assert done.returncode in (0, 3), (command, done.stdout, done.stderr)
        told.append((command, done.returncode, done.stdout.replace(str(folder), "").replace(name, "NAME")))
    return told


@pytest.mark.slow("thirty commands, twice")
def test_every_command_beside_a_dataset_that_the_name_would_match(winf, tmp_path):
    places = (tmp_path / "plain", PLAIN), (tmp_path / "source=7", ODD)
    for folder, name in places:
        recordings(folder, name, 200)
        recordings(folder, MATCHED, 250)
        for other in (f"{MATCHED}.winf", "other.winf"):
            winf_analyzer.ingest(folder / f"{MATCHED}.pcap", folder / other)
    (plain, odd) = (outcomes(winf, *place) for place in places)
    for expected, found in zip(plain, odd, strict=True):
        assert found == expected
    (of_plain, of_odd) = (folder / f"{name}.winf" for folder, name in places)
    for table in ("exchanges", "nodes", "estimates"):
        rows = [Dataset.open(run).scan(table).drop("source", strict=False).collect() for run in (of_plain, of_odd)]
        assert not rows[0].is_empty(), table
        assert rows[0].equals(rows[1]), table
    with duckdb.connect(tmp_path / "source=7" / f"{ODD}.duckdb", read_only=True) as database:
        counted = database.sql("select count(*), count(distinct source) from frames").fetchall()
    assert counted == [(804, 2)]


def test_a_path_that_is_not_utf_8_is_refused(winf, winf_process, tmp_path):
    recordings(tmp_path, "a", 3)
    run, moved = tmp_path / "a.winf", tmp_path / "b\udcff.winf"
    made = winf("ingest", tmp_path / "a.pcap", "-o", moved)
    assert made.returncode == 1
    assert made.stderr.endswith(
        "b\\xff.winf: the path has octets that are not UTF-8, where tables cannot be. Rename it or choose another.\n"
    )
    assert winf("ingest", tmp_path / "a.pcap", "-o", run).returncode == 0
    assert winf("export", run, "--to", "duckdb", "-o", tmp_path / "\udcff.duckdb").returncode == 1
    assert len(list(tmp_path.glob("*\udcff*"))) == 0
    run.rename(moved)
    for command in ("info", "check", "estimate", "history", "repair"):
        done = winf(command, moved)
        assert (done.returncode, "b\\xff.winf: the path has octets" in done.stdout + done.stderr) == (1, True), command
    assert "b\\xff.winf: the path has octets" in winf("sql", moved, "select 1").stderr
    moved.rename(tmp_path / "ö.winf")
    ascii_alone = {**os.environ, **TERMINAL, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = winf_process("sql", tmp_path / "ö.winf", "select 1", env=ascii_alone)
    assert done.returncode == 1
    assert done.stderr.endswith("\\xf6.winf: the path has letters that this locale lacks. Set LC_ALL=C.UTF-8.\n")


def test_repair_leaves_an_intact_dataset_alone(winf, tmp_path):
    recordings(tmp_path, ODD, 3)
    run = winf_analyzer.ingest(tmp_path / f"{ODD}.pcap", tmp_path / f"{ODD}.winf").path
    winf_analyzer.estimate(run, **QUICK)
    before = (run / "dataset.json").read_bytes()
    assert winf_analyzer.check(run).is_empty()
    assert winf_analyzer.repair(run) == ([], [])
    assert (run / "dataset.json").read_bytes() == before


def test_undo_finds_what_repair_took_for_damaged(tmp_path, monkeypatch):
    """A fault that lies in the reader, and not in the part, must not cost the part."""
    recordings(tmp_path, "a", 3)
    run = winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf").path
    winf_analyzer.estimate(run, **QUICK)
    rows = Dataset.open(run).scan("estimates").collect()
    with monkeypatch.context() as patched:
        patched.setattr(checking, "_fault_of_types", lambda _, table: "is odd." if table == "estimates" else None)
        assert "estimates was emptied" in winf_analyzer.repair(run).done[0]
    assert Dataset.open(run).scan("estimates").collect().is_empty()
    assert winf_analyzer.undo(run).scan("estimates").collect().equals(rows)
    assert winf_analyzer.check(run).is_empty()
