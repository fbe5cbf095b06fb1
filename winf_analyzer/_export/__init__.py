"""Datasets in the formats of other tools.

::

    targets     the registry of formats
    placing     where an export is written, and what it may replace
    links       what is known per link and window: rates, losses, delays
    mahimahi    packet-delivery traces of links
    netem       a script of `tc` per link
    tables      every table as CSV or Arrow IPC
    duckdb_file one DuckDB database of views over the Parquet parts
    perfetto/   a trace for the Perfetto viewer
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._export.placing import placed
from winf_analyzer._export.targets import target
from winf_analyzer._util.format import given_path
from winf_analyzer._util.progress import Progress

__all__ = ["Exported", "export"]


@dataclass(frozen=True)
class Exported:
    """A finished export."""

    path: Path
    """The file or folder."""
    notes: list[str] = field(default_factory=list)
    """What the format could not carry, and what was left out."""


@reads_dataset
def export(
    dataset: Dataset | str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    to: str,
    force: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write a dataset for another tool.

    Args:
        dataset: a dataset or its path.
        output: the file (``netem``, ``duckdb``, ``perfetto``) or folder (``mahimahi``, ``csv``, ``arrow``) to make.
        to: name of the format, see ``winf list exports``.
        force: replace an export that winf wrote there; nothing else is ever replaced.
        progress: called with what is written, its 1-based number and their number.

    Raises:
        UsageError: there is no such format.
        DatasetError: the output is there, or lies in the dataset, or the dataset cannot be read.
        UnusableInput: the dataset has nothing that the format could hold.
        WinfError: the output cannot be written.
    """
    form = target(to)
    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    report: Callable[[str, int, int], None] = progress or (lambda *_: None)
    with placed(given_path(output), form, dataset.path, force=force) as place:
        notes = form.write(dataset, place, report)
    return Exported(given_path(output), notes)
