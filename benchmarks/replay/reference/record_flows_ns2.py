"""Runs S000's greedy flows of section 3.3 in ns-2 for 300 s, 20 times each, and keeps what estimators find.

    python -m benchmarks.replay.reference.record_flows_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5). A run writes a trace of 100 MB, which is not kept: a row holds the means of its
windows. Rows that are there already are not made again.
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import winf_analyzer as winf

from .record_capacity_scenes import FLOWS, NODES, SEGMENTS, TARGET

HERE = Path(__file__).parent
RESULTS = TARGET / "flows-300s.csv"
COLUMNS = ("scene", "flows", "seed", "estimator", "mode", "capacity_bps", "available_bps")
ESTIMATORS = ("rt_winf", "idle_gap", "theoretical_maximum")
SEEDS = range(1, 21)
SECONDS, WINDOW_S = 300, 10
SCENES = {"flows": (1, 1000), **{f"probes-{segment}": (0, segment) for segment in SEGMENTS}}
"""RTS/CTS, and bytes of a segment."""


def main() -> None:
    """Make the rows that are not there yet."""
    kept: list[dict[str, str]] = []
    if RESULTS.exists():
        with RESULTS.open(newline="", encoding="utf-8") as file:
            kept = list(csv.DictReader(file))
    done = {(row["scene"], row["flows"], row["seed"]) for row in kept}
    with RESULTS.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not kept:
            writer.writerow(COLUMNS)
        for seed in SEEDS:
            for scene in SCENES:
                for flows in FLOWS:
                    if (scene, str(flows), str(seed)) not in done:
                        writer.writerows([scene, flows, seed, *row] for row in _rows(scene, flows, seed))
                        file.flush()


def _rows(scene: str, flows: int, seed: int) -> Iterator[tuple[object, ...]]:
    """Estimator, mode, and both bandwidths of the first hop by its sender, mean of the windows but the first."""
    rts, segment = SCENES[scene]
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.tr"
        settings = (NODES["mesh"], rts, SECONDS, seed, flows, segment, 0, 0)
        command = ["ns", str(HERE / "rt_winf_ns2.tcl"), str(trace), *map(str, settings)]
        subprocess.run(command, check=True, capture_output=True)
        dataset = winf.ingest([trace], Path(folder) / "trace.winf")
        trace.unlink()
        estimates = winf.estimate(dataset, window=f"{WINDOW_S}s", estimators=list(ESTIMATORS))
    means = (
        estimates.filter(
            pl.col("sender") == "node-0",
            pl.col("receiver") == "node-1",
            pl.col("state") == "sender",
            pl.col("window_start_ns") >= WINDOW_S * 10**9,
        )
        .group_by("estimator", "mode")
        .agg(pl.col("capacity_bps", "available_bps").mean().round())
        .sort("estimator", "mode")
    )
    for row in means.iter_rows(named=True):
        yield row["estimator"], row["mode"], *map(_whole, (row["capacity_bps"], row["available_bps"]))


def _whole(rate_bps: float | None) -> int | str:
    return "" if rate_bps is None else round(rate_bps)


if __name__ == "__main__":
    main()
