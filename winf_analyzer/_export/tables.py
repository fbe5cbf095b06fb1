"""Every table as one file per table: CSV, safe for spreadsheets, or Arrow IPC."""

from __future__ import annotations

from pathlib import Path

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._util.progress import Progress

ROWS = 50_000
"""Rows of a table that are in memory as text at a time."""


def write_csv(dataset: Dataset, path: Path, progress: Progress) -> list[str]:
    """Write ``TABLE.csv`` of every table."""
    from winf_analyzer._util.spreadsheet import for_csv

    for number, name in enumerate(dataset.tables, 1):
        progress(name, number, len(dataset.tables))
        with (path / f"{name}.csv").open("wb") as file:
            header = True
            for rows in dataset.scan(name).collect_batches(chunk_size=ROWS, maintain_order=True):
                for_csv(rows).write_csv(file, include_header=header)
                header = False
            if header:
                for_csv(dataset.scan(name).limit(0).collect()).write_csv(file)
    return ["Lists are JSON text; texts that a spreadsheet would take for a formula begin with an apostrophe."]


def write_arrow(dataset: Dataset, path: Path, progress: Progress) -> list[str]:
    """Write ``TABLE.arrow`` of every table."""
    for number, name in enumerate(dataset.tables, 1):
        progress(name, number, len(dataset.tables))
        dataset.scan(name).sink_ipc(path / f"{name}.arrow", maintain_order=True)
    return []
