"""The registry of queries: one question per ``.sql`` file, described by the comment lines it starts with.

::

    -- title: Retry rate by link
    -- param minimum = 10: links with fewer data frames are left out
    -- column retry_share: share of them with the Retry bit
    select ...
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from winf_analyzer._util.errors import UsageError

Value = str | int | float | bool | None
"""What a parameter of a query may be."""

_HEADER = re.compile(r"^-- (?P<key>title|param|column) ?(?P<name>\w+)?(?: = (?P<default>[^:]+))?: (?P<text>.+)$")


@dataclass(frozen=True)
class NamedQuery:
    """A named query."""

    name: str
    title: str
    sql: str
    parameters: dict[str, tuple[float | str, str]]
    """Default value and documentation of each ``$name`` parameter."""
    columns: dict[str, str]
    """Documentation of each column, unit included."""

    def values(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """The defaults with ``given`` values in their place.

        Raises:
            UsageError: a parameter the query does not have.
        """
        if unknown := sorted(set(given) - set(self.parameters)):
            known = ", ".join(self.parameters) or "none"
            raise UsageError(f"query {self.name} has no parameter {unknown[0]!r}; it has: {known}.")
        return {name: default for name, (default, _) in self.parameters.items()} | dict(given)


@cache
def named_queries() -> dict[str, NamedQuery]:
    """Every question by name, sorted."""
    folder = files("winf_analyzer") / "queries"
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return {question.name: question for question in map(_read, found)}


def question(name: str) -> NamedQuery:
    """The question called ``name``.

    Raises:
        UsageError: there is none; the message lists the names.
    """
    known = named_queries()
    if name not in known:
        raise UsageError(f"no query {name!r}; known: {', '.join(known)}.")
    return known[name]


def _read(entry: Traversable) -> NamedQuery:
    text = entry.read_text(encoding="utf-8")
    title, parameters, columns = "", {}, {}
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        header = _HEADER.match(line)
        if header is None:
            raise ValueError(f"{entry.name}: header line not understood: {line}")
        match header["key"]:
            case "title":
                title = header["text"]
            case "param":
                parameters[header["name"]] = (_literal(header["default"]), header["text"])
            case "column":
                columns[header["name"]] = header["text"]
    return NamedQuery(entry.name.removesuffix(".sql"), title, text, parameters, columns)


def _literal(text: str) -> float | str:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text.strip().strip("'")
