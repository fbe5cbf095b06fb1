"""Runs S001's string with cross traffic in ns-2 and writes down the rates of NewReno and Vegas.

    python -m benchmarks.replay.reference.record_string_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5).
"""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE / "string_ns2.csv"
AGENTS = {"NewReno": "TCP/Newreno", "Vegas": "TCP/Vegas"}
CROSS_KBPS = (800, 1500)
SEEDS = range(1, 11)


def main() -> None:
    """Write the recording."""
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["controller", "cross_traffic_kbps", "seed", "alone_kbps", "cross_kbps"])
        for name, agent in AGENTS.items():
            for rate in CROSS_KBPS:
                for seed in SEEDS:
                    writer.writerow([name, rate, seed, *_run(agent, rate, seed)])


def _run(agent: str, cross_kbps: int, seed: int) -> list[str]:
    command = ["ns", str(HERE / "string_ns2.tcl"), agent, str(cross_kbps), str(seed)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    (rates,) = (line.split()[1:] for line in lines if line.startswith("rates"))
    return rates


if __name__ == "__main__":
    main()
