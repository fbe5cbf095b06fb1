"""Everything in one go: ingest, estimate, replay, compare, report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._evaluate import Comparison, compare
from winf_analyzer._ingest.ingestion import Progress, ingest
from winf_analyzer._ingest.inputs import Paths, named, paths_of
from winf_analyzer._ingest.truth import recognize
from winf_analyzer._replay import Replayed, replay
from winf_analyzer._report import check_report, report
from winf_analyzer._util.errors import UnusableInput, UsageError
from winf_analyzer.estimators._write import estimate

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._mac.override import Given

DEMO_SAMPLE = "ns3_sniffer/recording"

CONTROLLERS = ("new_reno", "xcp", "rcp", "xcp_winf", "rcp_winf", "wcp")
"""What is replayed by default: what most networks run, rt-Winf's controllers and what they go back to, and WCP."""

MOST_EXCHANGES = 1_000_000
"""Longer recordings are replayed only where controllers are named: a replay takes about as long as an ingest."""


@dataclass(frozen=True)
class Analysis:
    """What an analysis left on disk, and its estimates."""

    dataset: Dataset
    estimates: pl.DataFrame
    report: Path
    comparison: Comparison | None = None
    """The estimates against ground truth, where there was some."""
    problems: list[str] = field(default_factory=list)
    """Why logs that were given could not be compared with, or named controllers not be replayed."""
    replayed: Replayed | None = None
    """What controllers would have done, where the recording holds a flow to lift out."""


def analyze(
    inputs: Paths,
    output: str | os.PathLike[str],
    *,
    iperf: Paths = (),
    observer: str | None = None,
    decoder: str = "native",
    keys: Iterable[str] = (),
    window: str | int = "1s",
    mac: Given = None,
    controllers: Sequence[str] | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Analysis:
    """Ingest recordings, run every estimator in both modes, replay controllers, compare with truth, write the report.

    The folder ``output`` receives ``run.winf`` (the dataset) and ``report.html``. Ground truth are the logs in
    ``iperf``, those among the inputs, and what a simulator's trace says itself. The recording's flows are replayed
    under ``controllers`` (:data:`CONTROLLERS` by default, none if empty), with transfers in place of datagrams.
    Arguments and errors are those of `ingest`, `estimate`, `replay`, `compare` and `report`; where there is no flow to
    replay, or `compare` finds no flow of the logs, the rest is made all the same.
    """
    logs = [Path(path) for path in named(iperf)]
    for path in logs:
        if recognize(path) is None:
            raise UnusableInput(f"{path}: not a log of iperf or FlowMonitor.")
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name the folder for dataset and report.")
    read = [*paths_of(inputs), *logs]
    check_output(folder / "run.winf", force=force, inputs=read)
    check_report(folder / "report.html", inputs=read)
    folder.mkdir(parents=True, exist_ok=True)
    dataset = ingest(
        [*named(inputs), *logs],
        folder / "run.winf",
        observer=observer,
        decoder=decoder,
        keys=keys,
        force=force,
        progress=progress,
    )
    estimates = estimate(dataset, window=window, mac=mac)
    replayed, not_replayed = _replayed(dataset, controllers, progress)
    comparison, not_compared = _compared(dataset)
    made = report(dataset, folder / "report.html")
    return Analysis(dataset, estimates, made, comparison, [*not_replayed, *not_compared], replayed)


def _replayed(
    dataset: Dataset, controllers: Sequence[str] | None, progress: Progress | None
) -> tuple[Replayed | None, list[str]]:
    asked = controllers is not None
    if asked and not controllers:
        return None, []
    if not asked and sum(entry["counts"]["exchanges"] for entry in dataset.metadata["inputs"]) > MOST_EXCHANGES:
        return None, []
    try:
        return replay(dataset, controllers=controllers or CONTROLLERS, transfers=True, progress=progress), []
    except (UnusableInput, UsageError) as error:
        # Most recordings hold flows to replay; nobody asked for it in those that do not.
        return None, [f"no replay: {error}"] if asked else []


def _compared(dataset: Dataset) -> tuple[Comparison | None, list[str]]:
    if dataset.scan("truth").limit(1).collect().is_empty():
        return None, []
    try:
        return compare(dataset), []
    except UnusableInput as error:
        # Nobody asked for the truth that a simulator's trace brings along.
        return None, str(error).splitlines() if dataset.metadata["truth"] else []


def demo(
    output: str | os.PathLike[str] = "winf-demo", *, force: bool = False, progress: Progress | None = None
) -> Analysis:
    """`analyze` the bundled sample: an access point and its stations, heard by an anonymous sniffer."""
    with as_file(files("winf_analyzer") / "sample_captures" / DEMO_SAMPLE) as sample:
        return analyze([sample], output, force=force, progress=progress)
