"""Words and progress, on standard error. Data goes to standard output, see `output`."""

from __future__ import annotations

import sys
from typing import Any

_verbosity = 0


def set_verbosity(level: int) -> None:
    """-1 is quiet, 0 normal, 1 and more say more."""
    global _verbosity  # one process, one console
    _verbosity = level


def tell(message: str, *, style: str = "", level: int = 0, always: bool = False) -> None:
    """Say something to the person at the terminal, if they want to hear that much."""
    if not always and level > _verbosity:
        return
    from rich.console import Console
    from rich.text import Text

    Console(file=sys.stderr, soft_wrap=True, highlight=False).print(Text(message, style=style))


def progress(source: str, number: int, total: int) -> None:
    """Progress of a run over several recordings."""
    tell(f"[{number}/{total}] {source}", style="dim")


def conclude(metadata: dict[str, Any]) -> int:
    """Tell about damage and skipped inputs of a finished dataset.

    Returns:
        The exit code: 3 where some input was damaged or skipped, else 0.
    """
    from winf_analyzer._ingest.inputs import source_of

    damaged = False
    for entry in metadata["inputs"]:
        for warning in entry["warnings"]:
            damaged = damaged or warning["damage"]
            tell(f"{source_of(entry['source'], warning.get('radio', 0))}: {warning['message']}", style="yellow")
    for entry in metadata["skipped"]:
        damaged = True
        tell(f"skipped: {entry['reason']}", style="yellow")
    return 3 if damaged else 0
