"""Killed or failing at any call that changes the file system, a command leaves the old dataset or the new one.

Here the calls of Python, in this process. `test_killed_processes.py` kills real processes at system calls.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pcaps
import pytest
from dataset_state import QUICK, content, is_clean
from faults import Killed, faults

import winf_analyzer
from winf_analyzer import WinfError
from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.dataset import Dataset

Act = Callable[[Path], object]


def two_tables(place: Path) -> None:
    """A change of two tables, which is published at once."""
    dataset = Dataset.open(place / "run.winf")
    with dataset.change("test") as change:
        change.replace("nodes", [dataset.scan("nodes").collect().head(1)])
        change.replace("neighbours", [dataset.scan("neighbours").collect().clear()])


def damaged(place: Path) -> None:
    (part,) = Dataset.open(place / "run.winf").parts("nodes")
    part.write_bytes(b"PAR1")


def ingest(place: Path, capture: str = "b.pcap", **options: Any) -> object:
    return winf_analyzer.ingest(place / capture, place / "run.winf", command="test", **options)


def nothing(place: Path) -> None:
    shutil.rmtree(place / "run.winf")


def keep(place: Path) -> None:
    del place


COMMANDS: dict[str, tuple[Callable[[Path], object], Act, int]] = {
    "change": (keep, two_tables, 3),
    "undo": (two_tables, lambda place: winf_analyzer.undo(place / "run.winf", version=1), 7),
    "gc": (two_tables, lambda place: winf_analyzer.gc(place / "run.winf"), 7),
    "repair": (damaged, lambda place: winf_analyzer.repair(place / "run.winf"), 11),
    "ingest": (nothing, ingest, 37),
    "ingest again": (keep, ingest, 37),
    "ingest --force": (keep, lambda place: ingest(place, force=True), 37),
    "estimate": (keep, lambda place: winf_analyzer.estimate(place / "run.winf", **QUICK), 73),
    "replay": (
        keep,
        lambda place: winf_analyzer.replay(place / "run.winf", topology="stack", controllers=["cbr"], duration="1s"),
        61,
    ),
}
"""What is there before, the command, and of how many calls one is tried."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two recordings, and the dataset of one of them. Treat them as read-only."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "a.pcap").write_bytes(pcaps.busy_link(3))
    (folder / "b.pcap").write_bytes(pcaps.busy_link(2))
    ingest(folder, "a.pcap")
    return folder


@pytest.fixture(scope="module")
def undisturbed(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[int, object]]:
    """How many calls a command makes, and what it leaves, found once for all errors."""

    @cache
    def of(name: str) -> tuple[int, object]:
        prepare, act, _ = COMMANDS[name]
        place = Path(shutil.copytree(made, tmp_path_factory.mktemp("undisturbed") / "place"))
        prepare(place)
        with faults() as counted:
            act(place)
        return counted.calls, content(place / "run.winf")

    return of


def cases(
    made: Path, where: Path, prepare: Callable[[Path], object], calls: int, step: int
) -> Iterator[tuple[int, Path]]:
    """Places with what was there before, one for every call number that is tried."""
    for number in range(1 + calls % min(step, calls), calls + 1, step):
        place = Path(shutil.copytree(made, where / str(number)))
        prepare(place)
        yield number, place
        shutil.rmtree(place)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("error", [None, errno.ENOSPC, errno.EIO], ids=["killed", "disk full", "bad disk"])
def test_the_dataset_is_old_or_new_and_the_command_repeats(made, undisturbed, tmp_path, name, error):
    prepare, act, step = COMMANDS[name]
    calls, new = undisturbed(name)
    old = None
    for number, place in cases(made, tmp_path, prepare, calls, step if error is None else 3 * step):
        run = place / "run.winf"
        if old is None:
            old = content(run) if name != "repair" else "damaged"
        with faults(number, error), suppress(Killed if error is None else WinfError):
            act(place)
        assert seen(run) in (old, new), f"call {number}"
        if run.exists() and name != "repair":
            assert winf_analyzer.sql(run, "select count(*) from frames").item() > 0
        # Repeated, they refuse or go on elsewhere.
        if not (name in ("undo", "ingest", "ingest again") and seen(run) == new):
            act(place)
            assert content(run) == new, f"repeated after call {number}"
        else:
            two_tables(place)
        assert is_clean(place), f"after call {number}: {list(winf_analyzer.check(run).iter_rows())}"


def seen(run: Path) -> object:
    try:
        return content(run)
    except WinfError:
        return "damaged"


def test_a_torn_part_of_a_killed_command_is_cleared_and_a_thesis_beside_it_stays(made, tmp_path):
    place = Path(shutil.copytree(made, tmp_path / "place"))
    left = place / "run.winf" / ".incoming-killed"
    (left / "nodes").mkdir(parents=True)
    (left / "nodes" / "part-00000.parquet").write_bytes(b"PAR1")
    (left / "thesis.tex").write_text("four years of work")
    assert winf_analyzer.sql(place / "run.winf", "select count(*) from nodes").item() > 0
    two_tables(place)
    assert [str(path.relative_to(left)) for path in left.rglob("*")] == ["thesis.tex"]


def test_check_says_whose_a_part_is_that_a_killed_command_moved(made, tmp_path):
    run = Path(shutil.copytree(made, tmp_path / "place")) / "run.winf"
    moved = run / "nodes" / "part-00000-0123456789abcdef.parquet"
    shutil.copyfile(winf_analyzer.Dataset.open(run).parts("nodes")[0], moved)
    planned = manifest.with_parts(manifest.load(run), [manifest.describe(moved, "nodes", moved.name)])
    (run / ".incoming-killed").mkdir()
    (run / ".incoming-killed" / "dataset.json").write_text(manifest.dumps(planned), encoding="utf-8")
    (fault,) = winf_analyzer.check(run).rows()
    assert fault == (f"nodes/{moved.name}", "was left by a killed command. The next one that writes removes it.")
    two_tables(run.parent)
    assert winf_analyzer.check(run).is_empty()
