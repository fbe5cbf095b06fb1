"""Runs CUBIC and BBR in ns-3 over one and two wireless hops, and writes down what their sockets and sinks saw.

    python -m benchmarks.replay.reference.record_controllers_ns3

Needs a compiler and ns-3.37 (Debian 12: libns3-dev libgsl-dev g++ pkg-config). Six minutes. The program is that of the
counterfactual study, and so is the folder where its runs are kept.
"""

from __future__ import annotations

import csv
from pathlib import Path

from benchmarks.replay.counterfactual.runs import Run, truth
from benchmarks.replay.counterfactual.worlds import DEVELOPMENT, StudyWorld

TARGET = Path(__file__).parent / "controllers_ns3.csv"
CONTROLLERS = {"cubic": "TcpCubic", "bbr": "MendedTcpBbr"}
"""Names in ns-3. Its own BBR measures the delivery rate wrongly: ``benchmarks/replay/ns3/mended_bbr.h``."""

SETTINGS = (
    StudyWorld("one_hop", "chain1", DEVELOPMENT),
    StudyWorld("one_hop_rts_queue20", "chain1", DEVELOPMENT, rts=True, queue_packets=20),
    StudyWorld("one_hop_queue100", "chain1", DEVELOPMENT, queue_packets=100),
    StudyWorld("two_hops_queue30", "chain2", DEVELOPMENT, queue_packets=30),
    StudyWorld("two_hops_rts", "chain2", DEVELOPMENT, rts=True),
    StudyWorld("two_hops_rts_queue100", "chain2", DEVELOPMENT, rts=True, queue_packets=100),
)
SEEDS = range(1, 11)
COLUMNS = ("setting", "controller", "seed", "goodput_bps", "rtt_p50_ms", "rtt_p95_ms")


def main() -> None:
    """Run every setting under every controller for every seed, and write the recording."""
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        for world in SETTINGS:
            for name, theirs in CONTROLLERS.items():
                for seed in SEEDS:
                    (flow,) = truth(Run(world, controller=theirs, seed=seed))
                    lines.writerow([world.name, name, seed, round(flow.goodput_bps), flow.rtt_p50_ms, flow.rtt_p95_ms])


if __name__ == "__main__":
    main()
