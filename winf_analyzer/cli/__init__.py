"""The command line: one module per command. Options in, one function of the package, its result printed."""

import sys

__all__ = ["main", "program"]


def program() -> None:
    """Run the command line as all that this process does, and end it."""
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
