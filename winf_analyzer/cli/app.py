"""The program `winf`: global options, exit codes, and how an error is told."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, Any

import typer

import winf_analyzer
from winf_analyzer._util.errors import WinfError
from winf_analyzer.cli import commands, listing, replay
from winf_analyzer.cli.console import set_verbosity, tell
from winf_analyzer.cli.verbosity import Quiet, Verbose

app = typer.Typer(
    name="winf",
    help="Capacity and available bandwidth of 802.11 networks, from recordings.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
commands.register(app)
replay.register(app)
listing.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"winf {winf_analyzer.__version__}")
        raise typer.Exit


@app.callback(epilog="Examples:  winf demo  ·  winf analyze capture.pcap -o out")
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    verbose: Verbose = 0,
    quiet: Quiet = False,
) -> None:
    """Capacity and available bandwidth of 802.11 networks, from recordings.

    Exit codes: 0 ok, 1 failed, 2 usage, 3 finished but some input was damaged or skipped, 4 nothing usable in the
    input, 130 interrupted.
    """
    del version
    set_verbosity(-1 if quiet else verbose)


def _keep_freed_memory() -> None:
    """Has the allocator of Polars, which is not loaded yet, give back memory later, and from fewer places.

    Tables are made and dropped many times a second. By default four arenas per core keep what is dropped for half a
    second each, and a fifth of an estimate's time goes into asking the kernel for it anew.
    """
    os.environ.setdefault("_RJEM_MALLOC_CONF", "narenas:2,dirty_decay_ms:2000")


def main() -> None:
    """Run the command line and end the process with its exit code."""
    _keep_freed_memory()
    _tell_warnings()
    try:
        app()
    except WinfError as error:
        tell(f"winf: {error}", style="bold red", always=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        tell("winf: interrupted", always=True)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader of the pipe has had enough
        sys.exit(0)
    except Exception as error:
        if os.environ.get("WINF_TRACEBACK"):
            raise
        kind = type(error).__name__
        tell(
            f"winf: internal error: {kind}: {error}\nSet WINF_TRACEBACK=1 to see where.", style="bold red", always=True
        )
        sys.exit(1)


def _tell_warnings() -> None:
    """Make the package's own warnings sentences for the user; those of libraries stay as they are."""
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if category.__module__.startswith("winf_analyzer."):
            tell(f"winf: {message}", style="yellow")
        else:
            usual(message, category, *place, **more)

    setattr(warnings, "showwarning", show)  # noqa: B010 (its declared type has names for what is passed through)
