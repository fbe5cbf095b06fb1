"""Runs S000's scenes of section 3.3 in ns-2 and writes down what the estimators find in every second.

    python -m benchmarks.replay.reference.record_rt_winf_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5).
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import winf_analyzer as winf

HERE = Path(__file__).parent
TARGET = HERE / "rt_winf_ns2.csv"
ESTIMATORS = ["rt_winf", "adhoc_probe", "idle_gap", "theoretical_maximum"]
SEEDS = (1, 2)
FLOWS = (1, 4)
SEGMENTS = (250, 1000, 1460)
SECONDS, PAIRS, VOICE_KBPS, SATURATING_KBPS = 9, 1000, 64, 4000

Scene = tuple[str, int, int, int, int, int, int]
"""Name, nodes, RTS/CTS, TCP flows, segment, bytes of a packet pair, kbit/s of datagrams."""

SCENES: tuple[Scene, ...] = (
    ("two nodes", 2, 1, 0, 1000, PAIRS, VOICE_KBPS),
    ("mesh", 4, 1, 0, 1000, PAIRS, VOICE_KBPS),
    ("iperf", 4, 1, 0, 1000, 0, SATURATING_KBPS),
    *(("flows", 4, 1, flows, 1000, 0, 0) for flows in FLOWS),
    *(("probes", 4, 0, flows, segment, 0, 0) for segment in SEGMENTS for flows in FLOWS),
)


def main() -> None:
    """Write the recording."""
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["scene", "flows", "segment", "seed", "estimator", "mode", "second", "capacity_kbps", "available_kbps"]
        )
        for scene in SCENES:
            for seed in SEEDS:
                name, _, _, flows, segment, _, _ = scene
                writer.writerows([name, flows, segment, seed, *row] for row in _rows(scene, seed))


def _rows(scene: Scene, seed: int) -> Iterator[list[object]]:
    """Estimator, mode, second, capacity and available bandwidth of the first hop as its sender sees it."""
    name, nodes, *settings = scene
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.tr"
        options = [str(trace), nodes, settings[0], SECONDS, seed, *settings[1:]]
        command = ["ns", str(HERE / "rt_winf_ns2.tcl"), *map(str, options)]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        if name == "iperf":
            (goodput,) = (float(line.split()[1]) for line in lines if line.startswith("goodput"))
            yield ["goodput", "", 0, "", round(goodput)]
            return
        dataset = winf.ingest([trace], Path(folder) / "trace.winf")
        estimates = winf.estimate(dataset, window="1s", estimators=ESTIMATORS)
    first_hop = estimates.filter(
        pl.col("sender") == "node-0", pl.col("receiver") == "node-1", pl.col("state") == "sender"
    ).sort("estimator", "mode", "window_start_ns")
    for row in first_hop.iter_rows(named=True):
        second = row["window_start_ns"] // 1_000_000_000
        if 2 <= second < SECONDS - 1:
            yield [row["estimator"], row["mode"], second, *map(_kbps, (row["capacity_bps"], row["available_bps"]))]


def _kbps(rate_bps: float | None) -> int | str:
    return "" if rate_bps is None else round(rate_bps / 1e3)


if __name__ == "__main__":
    main()
