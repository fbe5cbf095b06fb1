"""The registry of export formats: a new one is its module and its row here."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._util.errors import UsageError
from winf_analyzer._util.progress import Progress


class ExportFormat(NamedTuple):
    """A format."""

    name: str
    description: str
    module: str
    """Module of this package with ``write_NAME(dataset, path, progress)``, which returns sentences about the result."""
    signature: bytes | None
    """What stands in the first octets of a file of this format that winf wrote; None: it is a folder."""
    ending: str = ""
    """Of file names, where winf names the files."""

    @property
    def write(self) -> Callable[[Dataset, Path, Progress], list[str]]:
        """The function that writes it."""
        function: Callable[[Dataset, Path, Progress], list[str]] = getattr(
            import_module(f"{__package__}.{self.module}"), f"write_{self.name}"
        )
        return function

    @property
    def implemented_in(self) -> str:
        """Path of the source."""
        return f"winf_analyzer/_export/{self.module.replace('.', '/')}.py"


TARGETS = (
    ExportFormat("mahimahi", "packet-delivery trace of every link, for mm-link", "mahimahi", None),
    ExportFormat(
        "netem",
        "shell script of tc with rate, delay and loss of every link over time",
        "netem",
        b"#!/bin/sh\n# Written by winf export --to netem",
        ".sh",
    ),
    ExportFormat("csv", "every table as a CSV file that spreadsheets open without harm", "tables", None),
    ExportFormat("arrow", "every table as an Arrow IPC file", "tables", None),
    ExportFormat(
        "duckdb", "a DuckDB database with a view per table over the Parquet parts", "duckdb_file", b"", ".duckdb"
    ),
    ExportFormat(
        "perfetto",
        "a trace for ui.perfetto.dev: stations as tracks, exchanges and frames as slices, shares, queues as counters",
        "perfetto.trace",
        b"\x0a\x19P\x01h\x01b\x13\x12\x11\x08\x01\x12\rwinf_analyzer",
        ".pftrace",
    ),
)


def target(name: str) -> ExportFormat:
    """The format of that name.

    Raises:
        UsageError: there is none.
    """
    for each in TARGETS:
        if each.name == name:
            return each
    raise UsageError(f"no export format {name!r}; there are {', '.join(each.name for each in TARGETS)}.")
