"""Status messages and progress, on standard error. Data goes to standard output, see `output`."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from winf_analyzer._util.format import printable
from winf_analyzer.cli.status_line import write_line

_verbosity = 0


def set_verbosity(level: int) -> None:
    """Set the verbosity: -1 quiet, 0 normal, 1 and more verbose."""
    global _verbosity  # one process, one console
    _verbosity = level


def print_status(message: str, *, style: str = "", level: int = 0, always: bool = False) -> None:
    """Print a message if the verbosity is at least ``level``, or ``always``; escape sequences in it are shown as text.

    Where standard error is closed or full, there is nobody to tell.
    """
    if (not always and level > _verbosity) or sys.stderr is None:
        return
    with suppress(OSError):
        write_line(printable(message, keep="\n\t"), style)


def print_progress(name: str, number: int, total: int) -> None:
    """Print which recording is read, of how many."""
    print_status(f"[{number}/{total}] {name}", style="dim")


def report_damage(metadata: dict[str, Any]) -> int:
    """Print the warnings and skipped inputs of a finished dataset.

    Returns:
        The exit code: 3 if any input was damaged or skipped, else 0.
    """
    from winf_analyzer._ingest.inputs import source_of

    damaged = False
    for entry in metadata["inputs"]:
        for warning in entry["warnings"]:
            damaged = damaged or warning["damage"]
            print_status(f"{source_of(entry['source'], warning.get('radio', 0))}: {warning['message']}", style="yellow")
    for entry in metadata["skipped"]:
        damaged = True
        print_status(f"skipped: {entry['reason']}", style="yellow")
    return 3 if damaged else 0
