"""Real processes killed at system calls that change a file system, one after the other, and at random instants.

strace counts calls per thread and per system call, and sends SIGKILL when the chosen one is entered.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pcaps
import pytest
from dataset_state import content, is_clean

import winf_analyzer
from winf_analyzer._dataset.creating import sibling_of

CALLS = (
    "rename",
    "renameat2",
    "link",
    "unlink",
    "unlinkat",
    "rmdir",
    "mkdir",
    "fsync",
    "write",
    "pwrite64",
    "ftruncate",
)
"""What is traced: every call by which the program renames, links, removes, makes, writes or syncs."""

FAILING = ("write", "pwrite64", "fsync", "rename")
"""What fails with a full or a bad disk."""

SAMPLE_STEP = 97
"""Of this many points one is tried in `make test`."""

RANDOM_KILLS = 200

COMMANDS = {
    "ingest": ("ingest", "b.pcap", "-o", "new.winf"),
    "ingest again": ("ingest", "b.pcap", "-o", "run.winf"),
    "ingest --force": ("ingest", "b.pcap", "-o", "run.winf", "--force"),
    "merge --force": ("merge", "m1.pcap", "m2.pcap", "-o", "run.winf", "--force"),
    "estimate": ("estimate", "run.winf", "--estimators", "rt_winf", "--window", "5ms"),
    "compare": ("compare", "run.winf"),
    "replay": ("replay", "run.winf", "--topology", "stack", "--controllers", "cbr", "--duration", "1s"),
    "report": ("report", "run.winf", "-o", "report.html", "--force"),
    "analyze": ("analyze", "b.pcap", "-o", "out", "--controllers", "none"),
    "undo": ("undo", "run.winf"),
    "gc": ("gc", "run.winf"),
    "repair": ("repair", "run.winf"),
}

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings, and a dataset with a history. Treat them as read-only."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "a.pcap").write_bytes(pcaps.busy_link(3))
    (folder / "b.pcap").write_bytes(pcaps.busy_link(2))
    for name in ("m1.pcap", "m2.pcap"):
        (folder / name).write_bytes(pcaps.busy_link(40))
    winf_analyzer.hidden_pairs(winf_analyzer.ingest(folder / "a.pcap", folder / "run.winf"))
    winf_analyzer.report(folder / "run.winf", folder / "report.html")
    return folder


def program(place: Path, name: str, *strace: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "winf_analyzer", *COMMANDS[name]]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "POLARS_MAX_THREADS": "1", "RAYON_NUM_THREADS": "1"}
    return subprocess.run(
        [*strace, *command], cwd=place, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def copies(made: Path, where: Path) -> Iterator[Path]:
    number = 0
    while True:
        number += 1
        place = Path(shutil.copytree(made, where / str(number)))
        if (place / "run.winf").exists():
            yield place
        shutil.rmtree(place)


def points(made: Path, where: Path, name: str, calls: tuple[str, ...]) -> list[tuple[str, int]]:
    """Every system call of a command with its number, as strace counts them."""
    place = Path(shutil.copytree(made, where / "counted"))
    log = where / "log"
    result = program(place, name, "strace", "-f", "-qq", "-o", str(log), "-e", f"trace={','.join(calls)}")
    assert result.returncode in (0, 1, 2), result.stderr
    seen = Counter(re.findall(r"^(\d+) +(\w+)\(", log.read_text(errors="replace"), re.MULTILINE))
    most = {call: max((count for (_, each), count in seen.items() if each == call), default=0) for call in calls}
    return [(call, number) for call in calls for number in range(1, most[call] + 1)]


def state(place: Path, name: str) -> object:
    """The dataset that a command makes or changes."""
    run = place / {"ingest": "new.winf", "analyze": "out/run.winf"}.get(name, "run.winf")
    return content(run)


def verify(made: Path, place: Path, name: str, new: object, point: object) -> None:
    """The dataset is old or new, everything works on it, and the command repeats."""
    before, now = state(made, name), state(place, name)
    steps = name == "analyze" and now is not None  # it publishes one step after the other
    assert now in (before, new) or steps, point
    assert winf_analyzer.sql(place / "run.winf", "select count(*) from frames").item() > 0
    winf_analyzer.report(place / "run.winf", place / "report.html")
    if name == "analyze" and (place / "out" / "report.html").exists():
        assert now == new
    elif not (name in ("ingest", "undo", "analyze") and now == new and name != "analyze"):
        again = program(place, name)
        assert again.returncode in (0, 2 if name in ("undo", "compare") else 0), (point, again.stderr)
        assert state(place, name) == new, point
    winf_analyzer.hidden_pairs(place / "run.winf")
    assert is_clean(place), point
    assert not sibling_of(place / "new.winf").exists() or now is None, point


def all_points(made: Path, tmp_path: Path, name: str, step: int, error: str | None) -> None:
    outcome = Path(shutil.copytree(made, tmp_path / "outcome"))
    program(outcome, name)
    new = state(outcome, name)
    places = copies(made, tmp_path)
    calls = points(made, tmp_path, name, CALLS if error is None else FAILING)
    first = random.Random(name).randrange(min(step, len(calls)))
    for call, number in calls[first::step]:
        place = next(places)
        fault = "signal=KILL" if error is None else f"error={error}"
        inject = ("-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={number}")
        result = program(place, name, "strace", "-f", "-qq", "-o", "/dev/null", *inject)
        assert "internal error" not in result.stderr, (call, number, result.stderr)
        assert "Traceback" not in result.stderr, (call, number, result.stderr)
        verify(made, place, name, new, (call, number))


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.slow("starts processes under strace")
def test_killed_at_some_system_calls(made, tmp_path, name):
    all_points(made, tmp_path, name, SAMPLE_STEP, None)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.nightly("hundreds of processes per command")
def test_killed_at_every_system_call(made, tmp_path, name):
    all_points(made, tmp_path, name, 1, None)


@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "EROFS", "EACCES"])
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.nightly("hundreds of processes per command")
def test_every_write_fails(made, tmp_path, name, error):
    all_points(made, tmp_path, name, 1, error)


@pytest.mark.nightly("two hundred runs on a recording of a minute")
def test_killed_at_random_instants(tmp_path):
    (tmp_path / "large.pcap").write_bytes(pcaps.busy_link(60_000))
    (tmp_path / "b.pcap").write_bytes(pcaps.busy_link(50_000))
    run = winf_analyzer.ingest(tmp_path / "large.pcap", tmp_path / "run.winf").path
    drawn = random.Random(1)
    names = ("ingest --force", "estimate", "replay")
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    for _ in range(RANDOM_KILLS):
        command = [sys.executable, "-m", "winf_analyzer", *COMMANDS[drawn.choice(names)]]
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=-3, stderr=-3)
        try:
            process.wait(drawn.uniform(0.2, 4.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        frames = winf_analyzer.sql(run, "select count(*) from frames").item()
        assert frames in (120_000, 100_000)
        assert set(winf_analyzer.check(run)["fault"].str.contains("earlier version|named by no manifest")) <= {True}
    winf_analyzer.hidden_pairs(run)
    assert is_clean(tmp_path)
