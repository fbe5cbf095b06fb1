"""One line about a run of more than two seconds: what it does, how far it is, how fast, and how long it will take.

Only on a terminal, and not with ``--quiet``. Recordings are read by native code that does not report: the positions of
their open files tell how far it is.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from winf_analyzer._util.format import printable
from winf_analyzer._util.progress import Work, listen
from winf_analyzer.cli import console

PATIENCE_S = 2.0
"""Shorter runs show nothing."""

INTERVAL_S = 0.5
FORGET = 0.8
"""Weight of the rate so far beside that of the last interval."""


class Display:
    """What is known of the run, and the line that says it."""

    def __init__(self, command: str, now_s: float) -> None:
        self._command, self._began_s = command, now_s
        self._work: Work | None = None
        self._stage_began_s: float | None = None
        self._names: list[str] = []
        self._total_names = 0
        self._rate, self._octet_rate = _Rate(now_s), _Rate(now_s)
        self._seen: dict[str, tuple[int, int]] = {}

    def hear(self, work: Work) -> None:
        """Take how far a stage is."""
        if self._work is None or self._work.stage != work.stage:
            self._stage_began_s = None
        self._work = work
        self._names = []

    def begin(self, name: str, number: int, total: int) -> None:
        """Take that a recording is begun, or a run finished."""
        self._work = None
        if number == 1:  # of another series: runs read no files
            self._seen = {}
        self._names = [*self._names[: number - 1], name]
        self._total_names = total

    def line(self, now_s: float) -> str:
        """The line as it is now."""
        if self._work is not None:
            work = self._work
            if not work.total:  # how long it takes is not known, but that it goes on is
                self._stage_began_s = now_s if self._stage_began_s is None else self._stage_began_s
                return f"{work.stage} … {duration_text(now_s - self._stage_began_s)}"
            stage, unit, octet_rate = work.stage, work.unit, 0.0
        elif self._names:
            opened = _positions(set(self._names))
            # A recording that was open and is no more has been read; its dataset may still have to be written.
            closed = {path: (size, size) for path, (_, size) in self._seen.items()}
            self._seen = closed | opened
            begun = len(self._names)
            read = sum(position / size for position, size in opened.values() if size)
            # Of what was begun and is not open the recordings before the last are done.
            done = max(0.0, begun - max(1, len(opened))) + read
            stage = f"[{begun}/{self._total_names}] {printable(self._names[-1])}"
            if not opened and begun == self._total_names and self._names[-1] in map(_name, closed):
                return f"{stage}  read, finishing … {duration_text(now_s - self._began_s)}"
            work, unit = Work(stage, done, self._total_names, ""), ""
            octet_rate = self._octet_rate.after("", sum(position for position, _ in self._seen.values()), now_s)
        else:
            return f"{self._command} … {duration_text(now_s - self._began_s)}"
        rate = self._rate.after(work.stage if self._work else "files", work.done, now_s)
        parts = [stage, f"{100 * min(work.done / work.total, 1.0):.0f} %" if work.total else ""]
        if rate > 0:
            parts.append(f"{_count_text(rate)} {unit}/s" if unit else "")
            parts.append(f"{_octets_text(octet_rate)}/s" if octet_rate else "")
            parts.append(f"{duration_text(max(work.total - work.done, 0) / rate)} left")
        return "  ".join(part for part in parts if part)


class _Rate:
    """How fast a count grows: a mean in which the past fades."""

    def __init__(self, now_s: float) -> None:
        self._measured: tuple[str, float, float] = ("", 0.0, now_s)
        self._rate = 0.0

    def after(self, stage: str, done: float, now_s: float) -> float:
        """The rate now that so much of the stage is done; 0: not known yet."""
        before, value, at_s = self._measured
        if before != stage or done < value:
            self._measured, self._rate = (stage, done, now_s), 0.0
        elif now_s - at_s >= INTERVAL_S and done > value:
            latest = (done - value) / (now_s - at_s)
            self._rate = latest if self._rate == 0 else FORGET * self._rate + (1 - FORGET) * latest
            self._measured = (stage, done, now_s)
        return self._rate


@contextmanager
def progress_line(command: str) -> Iterator[None]:
    """Show the line while the block runs, where standard error is a terminal and the user wants to hear."""
    if sys.stderr is None or not sys.stderr.isatty() or not console.is_talkative():
        yield
        return
    display, over = Display(command, time.monotonic()), threading.Event()

    def show() -> None:
        if over.wait(PATIENCE_S):
            return
        while True:
            with suppress(OSError, ValueError):
                console.show_line(display.line(time.monotonic()))
            if over.wait(INTERVAL_S):
                return

    listen(display.hear)
    console.set_beginning(display.begin)
    thread = threading.Thread(target=show, name="winf-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        listen(None)
        console.set_beginning(None)
        console.show_line("")


def _positions(names: set[str]) -> dict[str, tuple[int, int]]:
    """Position and size of the open files of these names; empty where the system does not tell."""
    found: dict[str, tuple[int, int]] = {}
    with suppress(OSError):
        for descriptor in Path("/proc/self/fd").iterdir():
            with suppress(OSError, ValueError):
                path = descriptor.readlink()
                if path.name in names:
                    position = Path(f"/proc/self/fdinfo/{descriptor.name}").read_text(encoding="ascii").split()[1]
                    found[str(path)] = int(position), path.stat().st_size
    return found


def _name(path: str) -> str:
    return Path(path).name


def duration_text(seconds: float) -> str:
    """A time as one would say it: 8 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _octets_text(count: float) -> str:
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count:.3g} B"


def _count_text(count: float) -> str:
    for factor, letter in ((1e6, "M"), (1e3, "k")):
        if count >= factor:
            return f"{count / factor:.3g}{letter}"
    return f"{count:.3g}"
