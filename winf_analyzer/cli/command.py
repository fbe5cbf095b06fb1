"""What a command module declares, and how it becomes a Typer command."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import typer

from winf_analyzer.cli.verbosity import with_verbosity


class Command(NamedTuple):
    """A command of `winf`."""

    name: str
    function: Callable[..., None]
    """Its parameters are the options, its docstring is the help text."""
    examples: tuple[str, str]
    """Command lines shown at the end of the help text."""
    needs_arguments: bool = True
    """Without arguments it prints its help text instead of running."""


def register(app: typer.Typer, command: Command) -> None:
    """Add a command to the program, with `-v` and `-q`."""
    epilog = "Examples:\n\n" + "\n\n".join(f"$ {example}" for example in command.examples)
    app.command(command.name, epilog=epilog, no_args_is_help=command.needs_arguments)(with_verbosity(command.function))
