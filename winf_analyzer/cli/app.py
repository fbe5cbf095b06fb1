"""The program `winf`: its commands, global options, exit codes and error messages."""

from __future__ import annotations

import atexit
import os
import select
import sys
import threading
import warnings
from contextlib import suppress
from typing import Annotated, Any

import typer

import winf_analyzer
from winf_analyzer._util import interrupts
from winf_analyzer._util.errors import InterruptedRun, WinfError
from winf_analyzer._util.os_errors import out_of_files
from winf_analyzer.cli.command import Commands
from winf_analyzer.cli.configuration import Names, defaults, option_names
from winf_analyzer.cli.console import print_status, set_verbosity
from winf_analyzer.cli.global_options import Quiet, Verbose
from winf_analyzer.cli.streams import (
    ClosedPipe,
    allow_every_text,
    discard_output,
    flush_output,
    output_error,
    reserve_streams,
)

COMMANDS = (
    "info",
    "ingest",
    "merge",
    "anonymize",
    "estimate",
    "replay",
    "sweep",
    "collect",
    "compare",
    "validate",
    "sql",
    "report",
    "export",
    "diff",
    "why",
    "analyze",
    "demo",
    "reproduce",
    "history",
    "undo",
    "gc",
    "check",
    "repair",
    "list",
)
"""Modules of this package, each with one `COMMAND`, in the order of `winf --help`."""


class _Program(Commands):
    names = COMMANDS


app = typer.Typer(
    name="winf",
    help="Capacity and available bandwidth of 802.11 networks, from recordings.",
    no_args_is_help=True,
    cls=_Program,
    rich_markup_mode=None,  # plain text: Rich's renderer of Markdown takes as long to load as everything else here
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "WINF"},
)


def _print_version(requested: bool) -> None:
    if requested:
        print(f"winf {winf_analyzer.__version__}")
        raise typer.Exit


@app.callback(epilog="Examples:  winf demo  ·  winf analyze capture.pcap -o out")
def options(
    context: typer.Context,
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
    if context.invoked_subcommand and not context.resilient_parsing:
        _set_defaults(context)


def _set_defaults(context: typer.Context) -> None:
    """Let files and variables set defaults of the command that is about to run."""
    name = str(context.invoked_subcommand)
    command = context.command.get_command(context, name)  # type: ignore[attr-defined]
    if command is not None:
        own = option_names(command)
        context.default_map = {name: defaults(command, lambda: _options_of_all(context), own)}


def _options_of_all(context: typer.Context) -> dict[str, Names]:
    program = context.command
    return {name: option_names(program.get_command(context, name)) for name in COMMANDS}  # type: ignore[attr-defined]


def _configure_allocator() -> None:
    """Set the allocator of Polars, which is not loaded yet, to use one arena, whatever the number of cores.

    An estimate allocates and frees tables many times a second. With four arenas per core, the default, a fifth of its
    time goes into requesting pages from the kernel again. A second arena, or pages returned later than after half a
    second, saves no time and holds up to 200 MiB more of a recording of 100 000 stations.
    """
    os.environ.setdefault("_RJEM_MALLOC_CONF", "narenas:1,dirty_decay_ms:500")


def program() -> None:
    """:func:`main` as all that its process does, which ends with it.

    Python would take apart what it holds, for an eighth of the time of a short command; the memory goes anyway.
    """
    try:
        main()
    except SystemExit as end:
        if threading.active_count() > 1 or not isinstance(end.code, int):
            raise  # the interpreter waits for threads
        atexit._run_exitfuncs()
        discard_output()  # what of it cannot be written
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
        os._exit(end.code)


def main() -> None:
    """Run the command line and exit with its code."""
    _configure_allocator()
    reserve_streams()
    allow_every_text()
    _format_own_warnings()
    code = _run()  # outside, so that no traceback keeps the objects of the run alive
    if interrupts.interrupted():
        os._exit(code)  # the interpreter would wait for threads, and libraries complain of what they still hold
    sys.exit(code)


def _run() -> int:
    """Run the command line; returns the exit code."""
    try:
        with interrupts.watched(_forced_end):
            try:
                app()
            finally:
                flush_output()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except (ClosedPipe, BrokenPipeError):
        discard_output()  # the reader closed the pipe, as `head` does
    except (InterruptedRun, KeyboardInterrupt) as error:
        return _report_interrupt(str(error) or "interrupted")
    except WinfError as error:
        _fail(str(error))
        return error.exit_code
    except BaseException as error:  # a panic of native code is no Exception, and an import that a signal ends may panic
        if interrupts.interrupted():  # how a library reports the signal is its own affair
            return _report_interrupt("interrupted")
        if os.environ.get("WINF_TRACEBACK"):
            raise
        if sentence := out_of_files(error):
            _fail(sentence)
        elif isinstance(error, OSError):
            _fail(output_error(error))
        else:
            _fail(f"internal error: {type(error).__name__}: {error}\nSet WINF_TRACEBACK=1 for the traceback.")
        return 1
    return 0


def _fail(message: str) -> None:
    discard_output()
    print_status(f"winf: {message}", style="bold red", always=True)


def _report_interrupt(message: str) -> int:
    """Say why the run ended early; returns the exit code."""
    reason = interrupts.expired()
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            # Nothing is imported for this, unlike for coloured messages: the user waits. A full pipe would wait, too.
            if select.select([], [sys.stderr], [], 0)[1]:
                os.write(sys.stderr.fileno(), f"winf: {reason or message}\n".encode())
    return WinfError.exit_code if reason else InterruptedRun.exit_code


def _forced_end() -> int:
    return _report_interrupt("interrupted")


def _format_own_warnings() -> None:
    """Print the package's warnings as status messages; those of libraries keep Python's format."""
    default = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *location: Any, **more: Any) -> None:
        if category.__module__.startswith("winf_analyzer."):
            print_status(f"winf: {message}", style="yellow")
        else:
            default(message, category, *location, **more)

    setattr(warnings, "showwarning", show)  # noqa: B010 (its declared type names the parameters passed through)
