"""Decryption keys: from a file, the environment, a prompt, or the command line, which other users can see."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from winf_analyzer._util.errors import UsageError
from winf_analyzer.cli.console import finish_line, print_status

PROMPT = "-"
"""In place of a key: ask for it."""

VARIABLE = "WINF_KEY"
"""Variable of the environment with keys, one per line."""

MAX_FILE_BYTES = 1 << 20

Key = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY|-",
        help="Decryption key, for tshark: wep:HEX, wpa-psk:HEX or wpa-pwd:PASSPHRASE:SSID; -: ask. Other users see what"
        " is written here: prefer -, --key-file or the variable WINF_KEY. Repeatable.",
    ),
]
KeyFile = Annotated[
    Path | None, typer.Option("--key-file", metavar="FILE", help="Keys, one per line; # begins a comment line.")
]


def given_keys(key: list[str] | None, key_file: Path | None, decoder: str) -> list[str]:
    """The keys of options and environment; those of the environment only where the decoder takes keys.

    Raises:
        UsageError: the file cannot be read, or there is nobody to ask.
    """
    keys = [_asked() if given == PROMPT else given for given in key or []]
    if key_file is not None:
        keys += _lines(_content(key_file))
    if decoder == "tshark":
        keys += _lines(os.environ.get(VARIABLE, ""))
    if any(given != PROMPT for given in key or []):
        print_status(
            f"winf: other users of this machine can see --key; use --key -, --key-file or {VARIABLE}.", style="yellow"
        )
    return keys


def _asked() -> str:
    import getpass

    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(f"--key {PROMPT}: standard input is no terminal; use --key-file or {VARIABLE}.")
    finish_line()
    return getpass.getpass("Key: ")


def _content(path: Path) -> str:
    try:
        with path.open("rb") as file:
            octets = file.read(MAX_FILE_BYTES + 1)
        if len(octets) > MAX_FILE_BYTES:
            raise UsageError(f"--key-file {path}: larger than {MAX_FILE_BYTES >> 20} MiB.")
        return octets.decode("utf-8")
    except OSError as error:
        raise UsageError(f"--key-file {path}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"--key-file {path}: not text.") from None


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
