"""The program `winf`: its commands, global options, exit codes and error messages."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import Annotated, Any

import typer

import winf_analyzer
from winf_analyzer._util.errors import WinfError
from winf_analyzer.cli.command import register
from winf_analyzer.cli.console import print_status, set_verbosity
from winf_analyzer.cli.verbosity import Quiet, Verbose

COMMANDS = (
    "info",
    "ingest",
    "merge",
    "estimate",
    "replay",
    "compare",
    "sql",
    "report",
    "analyze",
    "demo",
    "reproduce",
    "list",
)
"""Modules of this package, each with one `COMMAND`, in the order of `winf --help`."""

app = typer.Typer(
    name="winf",
    help="Capacity and available bandwidth of 802.11 networks, from recordings.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name in COMMANDS:
    register(app, import_module(f"winf_analyzer.cli.{_name}").COMMAND)


def _print_version(requested: bool) -> None:
    if requested:
        print(f"winf {winf_analyzer.__version__}")
        raise typer.Exit


@app.callback(epilog="Examples:  winf demo  ·  winf analyze capture.pcap -o out")
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    verbose: Verbose = 0,
    quiet: Quiet = False,
) -> None:
    """Capacity and available bandwidth of 802.11 networks, from recordings.

    Exit codes: 0 success, 1 failure, 2 usage error, 3 finished, but some input was damaged or skipped, 4 no usable
    input, 130 interrupted.
    """
    del version
    set_verbosity(-1 if quiet else verbose)


def _configure_allocator() -> None:
    """Set the allocator of Polars, which is not loaded yet, to return freed memory later and to use fewer arenas.

    An estimate allocates and frees tables many times a second. With the defaults (four arenas per core, freed pages
    returned after half a second) a fifth of its time goes into requesting the pages from the kernel again.
    """
    os.environ.setdefault("_RJEM_MALLOC_CONF", "narenas:2,dirty_decay_ms:2000")


def main() -> None:
    """Run the command line and end the process with its exit code."""
    _configure_allocator()
    _format_own_warnings()
    try:
        app()
    except WinfError as error:
        print_status(f"winf: {error}", style="bold red", always=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print_status("winf: interrupted", always=True)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader closed the pipe, as `head` does
        sys.exit(0)
    except Exception as error:
        if os.environ.get("WINF_TRACEBACK"):
            raise
        kind = type(error).__name__
        print_status(
            f"winf: internal error: {kind}: {error}\nSet WINF_TRACEBACK=1 for the traceback.",
            style="bold red",
            always=True,
        )
        sys.exit(1)


def _format_own_warnings() -> None:
    """Print the package's warnings as status messages; those of libraries keep Python's format."""
    default = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *location: Any, **more: Any) -> None:
        if category.__module__.startswith("winf_analyzer."):
            print_status(f"winf: {message}", style="yellow")
        else:
            default(message, category, *location, **more)

    setattr(warnings, "showwarning", show)  # noqa: B010 (its declared type names the parameters passed through)
