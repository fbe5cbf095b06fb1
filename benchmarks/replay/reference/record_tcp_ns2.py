"""Runs ns-2's NewReno, Sack1 and Vegas over a wire and writes down what they deliver, queue and lose.

    python -m benchmarks.replay.reference.record_tcp_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5). The engine's tests compare its own TCP with the recording.
"""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE / "tcp_ns2.csv"
AGENTS = ("Newreno", "Sack1", "Vegas")
STOP_S = "40"
SPACINGS_S = ("0.1", "0.13", "0.17", "0.19", "0.23")
"""Times between the starts of two flows: which of several flows loses at a full queue depends on them."""
SETTINGS = (
    ("10", "5", "1", "20"),
    ("10", "5", "1", "50"),
    ("10", "20", "1", "20"),
    ("10", "20", "1", "50"),
    ("10", "60", "1", "60"),
    ("10", "60", "1", "200"),
    ("2", "5", "1", "10"),
    ("2", "40", "1", "30"),
    ("10", "20", "1 5", "50"),
    ("10", "60", "1 11", "100"),
    ("10", "20", "1 5 9 13 17", "50"),
    ("20", "40", "1 2 3 5 8 13 21 34", "100"),
)
"""Rate of the bottleneck, Mbit/s; its delay, ms; delays of the accesses, ms, one per flow; queue, packets."""


def main() -> None:
    """Write the recording."""
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        head = ["agent", "rate_mbps", "delay_ms", "access_ms", "queue_packets", "spacing_s", "stop_s"]
        writer.writerow([*head, "acknowledged", "timeouts", "sent_again", "waiting", "dropped"])
        for agent in AGENTS:
            for rate, delay, access, queue in SETTINGS:
                for spacing in SPACINGS_S if " " in access else SPACINGS_S[:1]:
                    flows = _run(agent, rate, delay, access.replace(" ", ","), queue, spacing, STOP_S)
                    sums = [str(sum(int(flow[column]) for flow in flows)) for column in (2, 3, 4)]
                    writer.writerow([agent, rate, delay, access, queue, spacing, STOP_S, *sums, *flows[0][5:]])


def _run(*arguments: str) -> list[list[str]]:
    command = ["ns", str(HERE / "tcp_ns2.tcl"), *arguments]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split(",") for line in lines]


if __name__ == "__main__":
    main()
