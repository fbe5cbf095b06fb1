"""The registry of named queries: one ``.sql`` file each, described by the comment lines at its start.

::

    -- title: Retry rate by link
    -- param minimum = 10 (1 to 1000): minimum number of data frames of a link
    -- column retry_share: share of data frames with the Retry bit
    select ...

What is in parentheses behind the default value is what may be given: from one number to another, either of which may be
left out, or one of several words. A parameter whose default is a whole number takes whole numbers, and so on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from winf_analyzer._util.errors import UsageError

ParameterValue = str | int | float | bool | None
"""Types of query parameters."""

_HEADER = re.compile(
    r"^-- (?P<key>title|param|column) ?(?P<name>\w+)?"
    r"(?: = (?P<default>[^:(]+?)(?: \((?P<allowed>[^)]*)\))?)?: (?P<text>.+)$"
)
_RANGE = re.compile(r"(?P<least>\S*) ?to ?(?P<most>\S*)")


@dataclass(frozen=True)
class Allowed:
    """What a parameter takes, besides the type of its default value."""

    text: str
    """As the query's header has it."""
    least: float = -math.inf
    most: float = math.inf
    words: tuple[str, ...] = ()


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
    allowed: dict[str, Allowed] = field(default_factory=dict)
    """Of some parameters what they take."""

    def parameter_values(self, values: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
        """The default values, overridden by ``values``.

        Raises:
            UsageError: the query has no such parameter, or it does not take that value.
        """
        if unknown := sorted(set(values) - set(self.parameters)):
            known = ", ".join(self.parameters) or "none"
            raise UsageError(f"query {self.name} has no parameter {unknown[0]!r}; it has: {known}.")
        defaults = {name: default for name, (default, _) in self.parameters.items()}
        given = {name: self._checked(name, value, defaults[name]) for name, value in values.items()}
        return {**defaults, **given}

    def _checked(self, name: str, value: ParameterValue, default: float | str) -> float | str:
        allowed = self.allowed.get(name, Allowed(""))
        if isinstance(default, str):
            if value is not None and (not allowed.words or value in allowed.words):
                return str(value)
            said = f"one of {allowed.text}" if allowed.words else "a text"
        else:
            number = _number(value, whole=isinstance(default, int))
            if number is not None and allowed.least <= number <= allowed.most:
                return number
            said = "a whole number" if isinstance(default, int) else "a number"
            said += _range(allowed)
        raise UsageError(f"query {self.name}: {name} is {said}, not {value!r}.")


@cache
def named_queries() -> dict[str, NamedQuery]:
    """Every query by name, sorted."""
    folder = files("winf_analyzer") / "queries"
    entries = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return {query.name: query for query in map(_read, entries)}


def named_query(name: str) -> NamedQuery:
    """The query called ``name``.

    Raises:
        UsageError: there is none; the message lists the known names.
    """
    known = named_queries()
    if name not in known:
        raise UsageError(f"no query {name!r}; known: {', '.join(known)}.")
    return known[name]


def _read(entry: Traversable) -> NamedQuery:
    text = entry.read_text(encoding="utf-8")
    title, parameters, columns, allowed = "", {}, {}, {}
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
                if header["allowed"]:
                    allowed[header["name"]] = _allowed(header["allowed"])
            case "column":
                columns[header["name"]] = header["text"]
    return NamedQuery(entry.name.removesuffix(".sql"), title, text, parameters, columns, allowed)


def _allowed(text: str) -> Allowed:
    if found := _RANGE.fullmatch(text):
        return Allowed(text, float(found["least"] or -math.inf), float(found["most"] or math.inf))
    return Allowed(text, words=tuple(text.split(", ")))


def _range(allowed: Allowed) -> str:
    """Words about the least and the most."""
    least, _, most = (each.strip() for each in allowed.text.partition("to"))
    return (f" from {least}" if least else "") + (f" to {most}" if most else " on" if least else "")


def _number(value: ParameterValue, *, whole: bool) -> float | None:
    """A finite number that DuckDB takes, whole if it has to be; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if not whole:
        return float(value)
    return int(value) if value == int(value) and abs(value) < 2**63 else None


def _literal(text: str) -> float | str:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text.strip().strip("'")
