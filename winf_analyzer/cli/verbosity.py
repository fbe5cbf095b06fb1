"""The options `-v` and `-q`, before or after the name of the command."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, get_annotations, signature
from typing import Annotated, Any

import typer

from winf_analyzer.cli.console import set_verbosity

Verbose = Annotated[int, typer.Option("-v", "--verbose", count=True, help="More status messages.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Errors only, no status messages.")]

_OPTIONS = {"verbose": (Verbose, 0), "quiet": (Quiet, False)}


def with_verbosity(command: Callable[..., None]) -> Callable[..., None]:
    """The command with both options added; they override those before its name."""

    @wraps(command)
    def wrapped(*args: Any, verbose: int, quiet: bool, **rest: Any) -> None:
        if verbose or quiet:
            set_verbosity(-1 if quiet else verbose)
        command(*args, **rest)

    own = signature(command, eval_str=True)
    added = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in _OPTIONS.items()
    ]
    setattr(wrapped, "__signature__", own.replace(parameters=[*own.parameters.values(), *added]))  # noqa: B010
    wrapped.__annotations__ = get_annotations(command, eval_str=True) | {
        name: kind for name, (kind, _) in _OPTIONS.items()
    }
    return wrapped
