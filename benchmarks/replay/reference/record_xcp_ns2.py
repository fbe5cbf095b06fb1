"""Runs ns-2's XCP and writes down its windows and queue, and what it delivers where queues overflow.

    python -m benchmarks.replay.reference.record_xcp_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5).
"""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path
from statistics import fmean

from benchmarks.replay.dumbbells import DUMBBELLS, OVERFLOWING, VARIES, Dumbbell
from benchmarks.replay.xcp_overflow import columns

HERE = Path(__file__).parent
TARGET = HERE / "xcp_ns2.csv"
OVERFLOW_TARGET = HERE / "xcp_overflow_ns2.csv"
SEEDS, OVERFLOW_SEEDS = range(1, 101), range(1, 201)
TICK_S, OVERFLOW_TICK_S = 1e-4, 1e-5
"""Unit of the round-trip times of sources. Where windows decide which packet is lost, rounding to 0.1 ms matters."""
DELIVERED = "delivered"
"""Segments delivered so far, of all flows."""


def main() -> None:
    """Write the recordings."""
    _write_windows()
    _write_delivered()


def _write_windows() -> None:
    """Windows and queues of every second, mean and range over the seeds."""
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["setting", "second", "what", "mean", "least", "most"])
        for setting in DUMBBELLS:
            runs = [_run(setting, seed, TICK_S, 0) for seed in SEEDS]
            for second in range(setting.stop_s):
                for what in (name for name in runs[0][second] if name != DELIVERED):
                    values = [run[second][what] for run in runs]
                    spread = (f"{value:.2f}" for value in (fmean(values), min(values), max(values)))
                    writer.writerow([setting.name, second, what, *spread])


def _write_delivered() -> None:
    """What every seed delivered where queues overflow."""
    with OVERFLOW_TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["rate_mbps", "delay_ms", "access_ms", "spacing_s", "stop_s", "queue_packets", "seed", DELIVERED]
        )
        for setting in OVERFLOWING:
            for seed in OVERFLOW_SEEDS:
                last = _run(setting, seed, OVERFLOW_TICK_S, VARIES)[-1]
                writer.writerow([*columns(setting), seed, f"{last[DELIVERED]:.0f}"])


def _run(setting: Dumbbell, seed: int, tick_s: float, varies: float) -> list[dict[str, float]]:
    arguments = [*setting.arguments(), str(seed), str(tick_s), str(varies)]
    command = ["ns", str(HERE / "xcp_ns2.tcl"), *arguments]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = csv.DictReader(lines)
    return [{what: float(value) for what, value in row.items() if what != "second"} for row in rows]


if __name__ == "__main__":
    main()
