"""What each column tells of people and places, ``columns.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from winf_analyzer import _schema
from winf_analyzer._util.errors import DatasetError

NUMBERS = {"int32", "int64", "float64", "bool", "list<int32>"}
"""Types that hold no text."""


@cache
def _declared() -> dict[str, str]:
    text = files("winf_analyzer._anonymize").joinpath("columns.toml").read_text(encoding="utf-8")
    groups = tomllib.loads(text)
    return {column: kind for group in groups.values() for kind, columns in group.items() for column in columns}


def kinds(table: str) -> dict[str, str]:
    """Kind of each column of a table that is not simply kept, in the order of the schema.

    Raises:
        DatasetError: a column of text is not declared, so that nobody knows what it may tell.
    """
    found = {}
    for column in _schema.table(table).columns:
        kind = _declared().get(f"{table}.{column.name}", _declared().get(column.name))
        if kind is None and column.type not in NUMBERS:
            raise DatasetError(f"{table}.{column.name}: what this column may tell is not declared.")
        if kind not in (None, "kept", "duration"):
            found[column.name] = kind
    return found
