"""Every writing command, killed at each of its system calls that change a file system, or let down by each of them.

`tests/support/system_calls.py` counts the calls of all threads in the order in which they come.
"""

from __future__ import annotations

import errno
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import iperf3
import pcaps
import pytest
from dataset_state import content, is_clean
from system_calls import CALLS, KILLING, NAMING, SUPPORTED
from warm_program import WarmProgram

import winf_analyzer
from winf_analyzer._dataset.manifest import stem

SAMPLE_STEP = 151
"""Of this many points one is tried in `make test`."""

SHARES = 7
"""A nightly run lets one in so many of the calls fail: those of the day of the year."""

SHARE = "WINF_FAILING_CALLS"
"""The variable of the environment that asks for another share, ``i/n``, or for ``all``."""

MANY_WRITES, OF_MANY = 32, 16
"""Of the writes to one file beyond the first so many, one in so many fails: a DuckDB database takes a thousand."""

RANDOM_KILLS = 200
PROCESSES = 2
LINK = f"{pcaps.STATION},{pcaps.AP}"
S = 10**9
RANDOM_NAME = re.compile(r"(?<=\.incoming-)\w+")
BEING_MADE = re.compile(r"(^|/)\.(incoming-|[^/]*\.partial/)")


def rows(path: Path) -> object:
    """Every row of a dataset; None where there is none."""
    return content(path)


def files(path: Path) -> object:
    """Names and sizes of an export; None where there is none."""
    if not path.exists():
        return None
    return {str(each.relative_to(path)): each.stat().st_size for each in (path, *path.rglob("*")) if each.is_file()}


def document(path: Path) -> object:
    """Whether a report is whole; None where there is none."""
    return path.read_bytes().rstrip().endswith(b"</html>") if path.exists() else None


@dataclass(frozen=True)
class Case:
    """A command, and what it makes or changes."""

    arguments: tuple[str, ...]
    target: str = "run.winf"
    seen: Callable[[Path], object] = rows
    stepwise: bool = False
    """It publishes one result after the other."""
    repeats: bool = True
    """It may be repeated where it has ended; others refuse, or go on elsewhere."""
    table: str = "nodes"
    """What is read of it."""
    last: str = ""
    """What it publishes last: where that is there, a command that was killed had come to its end."""


Files = frozenset[tuple[str, int]]
"""Names and sizes of everything in a folder."""


@dataclass
class Verified:
    """What need not be tried again."""

    outcomes: set[tuple[bool, Files]] = field(default_factory=set)
    """What runs left on the disk, and whether they had ended well, from where everything was seen to work."""
    reports: set[tuple[str, Files]] = field(default_factory=set)
    """Datasets that were reported on, and everything beside them: a report costs more than all else."""


@dataclass(frozen=True)
class Point:
    """A call, and what is to be true after it."""

    at: int
    error: int | None
    counted: Sequence[str] = field(repr=False)
    """Names of the calls that count."""
    old: object = field(repr=False)
    """What is there before the command."""
    new: object = field(repr=False)
    """What the command makes when it ends."""
    verified: Verified = field(repr=False)


ESTIMATE = ("--estimators", "idle_gap", "--mode", "paper", "--window", "5ms")
REPLAY = ("--topology", "stack", "--controllers", "cbr", "--duration", "1s")

