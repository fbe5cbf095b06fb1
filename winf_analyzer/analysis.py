"""Everything in one go: ingest, estimate, report."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer.dataset import Dataset
from winf_analyzer.estimation import estimate
from winf_analyzer.ingestion import Progress, ingest
from winf_analyzer.reporting import report

if TYPE_CHECKING:
    import polars as pl

DEMO_SAMPLE = "ns3_sniffer/recording"


@dataclass(frozen=True)
class Analysis:
    """What an analysis left on disk, and its estimates."""

    dataset: Dataset
    estimates: pl.DataFrame
    report: Path


def analyze(
    inputs: Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    observer: str | None = None,
    decoder: str = "native",
    keys: Iterable[str] = (),
    window: str | int = "1s",
    force: bool = False,
    progress: Progress | None = None,
) -> Analysis:
    """Ingest recordings, run every estimator in both modes, and write the report.

    The folder ``output`` receives ``run.winf`` (the dataset) and ``report.html``. Arguments and errors are those of
    `ingest`, `estimate` and `report`.
    """
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    dataset = ingest(
        inputs, folder / "run.winf", observer=observer, decoder=decoder, keys=keys, force=force, progress=progress
    )
    estimates = estimate(dataset, window=window)
    return Analysis(dataset, estimates, report(dataset, folder / "report.html"))


def demo(
    output: str | os.PathLike[str] = "winf-demo", *, force: bool = False, progress: Progress | None = None
) -> Analysis:
    """`analyze` the bundled sample: an access point and its stations, heard by an anonymous sniffer."""
    with as_file(files("winf_analyzer") / "sample_captures" / DEMO_SAMPLE) as sample:
        return analyze([sample], output, force=force, progress=progress)
