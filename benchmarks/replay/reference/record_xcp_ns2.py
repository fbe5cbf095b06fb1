"""Runs ns-2's XCP and writes down its windows and queue, and what it delivers where queues overflow.

Mean and range over the seeds of its timers.

    python -m benchmarks.replay.reference.record_xcp_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5).
"""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

from benchmarks.replay.dumbbells import DUMBBELLS, OVERFLOWING, Dumbbell

HERE = Path(__file__).parent
TARGET = HERE / "xcp_ns2.csv"
OVERFLOW_TARGET = HERE / "xcp_overflow_ns2.csv"
SEEDS = range(1, 101)
ACKED = "acked"
"""Segments acknowledged so far, of all flows."""


def main() -> None:
    """Write the recordings."""
    _write(TARGET, DUMBBELLS, lambda second, what: what != ACKED and second >= 0)
    _write(OVERFLOW_TARGET, OVERFLOWING, lambda second, what: what == ACKED and second == -1)


def _write(target: Path, settings: tuple[Dumbbell, ...], is_kept: Callable[[int, str], bool]) -> None:
    """The kept values of every second; the last one is -1, too."""
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["setting", "second", "what", "mean", "least", "most"])
        for setting in settings:
            runs = [_run(setting, seed) for seed in SEEDS]
            for second in (*range(setting.stop_s), -1):
                for what in (name for name in runs[0][second] if is_kept(second, name)):
                    values = [run[second][what] for run in runs]
                    spread = (f"{value:.2f}" for value in (fmean(values), min(values), max(values)))
                    writer.writerow([setting.name, second % setting.stop_s, what, *spread])


def _run(setting: Dumbbell, seed: int) -> list[dict[str, float]]:
    command = ["ns", str(HERE / "xcp_ns2.tcl"), *setting.arguments(), str(seed)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = csv.DictReader(lines)
    return [{what: float(value) for what, value in row.items() if what != "second"} for row in rows]


if __name__ == "__main__":
    main()