COMMANDS = {
    "ingest": Case(("ingest", "b.pcap", "-o", "new.winf"), "new.winf"),
    "ingest again": Case(("ingest", "b.pcap", "-o", "run.winf")),
    "ingest --force": Case(("ingest", "b.pcap", "-o", "run.winf", "--force")),
    "ingest --shard": Case(("ingest", "a.pcap", "b.pcap", "-o", "new.winf", "--shard", "1/2"), "new.winf"),
    "merge": Case(("merge", "m1.pcap", "m2.pcap", "-o", "new.winf"), "new.winf", repeats=False),
    "merge --force": Case(("merge", "m1.pcap", "m2.pcap", "-o", "run.winf", "--force")),
    "estimate": Case(("estimate", "run.winf", *ESTIMATE)),
    "compare": Case(("compare", "long.winf", "--iperf", "log.json", "--link", LINK, "--again"), "long.winf"),
    "replay": Case(("replay", "run.winf", *REPLAY)),
    "replay -o": Case(("replay", *REPLAY, "-o", "new.winf"), "new.winf", repeats=False, table="replay_summary"),
    "sweep": Case(("sweep", "grid.toml", "-o", "new.winf"), "new.winf", stepwise=True, table="points"),
    "collect": Case(("collect", "1.winf", "2.winf", "-o", "new.winf"), "new.winf", repeats=False),
    "anonymize": Case(
        ("anonymize", "run.winf", "-o", "new.winf", "--key-file", "secret.key"), "new.winf", repeats=False
    ),
    "export csv": Case(("export", "run.winf", "--to", "csv", "-o", "tables"), "tables", files, repeats=False),
    "export csv --force": Case(("export", "run.winf", "--to", "csv", "-o", "former", "--force"), "former", files),
    "export duckdb": Case(
        ("export", "run.winf", "--to", "duckdb", "-o", "run.duckdb"), "run.duckdb", files, False, False
    ),
    "export perfetto": Case(("export", "run.winf", "--to", "perfetto", "-o", "trace"), "trace", files, False, False),
    "report": Case(("report", "run.winf", "-o", "report.html", "--force"), "report.html", document),
    "diff": Case(("diff", "run.winf", "long.winf", "-o", "diff.html", "--force"), "diff.html", document),
    "analyze": Case(
        ("analyze", "b.pcap", "-o", "out", "--controllers", "none"),
        "out/run.winf",
        stepwise=True,
        last="out/report.html",
    ),
    "undo": Case(("undo", "run.winf"), repeats=False),
    "gc": Case(("gc", "run.winf")),
    "repair": Case(("repair", "damaged.winf"), "damaged.winf", lambda path: _whole(path)),
}

pytestmark = pytest.mark.skipif(not SUPPORTED, reason="traces system calls of Linux on x86-64")


def _whole(path: Path) -> object:
    return rows(path) if winf_analyzer.check(path).is_empty() else "damaged"


