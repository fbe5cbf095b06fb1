"""Ctrl-C and `--timeout` end every command within two seconds: at work, and while nobody reads what it prints."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

import iperf3
import pcaps
import pytest
from once import make_once
from program import COMMAND, TERMINAL

import winf_analyzer
from winf_analyzer.cli.app import COMMANDS

ENDLESS = "select count(*) from range(1000000000000) where hash(range) = 7"
UNINTERRUPTIBLE = "select sum(list_sum(list_transform(range(3000000 + x), lambda y: y * y))) from range(100000) t(x)"
WAITS_S = 120.0
PIPE_BYTES = 4096
WRITE = "1 "
"""How /proc/PID/syscall begins while a thread is in write(2) on x86-64."""

GRID = 'name="q"\ntopologies=["stack"]\nseeds=50\nduration="10m"\n'
REPLAY = ("--topology", "stack", "--duration", "10m", "--seeds", "50")


class Work(NamedTuple):
    """A command that is at work for long, and when the signal comes."""

    arguments: tuple[str, ...]
    after_s: float
    """Of processor time, start-up included."""

    def __str__(self) -> str:
        return " ".join(self.arguments[:3])


SAMPLE = (
    Work(("sql", "run.winf", ENDLESS), 0.9),
    Work(("sql", "run.winf", UNINTERRUPTIBLE), 0.9),
    Work(("ingest", "a.pcap", "b.pcap", "-o", "new.winf"), 0.6),
    Work(("estimate", "run.winf"), 1.2),
    Work(("report", "run.winf", "-o", "report.html"), 0.5),
    Work(("replay", *REPLAY), 1.0),
)
"""In `make test`."""

FURTHER = (
    Work(("info", "a.pcap", "b.pcap"), 0.4),
    Work(("merge", "a.pcap", "b.pcap", "-o", "new.winf"), 0.6),
    Work(("anonymize", "run.winf", "-o", "new.winf", "--key-file", "secret.key"), 0.6),
    Work(("sweep", "grid.toml", "-o", "sweep.winf"), 0.8),
    Work(("collect", "1.winf", "2.winf", "-o", "new.winf"), 0.4),
    Work(("compare", "run.winf", "--iperf", "log.json"), 0.8),
    Work(("validate", "a.pcap"), 0.7),
    Work(("export", "run.winf", "--to", "csv", "-o", "tables"), 0.5),
    Work(("diff", "run.winf", "other.winf"), 0.6),
    Work(("why", "a.pcap"), 0.7),
    Work(("analyze", "a.pcap", "-o", "out"), 0.8),
    Work(("demo",), 0.6),
    Work(("reproduce", "--all", "-o", "figures"), 1.0),
)
BLOCKED = (
    ("list", "queries"),
    ("history", "run.winf"),
    ("check", "damaged.winf"),
    ("repair", "damaged.winf", "-v"),
    ("undo", "former.winf", "-v"),
    ("gc", "former.winf", "-v"),
)
"""These print something, sooner than they work for long."""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def copied(source: str, target: str) -> None:
    """What nobody changes is linked; a lock or a manifest is each folder's own."""
    (os.link if source.endswith((".pcap", ".parquet")) else shutil.copy)(source, target)


def make_place(folder: Path) -> None:
    (folder / "a.pcap").write_bytes(pcaps.busy_link(200_000))
    shutil.copy(folder / "a.pcap", folder / "b.pcap")
    winf_analyzer.ingest(folder / "a.pcap", folder / "run.winf")


def make_more(folder: Path) -> None:
    shutil.copytree(folder / "run.winf", folder / "other.winf")
    for shard in (1, 2):
        both = [folder / "a.pcap", folder / "b.pcap"]
        winf_analyzer.ingest(both, folder / f"{shard}.winf", shard=f"{shard}/2")
    (folder / "grid.toml").write_text(GRID)
    (folder / "secret.key").write_bytes(bytes(range(32)))
    windows = [(second * 10**9, 10**9, 1.2e6) for second in range(4)]
    iperf3.write_server_log(
        folder / "log.json", windows, epoch_s=None, sender="10.0.0.2:5000", receiver="10.0.0.1:5000"
    )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> Path:
    """Recordings and a dataset that the commands of the sample need seconds for. Treat it as read-only."""
    return make_once(tmp_path_factory, "long", make_place)


@pytest.fixture
def place(recorded, tmp_path) -> Path:
    """A folder of its own for each command, with those recordings."""
    return Path(shutil.copytree(recorded, tmp_path / "place", copy_function=copied))


@pytest.fixture(scope="module")
def recorded_more(recorded, tmp_path_factory) -> Path:
    """The same, and what the further commands take."""

    def make(folder: Path) -> None:
        shutil.copytree(recorded, folder, dirs_exist_ok=True, copy_function=copied)
        make_more(folder)

    return make_once(tmp_path_factory, "longer", make)


