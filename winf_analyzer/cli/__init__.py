"""The command line: one module per command. Options in, one function of the package, its result printed."""

import gc
import signal
import sys

__all__ = ["main", "program"]

CONTAINERS = 200_000
"""New objects from which on Python looks for cycles: more than modules and an analysis make. By default it goes through
all modules again and again while they load, for a fourteenth of the time of a short analysis."""


def program() -> None:
    """Run the command line as all that this process does, and end it."""
    gc.set_threshold(CONTAINERS)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:  # before the modules load, which takes most of a short run
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    _run("program")


def main() -> None:
    """Run the command line, and exit with its code."""
    _run("main")


def _run(name: str) -> None:
    try:
        from winf_analyzer.cli import app

        getattr(app, name)()
    except KeyboardInterrupt:  # of a user who did not wait for the modules to load
        if sys.stderr is not None:
            print("winf: interrupted", file=sys.stderr)
        sys.exit(130)
