"""Runs ns-2's XCP and writes down its windows and queue: mean and range over the seeds of its timers.

    python -m benchmarks.replay.reference.record_xcp_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5).
"""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path
from statistics import fmean

from benchmarks.replay.dumbbells import DUMBBELLS, Dumbbell

HERE = Path(__file__).parent
TARGET = HERE / "xcp_ns2.csv"
SEEDS = range(1, 101)


def main() -> None:
    """Write the recording."""
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["setting", "second", "what", "mean", "least", "most"])
        for setting in DUMBBELLS:
            runs = [_run(setting, seed) for seed in SEEDS]
            for second in range(setting.stop_s):
                for what in runs[0][second]:
                    values = [run[second][what] for run in runs]
                    spread = (f"{value:.2f}" for value in (fmean(values), min(values), max(values)))
                    writer.writerow([setting.name, second, what, *spread])


def _run(setting: Dumbbell, seed: int) -> list[dict[str, float]]:
    command = ["ns", str(HERE / "xcp_ns2.tcl"), *setting.arguments(), str(seed)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = csv.DictReader(lines)
    return [{what: float(value) for what, value in row.items() if what != "second"} for row in rows]


if __name__ == "__main__":
    main()
