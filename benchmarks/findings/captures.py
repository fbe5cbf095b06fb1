"""What is found in real recordings, whose truth nobody knows: how often each finding is claimed."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple

import polars as pl

from benchmarks.findings.scoring import findings_of
from winf_analyzer._report.findings import CLAIMED
from winf_analyzer._util.errors import WinfError

MAX_BYTES = 1_000_000
"""Longer recordings are left out."""


class Counts(NamedTuple):
    """Recordings that were read, those in which nothing is claimed, and those in which each finding is."""

    recordings: int
    clean: int
    claimed: pl.DataFrame
    """`finding`, `recordings`."""


def count(folder: Path) -> Counts:
    """Counts over the captures of a folder that winf reads."""
    found, clean, read = [], 0, 0
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".pcap", ".pcapng", ".cap") or path.stat().st_size > MAX_BYTES:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                names = findings_of(path).filter(pl.col("confidence") >= CLAIMED)["name"].unique().to_list()
        except WinfError:
            continue
        read += 1
        clean += not names
        found += names
    return Counts(read, clean, pl.Series("finding", found, pl.String).value_counts(sort=True, name="recordings"))
