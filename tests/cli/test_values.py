"""Values of options are what Typer makes of them; what it refuses is refused in plain words."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command

from winf_analyzer._util.errors import UsageError
from winf_analyzer.cli.values import convert_plainly


class Colour(StrEnum):
    red = "red"
    green = "green"


def _given(*arguments: str, plainly: bool, variables: str | None = None) -> Any:
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
        command(list(arguments), standalone_mode=False, auto_envvar_prefix=variables)
    except Exception as error:
        return type(error), str(error)
    return kept


@pytest.mark.parametrize(
    "arguments",
    [
        ["a", "b"],
        ["a", "--text", "x", "--number", "9", "--share", "1e-3", "--colour", "green"],
        ["a", "--words", "x", "--words", "", "--several", "1", "--several", "02", "--flag", "-cc"],
        [],
    ],
)
def test_same_values_as_typers(arguments):
    assert _given(*arguments, plainly=True) == _given(*arguments, plainly=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--number", "10"], "--number: 10 is more than 9, the most."),
        (["--number", "-1"], "--number: -1 is less than 0, the least."),
        (["--number", "1.5"], "--number: '1.5' is not a whole number."),
        (["--number", "1_0"], "--number: 1_0 is more than 9, the most."),
        (["--share", "x"], "--share: 'x' is not a number."),
        (["--colour", "blue"], "--colour: 'blue' is not one of red, green."),
        (["--several", "1", "--several", "x"], "--several: 'x' is not a whole number."),
    ],
)
def test_what_typer_refuses_is_refused_in_plain_words(arguments, said):
    kind, _ = _given("a", *arguments, plainly=False)
    assert kind is typer.BadParameter
    assert _given("a", *arguments, plainly=True) == (UsageError, said)


@pytest.mark.parametrize(("text", "value"), [("No", False), ("on", True), ("1", True), ("maybe", None)])
def test_a_variable_switches_an_option_on_or_off(monkeypatch, text, value):
    monkeypatch.setenv("KEEP_FLAG", text)
    given = _given("a", plainly=True, variables="KEEP")
    assert given == _given("a", plainly=False, variables="KEEP") or value is None
    if value is None:
        assert given == (UsageError, "--flag: 'maybe' is neither true nor false.")
    else:
        assert given[0][7] is value
