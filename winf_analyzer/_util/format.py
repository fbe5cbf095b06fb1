"""Text formats of values for tables and messages."""

import os
from pathlib import Path
from typing import Any

from winf_analyzer._util.errors import UsageError

EMPTY = "an empty name, such as an empty variable of a shell gives; the present folder is '.'."


def given_path(name: str | os.PathLike[str]) -> Path:
    """The path of a name that a user gave: the empty one would be the present folder, with whatever is in it.

    Raises:
        UsageError: it is empty.
    """
    if not os.fspath(name):
        raise UsageError(EMPTY)
    return Path(name)


def format_value(value: Any) -> str:
    """A value as text: at most 6 significant digits, control characters escaped, null as a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"
    return printable(str(value))


def path_text(path: str | os.PathLike[str]) -> str:
    r"""A path as text that every table and file can hold: octets of it that are not UTF-8 become ``\xNN``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def not_utf8(path: str | os.PathLike[str]) -> str | None:
    """A sentence if tables cannot lie at a path: what reads and writes them takes paths in UTF-8; None if they can."""
    real = os.path.realpath(path)
    try:
        real.encode()
    except UnicodeEncodeError:
        try:
            os.fsencode(real).decode()
        except UnicodeDecodeError:
            why = "the path has octets that are not UTF-8, where tables cannot be. Rename it or choose another."
        else:
            why = "the path has letters that this locale lacks. Set LC_ALL=C.UTF-8."
        return f"{path_text(path)}: {why}"
    return None


def printable(text: str, *, keep: str = "") -> str:
    r"""The text as a terminal may show it: characters that are not printable become ``\xNN`` or ``\uNNNN``.

    These are control characters, which start escape sequences, those that change the direction of writing, and octets
    of file names that are not UTF-8. Characters in `keep` stay.
    """
    return "".join(c if c.isprintable() or c in keep else escaped(c) for c in text)


def escaped(character: str) -> str:
    r"""A character as ``\x1b``, ``\u202e`` or ``\U000e0001``."""
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