@pytest.fixture(scope="module")
def programs() -> Iterator[list[WarmProgram]]:
    """As many as runs are made at a time."""
    started = [WarmProgram() for _ in range(PROCESSES)]
    yield started
    for program in started:
        program.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings, and datasets with a history. Treat them as read-only."""
    folder = tmp_path_factory.mktemp("made")
    for name, exchanges in (("a", 3), ("b", 2), ("m1", 40), ("m2", 40), ("long", 400)):
        (folder / f"{name}.pcap").write_bytes(pcaps.busy_link(exchanges))
    for name in ("run", "damaged"):
        winf_analyzer.hidden_pairs(winf_analyzer.ingest(folder / "a.pcap", folder / f"{name}.winf"))
    (part,) = winf_analyzer.Dataset.open(folder / "damaged.winf").parts("nodes")
    part.write_bytes(b"PAR1")
    winf_analyzer.estimate(winf_analyzer.ingest(folder / "long.pcap", folder / "long.winf"), estimators=["rt_winf"])
    windows = [(second * S, S, 1.2e6) for second in range(4)]
    ends = {"sender": "10.0.0.2:5000", "receiver": "10.0.0.1:5000"}
    iperf3.write_server_log(folder / "log.json", windows, epoch_s=None, **ends)
    for shard in (1, 2):
        both = [folder / "a.pcap", folder / "b.pcap"]
        winf_analyzer.ingest(both, folder / f"{shard}.winf", shard=f"{shard}/2")
    (folder / "grid.toml").write_text('name="q"\ntopologies=["stack"]\ncontrollers=["cbr"]\nseeds=2\nduration="1s"\n')
    (folder / "secret.key").write_bytes(bytes(range(32)))
    winf_analyzer.report(folder / "run.winf", folder / "report.html")
    winf_analyzer.export(folder / "long.winf", folder / "former", to="csv")
    return folder


@pytest.fixture(scope="module")
def verified() -> dict[str, Verified]:
    """By command; one error leaves what another one left."""
    return defaultdict(Verified)


def outcome(
    made: Path, where: Path, program: WarmProgram, case: Case, counted: Sequence[str]
) -> tuple[object, list[str]]:
    """What a command makes, and of each of its calls the file that it writes to, if it does."""
    place = Path(shutil.copytree(made, where / "outcome"))
    result = program.run(place, *case.arguments, counted=counted)
    assert result["code"] == 0, result["stderr"]
    new = case.seen(place / case.target)
    assert new is not None
    shutil.rmtree(place)
    return new, [file if "write" in name else "" for name, file in result["calls"]]


def shape(place: Path) -> Files:
    """Names and sizes of everything in a folder, without what is random in names.

    Of files that are being made it only says whether they are empty, cut short or whole: nothing else matters to the
    next command, which removes them or goes on with whole ones.
    """
    found = ((RANDOM_NAME.sub("", str(path.relative_to(place))), path) for path in place.rglob("*"))
    return frozenset((name, progress(path) if BEING_MADE.search(name) else size(path)) for name, path in found)


def size(path: Path) -> int:
    """Of a file; 0 for a folder."""
    return path.stat().st_size * path.is_file()


def progress(path: Path) -> int:
    """0 for an empty file, 1 for a part that is cut short, 2 for a whole one."""
    octets = path.read_bytes() if path.is_file() else b""
    return 0 if not octets else 1 + octets.endswith(b"PAR1")


def try_point(made: Path, place: Path, program: WarmProgram, case: Case, point: Point) -> None:
    """Kill the command at a call or let the call fail; then all works, and the command can be repeated."""
    shutil.copytree(made, place)
    result = program.run(place, *case.arguments, counted=point.counted, at=point.at, error=point.error)
    assert_polite(result, point)
    assert result["code"] == -9 or point.error or len(result["calls"]) < point.at, (point, result)
    target = place / case.target
    now = case.seen(target)
    assert now in (point.old, point.new) or (case.stepwise and now is not None), point
    done = result["code"] == 0 or (bool(case.last) and (place / case.last).exists())
    if (left := (done, shape(place))) not in point.verified.outcomes:
        verify(place, program, case, now, point, done=done)
        point.verified.outcomes.add(left)
    shutil.rmtree(place)


def verify(place: Path, program: WarmProgram, case: Case, now: object, point: Point, *, done: bool) -> None:
    """Commands that read work, the command repeats, and nothing is left of the one before.

    A command of several steps that was `done`, since the failed call was one it can do without, refuses its output.
    """
    datasets = {"run.winf", case.target} if now is not None and case.seen is rows else {"run.winf"}
    for dataset in sorted(datasets):
        table = case.table if dataset == case.target else "nodes"
        succeeds(place, program, point, "sql", dataset, f"select * from {table}")
    if (case.repeats and not (case.stepwise and done)) or now != point.new:
        succeeds(place, program, point, *case.arguments)
        assert case.seen(place / case.target) == point.new, point
    elif case.seen is files:  # it is refused, and clears up
        assert program.run(place, *case.arguments)["code"] == 1, point
    there = shape(place)
    for dataset in sorted(datasets):
        if (dataset, there) not in point.verified.reports:
            succeeds(place, program, point, "report", dataset, "-o", "now.html", "--force")
            point.verified.reports.add((dataset, there))
    winf_analyzer.hidden_pairs(place / "run.winf")  # any command that writes
    left = winf_analyzer.check(place / "run.winf").rows()
    assert is_clean(place), (point, left, sorted(str(path.relative_to(place)) for path in place.rglob(".*/**")))
    hidden = {str(path.relative_to(place)) for path in place.glob(".*")}
    assert not hidden, (point, hidden)
    succeeds(place, program, point, "sql", "run.winf", "select 1")  # it makes a folder of temporary files
    assert not list(program.temporary.glob("winf-scratch-*")), point


def succeeds(place: Path, program: WarmProgram, point: Point, *arguments: str) -> None:
    result = program.run(place, *arguments)
    assert result["code"] == 0, (point, arguments, result["stderr"])


def assert_polite(result: dict[str, Any], point: object) -> None:
    for word in ("internal error", "Traceback", "panicked", "Fatal Python error"):
        assert word not in result["stderr"], (point, result["stderr"])


def try_points(
    made: Path, tmp_path: Path, programs: Sequence[WarmProgram], name: str, error: int | None, step: int = 1
) -> int:
    """Try every `step`-th call, two at a time; returns how many were tried."""
    return try_some(
        made, tmp_path, programs, name, error, sorted(KILLING), lambda files: sample(name, files, step), Verified()
    )


def sample(name: str, files: Sequence[str], step: int) -> Sequence[int]:
    """Numbers of calls, one in `step`; which, depends on the command's name."""
    return range(1 + random.Random(name).randrange(min(step, len(files))), len(files) + 1, step)


def share(files: Sequence[str], shard: str) -> Sequence[int]:
    """Numbers of the calls that fail in a share ``i/n``; of many writes to one file, few."""
    index, shares = map(int, shard.split("/"))
    writes: Counter[str] = Counter()
    found = []
    for number, file in enumerate(files, 1):
        writes[file] += 1
        if not file or writes[file] <= MANY_WRITES or writes[file] % OF_MANY == 0:
            found.append(number)
    return found[index - 1 :: shares] or found[:1]


