"""Worlds as TOML files that a person can read and edit, and that replay to the same bits."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from winf_analyzer._replay.topologies import World
from winf_analyzer._util.errors import UsageError

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LINE = 100
"""Arrays longer than this are written over several lines."""


def save_world(world: World, path: str | os.PathLike[str], notes: Iterable[str] = ()) -> None:
    """Write a world as TOML.

    Args:
        world: the world.
        path: the file; an existing one is not replaced.
        notes: what was assumed, written as comments at the top.

    Raises:
        UsageError: the file exists or cannot be written, or its name does not end in ``.toml``.
    """
    target = Path(path)
    if target.suffix != ".toml":
        raise UsageError(f"{target}: the name of a world must end in .toml, so that --topology reads it.")
    try:
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(world_to_toml(world, notes))
    except FileExistsError:
        raise UsageError(f"{target}: exists already; name another file.") from None
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror}.") from None


def world_to_toml(world: World, notes: Iterable[str] = ()) -> str:
    """A world as TOML: single values first, then a table per node, link and flow. Values of None are left out."""
    lines = [f"# {line}" for note in notes for line in note.splitlines()]
    single = {key: value for key, value in world.items() if not _has_tables(value)}
    lines += [f"{_key(key)} = {_value(value)}" for key, value in single.items() if value is not None]
    for key, value in world.items():
        if key in single:
            continue
        for table in value if isinstance(value, list) else [value]:
            head = f"[[{_key(key)}]]" if isinstance(value, list) else f"[{_key(key)}]"
            body = [f"{_key(name)} = {_value(entry)}" for name, entry in table.items() if entry is not None]
            lines += ["", head, *body]
    return "\n".join(lines) + "\n"


def _has_tables(value: Any) -> bool:
    """Whether a value is written as a table or tables of its own."""
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key)


def _value(value: Any) -> str:
    """A value; long arrays are broken into lines, which TOML allows within inline tables too."""
    if isinstance(value, Mapping):
        entries = (f"{_key(key)} = {_value(entry)}" for key, entry in value.items() if entry is not None)
        return f"{{ {', '.join(entries)} }}"
    text = _inline(value)
    if isinstance(value, list) and value and len(text) > _LINE:
        return "[\n" + "".join(f"    {_inline(entry)},\n" for entry in value) + "]"
    return text


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(k)} = {_inline(v)}' for k, v in value.items() if v is not None)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_inline(entry) for entry in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return str(value)
    # TOML's basic strings are JSON's, except for DEL.
    return json.dumps(value).replace("\x7f", "\\u007f")
