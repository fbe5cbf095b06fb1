"""`--memory`, `--timeout` and Ctrl-C, on processes of their own."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pcaps
import pytest
from program import COMMAND, TERMINAL

import winf_analyzer
from winf_analyzer._util.memory import MAX_DEFAULT, memory_limit, parse_size, set_memory_limit

ENDLESS = "select count(*) from range(1000000000000) where hash(range) = 7"
UNINTERRUPTIBLE = "select sum(list_sum(list_transform(range(3000000 + x), lambda y: y * y))) from range(100000) t(x)"
BUSY_S = 60.0
PEAK = """import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))"""
"""Runs a command and prints its peak memory in KiB, from a small process: Linux begins the peak at the parent's."""


@pytest.fixture(scope="module")
def long_dataset(tmp_path_factory) -> Path:
    """A recording that every command needs many seconds for."""
    folder = tmp_path_factory.mktemp("long")
    (folder / "a.pcap").write_bytes(pcaps.busy_link(200_000))
    (folder / "b.pcap").write_bytes((folder / "a.pcap").read_bytes())
    winf_analyzer.ingest(folder / "a.pcap", folder / "run.winf")
    return folder


@pytest.fixture
def slowdown() -> float:
    """By how much other processes slow this machine down: time over processor time of a process."""
    started, before = time.monotonic(), os.times()
    subprocess.run([*COMMAND, "list", "queries"], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    used_s = after.children_user + after.children_system - before.children_user - before.children_system
    return max(1.0, (time.monotonic() - started) / used_s)


def interrupted(*arguments: object, after_s: float) -> tuple[int, float, str]:
    """Exit code, seconds from SIGINT to the end, and standard error of a command that is interrupted."""
    command = [*COMMAND, *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **TERMINAL}
    ) as process:
        started = time.monotonic()
        while processor_s(process.pid) < after_s and process.poll() is None and time.monotonic() - started < BUSY_S:
            time.sleep(0.02)
        assert process.poll() is None, process.stderr.read()
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        return process.returncode, time.monotonic() - sent, errors


def processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow("processes at work for seconds")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    ("after_s", "command"),
    [
        (0.9, ["sql", "run.winf", ENDLESS]),
        (0.9, ["sql", "run.winf", UNINTERRUPTIBLE]),
        (0.6, ["ingest", "a.pcap", "b.pcap", "-o", "other.winf"]),
        (1.2, ["estimate", "run.winf"]),
        (0.5, ["report", "run.winf", "-o", "report.html"]),
        (1.0, ["replay", "--topology", "stack", "--duration", "10m", "--seeds", "50"]),
    ],
    ids=lambda value: value[0] + ("" if len(value) < 3 else value[2][:12]) if isinstance(value, list) else "",
)
def test_ctrl_c_ends_any_command_within_two_seconds(long_dataset, slowdown, monkeypatch, after_s, command):
    monkeypatch.chdir(long_dataset)
    code, seconds, errors = interrupted(*command, after_s=after_s)
    # A signal in the last moments of the interpreter ends it as a shell reports as 130, too.
    assert code in (130, -signal.SIGINT), errors
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert seconds < 2 * slowdown, errors
    assert not (long_dataset / "other.winf").exists()


def test_a_time_limit_ends_a_command(demo_dataset, winf_process):
    done = winf_process("sql", demo_dataset.path, ENDLESS, "--timeout", "500ms")
    assert (done.returncode, done.stderr) == (1, "winf: stopped after 500ms (--timeout)\n")


@pytest.mark.parametrize(
    "query",
    [
        "select len(list(range)) from range(3000000000)",
        "select range(3000000000)",
        "select repeat('x', 3000000000) a, repeat('y', 3000000000) b",
        "select list(f.source || range) from frames f, range(1000000)",
    ],
)
@pytest.mark.slow("each fills the memory it may use")
def test_a_query_keeps_to_the_memory_limit(demo_dataset, query):
    command = [*COMMAND, "sql", str(demo_dataset.path), query, "--memory", "512M"]
    done = subprocess.run([sys.executable, "-S", "-c", PEAK, *command], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "needs more memory than --memory 512M allows" in done.stderr
    assert int(done.stdout.splitlines()[-1]) / 1024 < 1024


@pytest.mark.parametrize(
    ("text", "octets"), [("512M", 512 << 20), ("2G", 2 << 30), ("1.5 GiB", 3 << 29), ("300000k", 300_000 << 10)]
)
def test_sizes(text, octets):
    assert parse_size(text) == octets


@pytest.mark.parametrize("text", ["", "1", "-1G", "1Q", "100M", "nanG", "1e9"])
def test_what_is_no_size_is_a_usage_error(winf, demo_dataset, text):
    done = winf("sql", demo_dataset.path, "select 1 a", f"--memory={text}")
    assert done.returncode == 2
    assert "--memory" in done.stderr


def test_the_default_is_a_quarter_of_the_machine_at_most_4_gib():
    set_memory_limit(None)
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert memory_limit() <= min(MAX_DEFAULT, max(machine // 4, 256 << 20))


def test_every_command_that_computes_has_both_options(winf):
    from winf_analyzer.cli.app import COMMANDS

    for command in set(COMMANDS) - {"list"}:
        text = winf(command, "--help").stdout
        assert "--memory" in text, command
        assert "--timeout" in text, command


def test_a_query_in_this_process_sets_no_limit_of_the_process(demo_dataset):
    before = resource.getrlimit(resource.RLIMIT_DATA)
    winf_analyzer.sql(demo_dataset, "select 1 as a")
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
