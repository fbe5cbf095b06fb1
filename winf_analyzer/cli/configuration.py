"""Defaults of options from ``winf.toml`` and the environment.

What is written on the command line counts first, then ``WINF_<COMMAND>_<OPTION>``, ``WINF_<OPTION>``, the ``winf.toml``
of the working directory, that of the user (``~/.config/winf/winf.toml``), and at last the default of the option::

    memory = "2G"          # of every command that has the option

    [estimate]
    window = "500ms"       # of this command

Options that name secrets or outputs, ``force``, and what an anonymized dataset keeps, are taken from the command line
alone: a file that lies in a folder of recordings must not direct what is written where, or what is published.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from winf_analyzer._util.errors import UsageError

FILE = "winf.toml"
MAX_FILE_BYTES = 1 << 16
REFUSED = frozenset(
    {
        "output",
        "data",
        "force",
        "key",
        "key_file",
        "keep_vendor",
        "help",
        "version",
        "save_world",
        "install_completion",
        "show_completion",
    }
)
"""Options that neither files nor variables set."""

Names = Mapping[str, str]
"""Long names of options, with underscores, and the names of their parameters."""


def defaults(command: Any, every: Callable[[], Mapping[str, Names]], own: Names) -> dict[str, Any]:
    """The defaults of a command's options, by the names of its parameters.

    Args:
        command: the Click command.
        every: names of the options of each command, by which misspelt ones are told; asked for where there is a file.
        own: those of this command.

    Raises:
        UsageError: a file cannot be read, or sets what is no option.
    """
    found: dict[str, Any] = {}
    for path in (_user_file(), Path(FILE)):
        found |= _from_file(path, command.name, own, every)
    variables = {name: os.environ.get(f"WINF_{name.upper()}") for name in own if name not in REFUSED}
    found |= {name: value for name, value in variables.items() if value}
    return {own[name]: value for name, value in found.items()}


def name_variables(command: str, options: Iterable[Any]) -> None:
    """Name the variables of options whose parameters have other names, which Click would take: ``--all`` is `every`.

    Keep it from reading any for options of the command line alone: ``WINF_VERSION`` may mean anything.
    """
    for option in options:
        name = _long_name(option)
        if name in REFUSED:
            option.allow_from_autoenv = False
        elif option.param_type_name == "option" and name != option.name:
            option.envvar = f"WINF_{command}_{name}".replace("-", "_").upper()


def option_names(command: Any) -> Names:
    """Of a Click command's options."""
    return {_long_name(each): each.name for each in command.params if each.param_type_name == "option"}


def _long_name(option: Any) -> str:
    """`--as-this`, with underscores."""
    long = (each[2:].replace("-", "_") for each in option.opts if each.startswith("--"))
    return next(long, str(option.name))


def _from_file(path: Path, command: str, own: Names, listed: Callable[[], Mapping[str, Names]]) -> dict[str, Any]:
    content = _read(path)
    if not content:
        return {}
    every, found = listed(), dict[str, Any]()
    for key, value in content.items():
        if isinstance(value, dict):
            if key not in every:
                raise UsageError(f"{path}: [{key}] is no command; there are {', '.join(every)}.")
            continue
        name = _option(path, key, set().union(*every.values()), "any command")
        if name in own:
            found[name] = _plain(path, key, value)
    for key, value in content.get(command, {}).items():
        found[_option(path, key, own, f"winf {command}")] = _plain(path, key, value)
    return found


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():  # a pipe in a folder of recordings would be waited for
        return {}
    from winf_analyzer._util.toml_files import read_toml

    return read_toml(path, "file of defaults", MAX_FILE_BYTES)


def _option(path: Path, key: str, known: Collection[str], whose: str) -> str:
    name = key.replace("-", "_")
    if name in REFUSED:
        raise UsageError(f"{path}: {key} is taken from the command line alone.")
    if name not in known:
        raise UsageError(f"{path}: {key} is no option of {whose}.")
    return name


def _plain(path: Path, key: str, value: Any) -> Any:
    if isinstance(value, str | int | float | bool) or (
        isinstance(value, list) and all(isinstance(each, str | int | float) for each in value)
    ):
        return value
    raise UsageError(f"{path}: {key}: a text, a number, true, false, or a list of them is expected.")


def _user_file() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "winf" / FILE
