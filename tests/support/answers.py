"""What is recommended of a recording that a test has made."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from air import Air

import winf_analyzer


def answer_of(air: Air, sender: str, folder: Path) -> dict[str, object]:
    """The row of `recommended` for the whole recording and the one link of a sender."""
    (folder / "recording.pcap").write_bytes(air.capture())
    dataset = winf_analyzer.ingest([folder / "recording.pcap"], folder / "run.winf")
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    rows = pl.DataFrame(dataset.scan("recommended").filter(pl.col("whole"), sender=sender).collect())
    return rows.row(0, named=True)
