"""The program as a user types it: help, version, completion, lists, forms of output."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import sysconfig
from importlib import import_module
from pathlib import Path

import pcaps
import polars as pl
import pytest
from folders import ROOT

import winf_analyzer
from winf_analyzer.cli.app import COMMANDS

PROGRAM = "from winf_analyzer.cli import program; program()"


def test_version(winf, winf_process):
    expected = f"winf {winf_analyzer.__version__}\n"
    assert winf("--version").stdout == winf_process("--version").stdout == expected


@pytest.mark.parametrize("start", [["-m", "winf_analyzer"], [Path(sysconfig.get_path("scripts")) / "winf"]])
def test_every_way_to_start_it_ends_with_its_exit_code(tmp_path, start):
    if isinstance(start[0], Path) and not start[0].exists():
        pytest.skip("winf is not installed in this environment")
    asked = [sys.executable, *start, "info", tmp_path / "missing.pcap"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "no such file" in done.stderr


def test_what_waits_for_the_end_of_the_process_runs(monkeypatch):
    """Functions for its end, and threads that still work; what was printed meanwhile is written."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    waits = "threading.Thread(target=lambda: (threading.main_thread().join(), print('late'))).start()"
    for late in ("atexit.register(print, 'late')", waits):
        code = f"import atexit, sys, threading; {late}; sys.argv[1:] = ['--version']; {PROGRAM}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines() == [f"winf {winf_analyzer.__version__}", "late"]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["list", "formats"], ["ingest"], ["sql", "nowhere", "select 1"]])
def test_a_process_of_its_own_says_the_same(winf, winf_process, arguments):
    inside, outside = winf(*arguments), winf_process(*arguments)
    assert (inside.returncode, inside.stdout, inside.stderr) == (outside.returncode, outside.stdout, outside.stderr)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_two_examples(winf, command):
    result = winf(command, "--help")
    assert result.returncode == 0
    assert result.stdout.count(f"$ winf {command}") == 2, result.stdout


def test_help_lists_the_commands_in_order_of_the_workflow(winf):
    text = winf("--help").stdout
    listed = re.findall(r"^[│ ]+([a-z]+) {2,}", text, flags=re.MULTILINE)
    assert [name for name in listed if name in COMMANDS] == list(COMMANDS)
    assert COMMANDS.index("info") < COMMANDS.index("ingest") < COMMANDS.index("estimate") < COMMANDS.index("report")
    assert "--install-completion" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_name_of_its_module(name):
    assert import_module(f"winf_analyzer.cli.{name}").COMMAND.name == name


def test_every_command_module_is_registered():
    folder = ROOT / "winf_analyzer" / "cli"
    declaring = {path.stem for path in folder.glob("*.py") if re.search(r"^COMMAND = ", path.read_text(), re.MULTILINE)}
    assert declaring == set(COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(winf, shell, monkeypatch):
    """Each shell gets its own; which one has started the tests, if any, does not matter."""
    monkeypatch.setattr("shellingham.detect_shell", lambda: (shell, f"/bin/{shell}"))
    result = winf("--show-completion")
    assert result.returncode == 0, result.stderr
    assert f"_WINF_COMPLETE=complete_{shell}" in result.stdout


@pytest.mark.parametrize("registry", ["formats", "estimators", "controllers", "topologies", "queries", "tables"])
def test_lists(winf, registry):
    rows = json.loads(winf("list", registry, "--to", "json").stdout)
    assert rows
    assert all(
        value not in (None, "") for row in rows for key, value in row.items() if key in ("description", "meaning")
    )


def test_forms_of_a_table_hold_the_same_rows(demo_dataset, winf_process):
    query = "select kind, count(*)::bigint as n from frames group by kind order by kind"
    readers = {
        "csv": pl.read_csv,
        "json": pl.read_json,
        "ndjson": pl.read_ndjson,
        "parquet": pl.read_parquet,
        "arrow": pl.read_ipc_stream,
    }
    expected = winf_analyzer.sql(demo_dataset, query)
    for form, read in readers.items():
        done = winf_process("sql", demo_dataset.path, query, "--to", form, text=False)
        assert read(io.BytesIO(done.stdout)).equals(expected), form


def test_data_on_stdout_words_on_stderr(winf, tmp_path):
    recording = tmp_path / "a.pcap"
    recording.write_bytes(pcaps.busy_link(3))
    result = winf("ingest", recording, "-o", tmp_path / "run.winf")
    assert result.stdout == ""
    assert "6 frames, 3 exchanges" in result.stderr
    assert winf("-q", "ingest", recording, "-o", tmp_path / "quiet.winf").stderr == ""
    assert winf("ingest", recording, "-o", tmp_path / "behind.winf", "-q").stderr == ""
    assert winf("info", recording, "--verbose").returncode == 0


def test_standard_input(winf_process, tmp_path):
    result = winf_process("ingest", "-", "-o", tmp_path / "run.winf", input=pcaps.busy_link(3), text=False)
    assert result.returncode == 0, result.stderr
    assert winf_analyzer.Dataset.open(tmp_path / "run.winf").metadata["inputs"][0]["source"] == "stdin"


def test_info_is_one_screen(winf, tmp_path):
    recording = tmp_path / "a.pcap"
    recording.write_bytes(pcaps.busy_link(50))
    result = winf("info", recording)
    assert result.returncode == 0
    for word in ("pcap", "frames", "hr_dsss", "2412 MHz", "TSFT", "FCS", "time stamps", "anonymous sniffer"):
        assert word in result.stdout, word
    assert len(result.stdout.splitlines()) < 40


def test_nothing_prints_an_escape_sequence_from_a_capture(winf, tmp_path):
    recording = tmp_path / "a.pcap"
    hostile = pcaps.radiotap(pcaps.beacon(pcaps.AP, b"\x1b[31mred\x07"), tsft_us=5, rate_mbps=1)
    recording.write_bytes(pcaps.pcap([(5000, hostile)]))
    winf("ingest", recording, "-o", tmp_path / "run.winf")
    result = winf("sql", tmp_path / "run.winf", "select ssid from nodes")
    assert "\\x1b[31mred\\x07" in result.stdout
    assert "\x1b" not in result.stdout