def share_of_today() -> str:
    """What the environment asks for, or the share of this day of the year."""
    asked = os.environ.get(SHARE) or f"{date.today().timetuple().tm_yday % SHARES + 1}/{SHARES}"
    return "1/1" if asked == "all" else asked


def try_some(
    made: Path,
    tmp_path: Path,
    programs: Sequence[WarmProgram],
    name: str,
    error: int | None,
    counted: Sequence[str],
    choose: Callable[[Sequence[str]], Sequence[int]],
    verified: Verified,
) -> int:
    """Try the calls that are chosen of those that count, two at a time; returns how many were tried."""
    case = COMMANDS[name]
    old = case.seen(made / case.target)
    new, files = outcome(made, tmp_path, programs[0], case, counted)
    chosen = choose(files)

    def worker(index: int) -> None:
        for at in chosen[index :: len(programs)]:
            point = Point(at, error, counted, old, new, verified)
            try_point(made, tmp_path / str(at), programs[index], case, point)

    with ThreadPoolExecutor(len(programs)) as pool:
        for done in [pool.submit(worker, index) for index in range(len(programs))]:
            done.result()
    print(f"{name}: {len(chosen)} of {len(files)} calls, {len(verified.outcomes)} different outcomes, error {error}")
    return len(chosen)


@pytest.mark.slow("a minute of programs whose time is known when they end")
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_some_system_calls(made, tmp_path, programs, name):
    assert try_points(made, tmp_path, programs, name, None, SAMPLE_STEP)


@pytest.mark.parametrize("name", ["ingest", "ingest again", "estimate", "merge", "replay"])
def test_new_parts_are_on_the_disk_before_the_manifest_that_names_them(made, tmp_path, programs, name):
    case = COMMANDS[name]
    place = Path(shutil.copytree(made, tmp_path / "place"))
    there = set(place.glob(f"{case.target}/*/*.parquet"))
    calls = programs[0].run(place, *case.arguments, counted=["fsync", "fdatasync"])["calls"]
    files = [Path(file) for _, file in calls]
    listed = max(number for number, file in enumerate(files) if file.name == "dataset.json")
    synced = {f"{file.parent.name}/{file.name}" for file in files[:listed]}
    new = set(place.glob(f"{case.target}/*/*.parquet")) - there
    assert new
    assert {f"{part.parent.name}/{stem(part.name)}.parquet" for part in new} <= synced


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.nightly("hundreds of runs per command")
def test_killed_at_every_system_call(made, tmp_path, programs, name):
    assert try_points(made, tmp_path, programs, name, None) > 5


@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "EROFS", "EACCES"])
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.nightly("hundreds of runs per command")
def test_every_write_fails(made, tmp_path, programs, name, error, verified, capsys):
    counted = sorted(CALLS.values() if error in ("ENOSPC", "EIO") else NAMING)
    today = share_of_today()
    number, found = getattr(errno, error), verified[name]
    tried = try_some(made, tmp_path, programs, name, number, counted, lambda files: share(files, today), found)
    with capsys.disabled():
        print(f" {name}, {error}: {tried} failing calls, share {today}; {SHARE}=all for every one")
    assert tried


@pytest.mark.nightly("two hundred runs on a recording of a minute")
def test_killed_at_random_instants(tmp_path):
    (tmp_path / "large.pcap").write_bytes(pcaps.busy_link(60_000))
    (tmp_path / "b.pcap").write_bytes(pcaps.busy_link(50_000))
    run = winf_analyzer.ingest(tmp_path / "large.pcap", tmp_path / "run.winf").path
    drawn = random.Random(1)
    names = ("ingest --force", "estimate", "replay")
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    for _ in range(RANDOM_KILLS):
        command = [sys.executable, "-m", "winf_analyzer", *COMMANDS[drawn.choice(names)].arguments]
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=-3, stderr=-3)
        try:
            process.wait(drawn.uniform(0.2, 4.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        frames = winf_analyzer.sql(run, "select count(*) from frames").item()
        assert frames in (120_000, 100_000)
        assert set(winf_analyzer.check(run)["fault"].str.contains("earlier version|killed command")) <= {True}
    winf_analyzer.hidden_pairs(run)
    assert is_clean(tmp_path)
