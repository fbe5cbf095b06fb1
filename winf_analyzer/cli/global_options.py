"""Options of every command: `-v`, `-q` and `--wide`, and `--memory` and `--timeout` of those that compute."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, get_annotations, signature
from typing import Annotated, Any

import typer

from winf_analyzer._util.durations import parse_ns
from winf_analyzer._util.errors import InterruptedRun, UsageError
from winf_analyzer._util.interrupts import time_limit
from winf_analyzer._util.memory import parse_size, set_memory_limit
from winf_analyzer.cli.console import set_verbosity
from winf_analyzer.cli.output import set_wide
from winf_analyzer.cli.progress import progress_line
from winf_analyzer.cli.streams import ClosedPipe

Verbose = Annotated[int, typer.Option("-v", "--verbose", count=True, show_default=False, help="More status messages.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Errors only, no status messages.")]
Wide = Annotated[
    bool, typer.Option("--wide", help="Print all columns of tables, also where the terminal is too narrow.")
]
Memory = Annotated[
    str | None,
    typer.Option("--memory", metavar="SIZE", help="Memory to use; default: a quarter of the machine's, at most 4G."),
]
Timeout = Annotated[str | None, typer.Option("--timeout", metavar="TIME", help="Stop after this time, with code 1.")]

_VERBOSITY: dict[str, tuple[Any, Any]] = {"verbose": (Verbose, 0), "quiet": (Quiet, False), "wide": (Wide, False)}
_LIMITS: dict[str, tuple[Any, Any]] = {"memory": (Memory, None), "timeout": (Timeout, None)}


def with_global_options(command: Callable[..., None], *, computes: bool) -> Callable[..., None]:
    """The command with the options added; those of verbosity override the ones before its name."""

    @wraps(command)
    def wrapped(
        *args: Any,
        verbose: int,
        quiet: bool,
        wide: bool,
        memory: str | None = None,
        timeout: str | None = None,
        **rest: Any,
    ) -> None:
        set_wide(wide)
        if verbose or quiet:
            set_verbosity(-1 if quiet else verbose)
        try:
            set_memory_limit(None if memory is None else parse_size(memory))
        except ValueError as error:
            raise UsageError(f"--memory: {error}.") from None
        try:
            seconds = None if timeout is None else parse_ns(timeout) / 1e9
        except ValueError as error:
            raise UsageError(f"--timeout: {error}.") from None
        try:
            with time_limit(seconds, f"stopped after {timeout} (--timeout)"), progress_line(command.__name__):
                command(*args, **rest)
        except BrokenPipeError:
            raise ClosedPipe from None
        except KeyboardInterrupt:  # Click would turn it into its own message and code
            raise InterruptedRun("interrupted") from None

    own = signature(command, eval_str=True)
    options = _VERBOSITY | (_LIMITS if computes else {})
    added = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    ]
    setattr(wrapped, "__signature__", own.replace(parameters=[*own.parameters.values(), *added]))  # noqa: B010
    wrapped.__annotations__ = get_annotations(command, eval_str=True) | {
        name: kind for name, (kind, _) in options.items()
    }
    return wrapped
