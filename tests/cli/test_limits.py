"""`--memory` and `--timeout`, on processes of their own."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pcaps
import pytest
from program import COMMAND

import winf_analyzer
from winf_analyzer._util.memory import MAX_DEFAULT, memory_limit, parse_size, set_memory_limit

ENDLESS = "select count(*) from range(1000000000000) where hash(range) = 7"
PEAK = """import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))"""
"""Runs a command and prints its peak memory in KiB, from a small process: Linux begins the peak at the parent's."""


def test_a_query_prints_no_progress_among_the_rows(demo_dataset):
    """A process without a main file, which these are, DuckDB takes for a notebook and shows it a bar."""
    command = [
        *COMMAND,
        "sql",
        str(demo_dataset.path),
        "select current_setting('enable_progress_bar') bar",
        "--to",
        "csv",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["bar", "false"]


def test_a_time_limit_ends_a_command(demo_dataset, winf_process):
    done = winf_process("sql", demo_dataset.path, ENDLESS, "--timeout", "500ms")
    assert (done.returncode, done.stderr) == (1, "winf: stopped after 500ms (--timeout)\n")


def test_a_time_limit_ends_following_with_what_came_until_then(winf_process, tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    run = tmp_path / "run.winf"
    done = winf_process("ingest", "--follow", tmp_path / "a.pcap", "-o", run, "--every", "500ms", "--timeout", "6s")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "winf: stopped after 6s (--timeout)")
    assert winf_analyzer.Dataset.open(run).metadata["inputs"][0]["counts"]["frames"] == 6


@pytest.mark.parametrize(
    "query",
    [
        "select len(list(range)) from range(3000000000)",
        "select range(3000000000)",
        "select repeat('x', 3000000000) a, repeat('y', 3000000000) b",
        "select list(f.source || range) from frames f, range(1000000)",
    ],
)
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
