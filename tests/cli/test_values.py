"""Values of options are what Typer makes of them, and so are the errors."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.main import get_command

from winf_analyzer.cli.values import convert_plainly


class Colour(StrEnum):
    red = "red"
    green = "green"


def _given(*arguments: str, plainly: bool) -> object:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    kept: list[object] = []

    @app.command()
    def keep(
        paths: list[Path],
        text: str | None = None,
        number: Annotated[int, typer.Option(min=0, max=9)] = 1,
        share: float | None = None,
        colour: Colour = Colour.red,
        words: list[str] | None = None,
        several: list[int] | None = None,
        flag: bool = False,
        count: Annotated[int, typer.Option("-c", count=True)] = 0,
    ) -> None:
        kept.append((paths, text, number, share, colour, words, several, flag, count))

    command = get_command(app)
    if plainly:
        convert_plainly(command.params)
    try:
        command(list(arguments), standalone_mode=False)
    except Exception as error:
        return type(error), str(error)
    return kept


@pytest.mark.parametrize(
    "arguments",
    [
        ["a", "b"],
        ["a", "--text", "x", "--number", "9", "--share", "1e-3", "--colour", "green"],
        ["a", "--words", "x", "--words", "", "--several", "1", "--several", "02", "--flag", "-cc"],
        ["a", "--number", "10"],
        ["a", "--number", "-1"],
        ["a", "--number", "1.5"],
        ["a", "--number", "1_0"],
        ["a", "--share", "x"],
        ["a", "--colour", "blue"],
        ["a", "--several", "x"],
        [],
    ],
)
def test_same_values_and_errors_as_typers(arguments):
    assert _given(*arguments, plainly=True) == _given(*arguments, plainly=False)
