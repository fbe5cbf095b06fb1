"""Processes that work side by side, and whole ones that are measured one after the other."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

Command = Sequence[str | os.PathLike[str]]


class Run(NamedTuple):
    """One measured process."""

    seconds: float
    peak_mib: float
    processor_s: float
    """User and system time: on a shared machine a steadier measure than the clock."""


def workers(jobs: int) -> ProcessPoolExecutor:
    """Processes for short recordings, in one thread each: their tables are small."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))


def python(code: str) -> list[str | os.PathLike[str]]:
    """A command that runs Python code; arguments may follow."""
    return [sys.executable, "-c", code]


def winf(*arguments: str) -> list[str | os.PathLike[str]]:
    """A command that runs the program as installed."""
    return [sys.executable, Path(sysconfig.get_path("scripts")) / "winf", *arguments]


def _environment() -> dict[str, str]:
    """That of this process, but byte code of modules is kept: else each run compiles the package again."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Contender:
    """A command that does the work in question."""

    name: str
    command: Command
    prepare: Callable[[], None] = lambda: None

    def run(self) -> Run:
        """Measure one run; output is thrown away."""
        self.prepare()
        started = time.perf_counter()
        process = subprocess.Popen(
            self.command, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"failed ({process.returncode}): {' '.join(map(os.fspath, self.command))}")
        return Run(seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime)

    @staticmethod
    def compare(contenders: Sequence[Contender], work: float, unit: str, rounds: int) -> list[Run]:
        """Let the contenders take turns and print the best run of each, beside the first; returns those runs."""
        best: dict[str, Run] = {}
        for _ in range(rounds):
            for contender in contenders:
                run = contender.run()
                best[contender.name] = min(best.get(contender.name, run), run)
        first = next(iter(best.values())).seconds
        print(f"{'':42}{'seconds':>9}{'CPU s':>9}{unit + '/s':>12}{'x first':>9}{'peak MiB':>10}")
        for name, run in best.items():
            measured = f"{run.seconds:9.2f}{run.processor_s:9.2f}{work / run.seconds:12.0f}"
            print(f"{name:42}{measured}{first / run.seconds:9.1f}{run.peak_mib:10.0f}")
        print()
        return list(best.values())


def beside(what: str, peer: Run, ours: Run) -> dict[str, float]:
    """The peer's time divided by ours, by the clock and by processor time."""
    return {
        f"{what}, clock": peer.seconds / ours.seconds,
        f"{what}, processor": peer.processor_s / ours.processor_s,
    }
