"""What the estimators find in the recordings that ship with the register: S000's scenes of section 3.3.

`benchmarks/replay/reference/record_capacity_scenes.py` makes them with ns-2 and ns-3.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

import polars as pl

ESTIMATORS = ("rt_winf", "adhoc_probe", "idle_gap", "theoretical_maximum")
_FOLDER = files("winf_analyzer._papers") / "recordings"


def estimates(name: str, window: str, estimators: Sequence[str] = ESTIMATORS) -> pl.DataFrame:
    """Of the first hop, as its sender sees it: estimator, mode, start of the window in seconds, and both bandwidths."""
    from winf_analyzer._ingest.ingestion import ingest  # slow to import
    from winf_analyzer.estimators._write import estimate

    with as_file(_FOLDER / name) as recording, tempfile.TemporaryDirectory() as folder:
        dataset = ingest([recording], Path(folder) / "recording.winf")
        found = estimate(dataset, window=window, estimators=list(estimators))
    sender, receiver = ("00:00:00:00:00:01", "00:00:00:00:00:02") if ".ns3." in name else ("node-0", "node-1")
    return found.filter(pl.col("sender") == sender, pl.col("receiver") == receiver, pl.col("state") == "sender").select(
        "estimator", "mode", "capacity_bps", "available_bps", second=pl.col("window_start_ns") / 1e9
    )


def greedy_flows() -> pl.DataFrame:
    """Of every run of 300 s of the greedy flows: what estimators found on the first hop, mean of windows of 10 s.

    `benchmarks/replay/reference/record_flows_ns2.py` makes them with ns-2; the recordings are too large to keep.
    """
    return pl.read_csv(_FOLDER.joinpath("flows-300s.csv").read_bytes())


def iperf_bps(simulator: str, seed: int) -> float:
    """Goodput of datagrams that saturate the mesh; `simulator` is ns2 or ns3."""
    kbps: dict[str, int] = tomllib.loads((_FOLDER / "iperf.toml").read_text(encoding="utf-8"))
    return 1e3 * kbps[f"{simulator}-{seed}"]
