"""What a command module declares, and how the program loads it: only the module of the command that runs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import cleandoc
from typing import Any, ClassVar, NamedTuple

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.main import get_command

from winf_analyzer.cli.configuration import name_variables
from winf_analyzer.cli.values import convert_plainly


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

    @property
    def summary(self) -> str:
        """The first paragraph of the help text."""
        return " ".join(cleandoc(self.function.__doc__ or "").partition("\n\n")[0].split())


class Commands(TyperGroup):
    """A program whose commands are modules of this package, each imported when its command is named."""

    names: ClassVar[tuple[str, ...]] = ()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before the name of the command."""
        options = self.get_params(ctx)
        convert_plainly(options)
        name_variables("", options)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the help text."""
        del ctx
        return list(self.names)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name; None if there is none, and all are loaded then, for suggestions."""
        for name in self.names if cmd_name not in self.names else (cmd_name,):
            if name not in self.commands:
                self.commands[name] = _typer_command(load(name))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List names and summaries; options are not needed for that."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, load(name).summary) for name in self.names])


class _PlainCommand(TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        options = self.get_params(ctx)
        convert_plainly(options)
        name_variables(str(self.name), options)
        # A query may begin with a comment of SQL; no option has a space behind its dashes.
        args = [f" {each}" if each.startswith("--") and each[2:3].isspace() else each for each in args]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What the usage line lists: arguments as their metavars spell them, dots and brackets included."""
        arguments = [each for each in self.get_params(ctx) if isinstance(each, TyperArgument) and not each.hidden]
        return [self.options_metavar or "", *(each.display_name_raw for each in arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List arguments and options."""
        parameters = self.get_params(ctx)
        for title, listed in (
            ("Arguments", [each for each in parameters if isinstance(each, TyperArgument)]),
            ("Options", [each for each in parameters if not isinstance(each, TyperArgument)]),
        ):
            records = [record for each in listed if (record := help_record(each, ctx)) is not None]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def help_record(parameter: Any, context: Any) -> tuple[str, str] | None:
    """Name and help text of an argument or option; None of a hidden one.

    The types of arguments are left out: what they are, their help texts say.
    """
    record: tuple[str, str] | None = parameter.get_help_record(context)
    if record is None or not isinstance(parameter, TyperArgument):
        return record
    return parameter.display_name_raw, record[1]


def load(name: str) -> Command:
    """The command that the module of that name declares."""
    command: Command = import_module(f"winf_analyzer.cli.{name}").COMMAND
    return command


def _typer_command(command: Command) -> Any:
    """The command with the options that every command has, as Typer runs it."""
    from winf_analyzer.cli.global_options import with_global_options

    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    epilog = "Examples:\n\n" + "\n\n".join(f"$ {example}" for example in command.examples)
    function = with_global_options(command.function, computes=command.computes)
    app.command(
        command.name,
        cls=_PlainCommand,
        epilog=epilog,
        no_args_is_help=command.needs_arguments,
        context_settings={"help_option_names": ["-h", "--help"]},
    )(function)
    return get_command(app)
