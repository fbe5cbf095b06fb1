"""What the commands of `winf` say of themselves: for their pages in the documentation and for the man pages."""

from __future__ import annotations

from typing import Any, NamedTuple

import typer
from typer.main import get_command

from winf_analyzer.cli.app import COMMANDS, app
from winf_analyzer.cli.command import Command, help_record, load


class Parameter(NamedTuple):
    """An argument or option."""

    names: str
    """With the name of its value."""
    help: str


class Facts(NamedTuple):
    """A command."""

    name: str
    summary: str
    details: list[str]
    """Further paragraphs of the help text."""
    usage: str
    parameters: list[Parameter]
    examples: tuple[str, ...]


def commands() -> list[Facts]:
    """Every command, in the order of `winf --help`."""
    program: Any = get_command(app)
    context = typer.Context(program, info_name="winf")
    return [_facts(load(name), program.get_command(context, name), context) for name in COMMANDS]


def _facts(command: Command, click: Any, parent: Any) -> Facts:
    context = typer.Context(click, info_name=command.name, parent=parent)
    paragraphs = [" ".join(text.split()) for text in (click.help or "").split("\n\n")]
    records = [help_record(each, context) for each in click.params]
    parameters = [Parameter(*record) for record in records if record is not None]
    usage = " ".join(click.get_usage(context).removeprefix("Usage: ").split())
    return Facts(command.name, command.summary, paragraphs[1:], usage, parameters, command.examples)
