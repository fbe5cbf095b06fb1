"""Status messages and progress, on standard error. Data goes to standard output, see `output`."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from contextlib import suppress
from typing import Any

from winf_analyzer._util.format import printable
from winf_analyzer._util.progress import Progress
from winf_analyzer.cli.status_line import write_line
from winf_analyzer.cli.wrap import wrapped

_verbosity = 0
_line = ""
"""The line of progress that stands on the terminal."""
_finished = False
_beginning: Progress | None = None
_writing = threading.RLock()


def set_verbosity(level: int) -> None:
    """Set the verbosity: -1 quiet, 0 normal, 1 and more verbose."""
    global _verbosity  # one process, one console
    _verbosity = level


def is_talkative() -> bool:
    """Whether status messages are printed at all."""
    return _verbosity >= 0


def set_beginning(heard: Progress | None) -> None:
    """Let a display hear what :func:`print_progress` is told."""
    global _beginning, _finished  # one process, one terminal
    _beginning, _finished = heard, False


def show_line(text: str) -> None:
    """Put a line of progress in the place of the last one; the empty text removes it."""
    global _line
    with _writing:
        if sys.stderr is None or not (text or _line) or (text and _finished):
            return
        width = max(_terminal_width() - 1, 10)
        _line = text if len(text) <= width else f"{text[: width - 1]}…"
        with suppress(OSError, ValueError):
            sys.stderr.write(f"\r\x1b[2K{_line}")
            sys.stderr.flush()


def finish_line() -> None:
    """Remove the line of progress for good: results follow, or the user is asked."""
    global _finished
    with _writing:
        show_line("")
        _finished = True


def _terminal_width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def print_status(message: str, *, style: str = "", level: int = 0, always: bool = False) -> None:
    """Print a message if the verbosity is at least ``level``, or ``always``; escape sequences in it are shown as text.

    Where standard error is closed or full, there is nobody to tell.
    """
    if (not always and level > _verbosity) or sys.stderr is None:
        return
    with suppress(OSError), _writing:
        if _line:
            show_line("")
        text = printable(message, keep="\n\t")
        write_line(wrapped(text, _terminal_width() - 1) if sys.stderr.isatty() else text, style)


def print_words(line: str, *, breaks: bool = True) -> None:
    """Print a line of text in place of the line of progress.

    Args:
        line: on a terminal it is broken between words, with its own indentation.
        breaks: False: in one piece, to be copied.
    """
    finish_line()
    if sys.stdout is None or not breaks or not sys.stdout.isatty():
        print(line)
        return
    print(wrapped(line, shutil.get_terminal_size().columns - 1))


def print_progress(name: str, number: int, total: int) -> None:
    """Tell which recording is read, of how many: on a terminal in the line of progress, with ``-v`` in lines."""
    if _beginning is not None:
        _beginning(name, number, total)
    print_status(f"[{number}/{total}] {name}", style="dim", level=1)


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
