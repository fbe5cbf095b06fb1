"""Hidden pairs of third-party captures: none within one access point."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import winf_analyzer
from winf_analyzer import WinfError
from winf_analyzer._hidden import MIN_CONFIDENCE

SAMPLE = (
    "rmallensb__802.11_Distribution/phelpsEdu_00016_20180308160930_K",
    "npapoutsakis__wifi-doctor/channel_1.pcap",
    "rmaratos__networks744/testing_mix1.pcap",
)
"""Access points with several networks; the others are for the nightly run."""

MAX_BYTES = 8 << 20


def hidden_within_one(capture: Path, folder: Path) -> list[tuple[str, str]]:
    """Pairs claimed of access points whose addresses differ in the first octet and the last four bits at most.

    That is no proof of one radio, but more than the table `nodes` asks for: it does not use its column `radio`.
    """
    try:
        dataset = winf_analyzer.ingest([capture], folder / "run.winf", force=True)
    except WinfError:
        return []
    announcing = dataset.scan("nodes").filter(pl.col("role") == "ap").select("node").collect()["node"].implode()
    pairs = winf_analyzer.hidden_pairs(dataset).filter(
        pl.col("confidence") >= MIN_CONFIDENCE,
        pl.col("sender").is_in(announcing) & pl.col("hidden_from").is_in(announcing),
        pl.col("sender").str.slice(2, 14) == pl.col("hidden_from").str.slice(2, 14),
    )
    return pairs.select("sender", "hidden_from").rows()


@pytest.mark.shared
@pytest.mark.parametrize("name", SAMPLE)
def test_no_pair_within_one_access_point(shared_captures, tmp_path, name):
    assert hidden_within_one(shared_captures / name, tmp_path) == []


@pytest.mark.shared
@pytest.mark.nightly("ingests every third-party capture")
def test_no_pair_within_one_access_point_in_any_capture(shared_captures, tmp_path):
    captures = [path for path in sorted(shared_captures.rglob("*")) if path.is_file()]
    found = {path.name: hidden_within_one(path, tmp_path) for path in captures if path.stat().st_size <= MAX_BYTES}
    assert {name: pairs for name, pairs in found.items() if pairs} == {}
