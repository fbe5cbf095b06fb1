"""How much a command says: `-v` and `-q`, before the command's name or behind it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, get_annotations, signature
from typing import Annotated, Any

import typer

from winf_analyzer.cli.console import set_verbosity

Verbose = Annotated[int, typer.Option("-v", "--verbose", count=True, help="Say more.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Say nothing but errors.")]

_OPTIONS = {"verbose": (Verbose, 0), "quiet": (Quiet, False)}


def speaking(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the two options, which count over those before its name."""

    @wraps(command)
    def spoken(*args: Any, verbose: int, quiet: bool, **rest: Any) -> None:
        if verbose or quiet:
            set_verbosity(-1 if quiet else verbose)
        command(*args, **rest)

    own = signature(command, eval_str=True)
    added = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in _OPTIONS.items()
    ]
    setattr(spoken, "__signature__", own.replace(parameters=[*own.parameters.values(), *added]))  # noqa: B010
    spoken.__annotations__ = get_annotations(command, eval_str=True) | {
        name: kind for name, (kind, _) in _OPTIONS.items()
    }
    return spoken
