"""What a command module declares, and how it becomes a Typer command."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import typer

from winf_analyzer.cli.global_options import with_global_options


class Command(NamedTuple):
    """A command of `winf`."""

    name: str
    function: Callable[..., None]
    """Its parameters are the options, its docstring is the help text."""
    examples: tuple[str, str]
    """Command lines shown at the end of the help text."""
    needs_arguments: bool = True
    """Without arguments it prints its help text instead of running."""
    computes: bool = True
    """It has `--memory` and `--timeout`."""


def register(app: typer.Typer, command: Command) -> None:
    """Add a command to the program, with the options that every command has."""
    epilog = "Examples:\n\n" + "\n\n".join(f"$ {example}" for example in command.examples)
    function = with_global_options(command.function, computes=command.computes)
    app.command(command.name, epilog=epilog, no_args_is_help=command.needs_arguments)(function)