@pytest.fixture
def full_place(recorded_more, tmp_path) -> Path:
    """A folder of its own for each command, with all of it."""
    return Path(shutil.copytree(recorded_more, tmp_path / "place", copy_function=copied))


@pytest.fixture
def small_place(tmp_path) -> Path:
    """A dataset, one with a history, and one that is damaged."""
    (tmp_path / "small.pcap").write_bytes(pcaps.busy_link(20))
    run = winf_analyzer.ingest(tmp_path / "small.pcap", tmp_path / "run.winf").path
    for name in ("former", "damaged"):
        shutil.copytree(run, tmp_path / f"{name}.winf")
    winf_analyzer.hidden_pairs(tmp_path / "former.winf")
    winf_analyzer.Dataset.open(tmp_path / "damaged.winf").parts("nodes")[0].write_bytes(b"PAR1")
    return tmp_path


@pytest.fixture
def slowdown() -> float:
    """By how much other processes slow this machine down: time over processor time of a process."""
    started, before = time.monotonic(), os.times()
    subprocess.run([*COMMAND, "list", "queries"], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    used_s = after.children_user + after.children_system - before.children_user - before.children_system
    return max(1.0, (time.monotonic() - started) / used_s)


Process = subprocess.Popen[str]


def start(place: Path, arguments: tuple[str, ...], stdout: int | IO[bytes], stderr: int | IO[bytes]) -> Process:
    command, environment = [*COMMAND, *arguments], {**os.environ, **TERMINAL}
    return subprocess.Popen(command, cwd=place, stdout=stdout, stderr=stderr, text=True, env=environment)


def waits_for(process: Process, comes: Callable[[int], bool]) -> None:
    started = time.monotonic()
    while not comes(process.pid):
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() - started < WAITS_S
        time.sleep(0.02)


def processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_writing(pid: int) -> bool:
    """Whether the main thread waits in write(2); False while it runs."""
    return Path(f"/proc/{pid}/syscall").read_text().startswith(WRITE)


def assert_ends_at_work(place: Path, work: Work, slowdown: float, number: int = signal.SIGINT) -> None:
    with start(place, work.arguments, subprocess.DEVNULL, subprocess.PIPE) as process:
        waits_for(process, lambda pid: processor_s(pid) >= work.after_s)
        sent = time.monotonic()
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        took_s = time.monotonic() - sent
    # A signal in the last moments of the interpreter ends it as a shell reports as 130, too.
    assert process.returncode in (130, -signal.SIGINT), errors
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert "internal error" not in errors
    assert took_s < 2 * slowdown, errors
    for name in ("new.winf", ".new.winf.partial", "report.html", "tables"):
        assert not (place / name).exists()


@pytest.mark.parametrize("work", SAMPLE, ids=str)
def test_ctrl_c_ends_a_command_at_work(place, slowdown, work):
    assert_ends_at_work(place, work, slowdown)


def test_a_request_to_terminate_is_like_ctrl_c(place, slowdown):
    assert_ends_at_work(place, SAMPLE[2], slowdown, signal.SIGTERM)


@pytest.mark.nightly("thirteen processes at work for seconds")
@pytest.mark.parametrize("work", FURTHER, ids=str)
def test_ctrl_c_ends_any_command_at_work(full_place, slowdown, work):
    assert_ends_at_work(full_place, work, slowdown)


@pytest.mark.nightly("nineteen processes at work for seconds")
@pytest.mark.parametrize("work", [*SAMPLE, *FURTHER], ids=str)
def test_a_time_limit_ends_any_command_at_work(full_place, slowdown, work):
    limit = "300ms"
    with start(full_place, (*work.arguments, "--timeout", limit), subprocess.DEVNULL, subprocess.PIPE) as process:
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.splitlines()[-1]) == (1, f"winf: stopped after {limit} (--timeout)")
    assert "Traceback" not in errors


@pytest.mark.parametrize("arguments", BLOCKED, ids=lambda arguments: arguments[0])
def test_ctrl_c_ends_any_command_that_nobody_reads(small_place, slowdown, arguments):
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    os.write(writing, bytes(PIPE_BYTES))
    with start(small_place, arguments, writing, writing) as process:
        waits_for(process, is_writing)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(timeout=60)
        finally:
            process.kill()
        took_s = time.monotonic() - sent
    os.close(reading)
    os.close(writing)
    assert code == 130
    assert took_s < 2 * slowdown


def test_every_command_is_here():
    assert {work.arguments[0] for work in (*SAMPLE, *FURTHER)} | {each[0] for each in BLOCKED} == set(COMMANDS)


LOADING = """import importlib.abc, os, signal, sys
class Waits(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "winf_analyzer.cli.global_options":
            os.kill(os.getpid(), signal.{0})
sys.meta_path.insert(0, Waits())
from winf_analyzer.cli import program
program()"""
"""A process that is interrupted while it loads the modules of the command line."""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_while_modules_load_is_no_traceback(name):
    command = [sys.executable, "-c", LOADING.format(name), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **TERMINAL})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "winf: interrupted\n")
