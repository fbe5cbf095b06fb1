"""The registry of panels, ``reports/panels.toml``: what the report shows, declared.

A panel names a question of ``queries/`` (or a SELECT), how its rows are drawn, what the metric means and what an empty
panel says.
Adding one adds an entry there, and a question where none has the numbers yet.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Quantity:
    """A column of the rows, and how it is named and scaled where it is shown."""

    column: str
    title: str
    """With the unit."""
    scale: float = 1.0
    """Factor from the column's unit to the shown one."""
    bar: bool = False
    """In a table: draw the value as a bar too, in proportion to ``full`` or the largest of the column."""
    against: str = ""
    """In a table: the column whose largest value is a whole bar, where it is not this one."""
    error: str = ""
    """Points: the column with half the width of the value's confidence interval."""
    full: float | None = None
    """End of the axis, or length of a whole bar, in shown units; by default what the largest value needs."""


@dataclass(frozen=True)
class Need:
    """What must be in the dataset for the panel to mean anything."""

    table: str
    where: str
    """A condition that at least one row of the table fulfils."""
    says: str
    """What the panel says where none does."""


@dataclass(frozen=True)
class Panel:
    """One thing the report shows."""

    name: str
    section: str
    title: str
    chart: str
    """``lines``, ``bars``, ``explorer``, ``agreement``, ``strips``, ``points`` or ``table``."""
    caption: str
    """What the metric is."""
    empty: str
    """What the panel says where there are no rows."""
    question: str = ""
    """Name of a question; a parameter ``window_s`` of it is chosen to suit the dataset's span."""
    sql: str = ""
    """In place of a question: a SELECT that is of no use outside the panel."""
    needs: tuple[Need, ...] = ()
    x: Quantity = Quantity("", "")
    y: Quantity = Quantity("", "")
    series: tuple[str, ...] = ()
    """Columns that tell the lines apart; or the columns that name a bar."""
    stack: str | None = None
    """Bars: the column that divides a bar into parts."""
    zero_within: tuple[str, ...] = ()
    """Lines: a missing x counts as 0 where these columns have one line only; elsewhere it is a gap."""
    rank_by: str | None = None
    """Bars: where not all can be drawn, those with most of this column are; by default of the value."""
    zero: str = ""
    """Bars: what the panel says where every value is 0."""
    of: str | None = None
    """Bars: the column that a share refers to, told beside it."""
    others: bool = False
    """Bars: the ones not drawn are summed into one."""
    limit: int = 8
    """How many lines, bars or rows are drawn."""
    columns: tuple[Quantity, ...] = ()
    """Columns of a table; of strips, from top to bottom."""


@dataclass(frozen=True)
class Headline:
    """One number at the top, from a question's first row."""

    label: str
    question: str
    table: str
    """What the question is about; without it the number is unknown."""
    column: str
    hint: str
    """What it is; ``{column}`` stands for other values of the row."""
    scale: float = 1.0
    unit: str = ""
    unknown: str = ""
    """What is said in place of the hint where the value is unknown."""


@dataclass(frozen=True)
class Layout:
    """The registry."""

    sections: dict[str, str]
    """Title by name, in order."""
    headlines: tuple[Headline, ...]
    panels: tuple[Panel, ...]
    glossary: dict[str, str] = field(default_factory=dict)
    """Definition by term."""


@cache
def layout() -> Layout:
    """Read the registry."""
    text = (files("winf_analyzer") / "reports" / "panels.toml").read_text(encoding="utf-8")
    declared = tomllib.loads(text)
    return Layout(
        sections=declared["sections"],
        headlines=tuple(Headline(**entry) for entry in declared["headlines"]),
        panels=tuple(_panel(entry) for entry in declared["panels"]),
        glossary=declared["glossary"],
    )


def _panel(entry: dict[str, Any]) -> Panel:
    fields = dict(entry)
    for name, value in entry.items():
        if name in ("x", "y"):
            fields[name] = Quantity(**value)
        elif name == "columns":
            fields[name] = tuple(Quantity(**column) for column in value)
        elif name == "needs":
            fields[name] = tuple(Need(**need) for need in value)
        elif isinstance(value, list):
            fields[name] = tuple(value)
    return Panel(**fields)
