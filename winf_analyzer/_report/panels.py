"""The registry of panels, ``reports/panels.toml``.

A panel names a query of ``queries/`` (or contains a SELECT), the chart kind, what the metric means, and the message of
an empty panel. To add a panel, add an entry there, and a query if none returns its numbers yet.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Quantity:
    """A column of the rows, its title and its scale."""

    column: str
    title: str
    """Title with the unit."""
    scale: float = 1.0
    """Factor from the column's unit to the display unit."""
    bar: bool = False
    """In a table: draw a bar behind the value, in proportion to ``full`` or the column's largest value."""
    bar_relative_to: str = ""
    """In a table: the column whose largest value is a full bar; by default this one."""
    error: str = ""
    """Points: the column with the half-width of the value's confidence interval."""
    to: str = ""
    """In a table: the column with the upper end of the interval, or the receiver of the link, that begins here."""
    detail: str = ""
    """In a table: the column whose text stands below this one's, smaller."""
    optional: bool = False
    """In a table: leave the column out where it is empty."""
    low: str = ""
    """Lines and points: the column with the lower end of the value's interval."""
    high: str = ""
    """The upper end."""
    from_zero: bool = True
    """The axis starts at zero, so that lengths are proportional to values."""
    full: float | None = None
    """End of the axis, or value of a full bar, in display units; by default the largest value."""


@dataclass(frozen=True)
class Requirement:
    """Rows that the dataset must have for the panel to be meaningful."""

    table: str
    where: str
    """SQL condition that at least one row of the table must fulfil."""
    otherwise: str
    """Message of the panel if none does."""


@dataclass(frozen=True)
class Panel:
    """A panel of the report."""

    name: str
    section: str
    title: str
    chart: str
    """A chart kind of `contents.CHARTS`, such as ``lines``, ``bars`` or ``table``."""
    caption: str
    """What the metric is."""
    empty: str
    """Message if there are no rows."""
    query: str = ""
    """Name of a query; its parameter ``window_s``, if any, is set according to the dataset's span."""
    parameters: dict[str, float] = field(default_factory=dict)
    """Values of other parameters of the query."""
    sql: str = ""
    """In place of a query: a SELECT that is only useful in this panel."""
    fact: str = ""
    """Key of ``dataset.json`` without which the panel is left out."""
    requires: tuple[Requirement, ...] = ()
    x: Quantity = Quantity("", "")
    y: Quantity = Quantity("", "")
    series: tuple[str, ...] = ()
    """Columns that identify a line, or that name a bar."""
    stack: str | None = None
    """Bars: the column that divides a bar into parts."""
    zero_within: tuple[str, ...] = ()
    """Lines: a missing window is 0 if these columns identify a single line, else it is a gap."""
    rank_by: str | None = None
    """Bars: column by which the drawn bars are selected; by default the value."""
    zero: str = ""
    """Bars: message if every value is 0."""
    of: str | None = None
    """Bars: the column with the total that a share refers to, printed beside it."""
    others: bool = False
    """Bars: sum the bars beyond the limit into one."""
    limit: int = 8
    """Maximum number of lines, bars or rows."""
    optional: bool = False
    """Leave the panel out, rather than say what is missing, where a requirement is not met."""
    several: bool = False
    """Leave the panel out of reports of a single recording."""
    filter: bool = False
    """Table: with a field that filters rows by words."""
    columns: tuple[Quantity, ...] = ()
    """Columns of a table; plots of small multiples, from top to bottom."""


@dataclass(frozen=True)
class PanelLayout:
    """The registry of panels and glossary entries."""

    sections: dict[str, str]
    """Title by name, in order."""
    panels: tuple[Panel, ...]
    glossary: dict[str, str] = field(default_factory=dict)
    """Definition by term."""


@cache
def layout() -> PanelLayout:
    """Read the registry."""
    text = (files("winf_analyzer") / "reports" / "panels.toml").read_text(encoding="utf-8")
    declared = tomllib.loads(text)
    return PanelLayout(
        sections=declared["sections"],
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
        elif name == "requires":
            fields[name] = tuple(Requirement(**requirement) for requirement in value)
        elif isinstance(value, list):
            fields[name] = tuple(value)
    return Panel(**fields)
