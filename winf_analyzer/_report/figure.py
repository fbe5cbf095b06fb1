"""What a chart kind returns: Plotly figures as plain data, a table, notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from winf_analyzer._report.labels import Palette
from winf_analyzer._report.panels import Panel, Quantity


@dataclass(frozen=True)
class ReportContext:
    """What all panels of one report share."""

    window_s: float
    """Width of the windows over time, s."""
    span_s: float = 0.0
    """From the first exchange to the end of the last, s; for disjoint recordings that of the longest one."""
    origins_s: dict[str, float] = field(default_factory=dict)
    """Start of each recording after the first one, s, if they are disjoint: each has its own time axis then."""
    palette: Palette = field(default_factory=Palette)


@dataclass(frozen=True)
class Cell:
    """A table cell."""

    text: str
    sort: float | str | None = None
    """Sort key."""
    share: float | None = None
    """Length of its bar, 0 to 1."""


@dataclass(frozen=True)
class Table:
    """A table: columns and rows."""

    columns: tuple[Quantity, ...]
    numeric: tuple[bool, ...]
    rows: list[list[Cell]]


@dataclass(frozen=True)
class Drawing:
    """The drawn panel."""

    figures: list[dict[str, Any]] = field(default_factory=list)
    """Plotly figures: data and layout."""
    choices: dict[str, Any] | None = None
    """Explorer and agreement: the traces by link and view."""
    table: Table | None = None
    message: str | None = None
    """Message if there is nothing to draw; by default the panel's."""
    notes: list[str] = field(default_factory=list)
    """Notes on what was left out or averaged."""


def axis(quantity: Quantity) -> dict[str, Any]:
    """A value axis with the unit in its title; it starts at zero, so that lengths are proportional to values."""
    shape: dict[str, Any] = {"title": {"text": quantity.title}, "automargin": True}
    if quantity.full is not None:
        return shape | {"range": [0, quantity.full]}
    return shape | {"rangemode": "tozero"}


def time_axis(quantity: Quantity, context: ReportContext) -> dict[str, Any]:
    """A time axis over the whole span, the same for all charts of the report."""
    shape = axis(quantity) | {"autorangeoptions": {"include": [0, context.span_s]}}
    return shape | {"title": {"text": "Time since the recording's first exchange (s)"}} if context.origins_s else shape


def base_layout(height: int) -> dict[str, Any]:
    """The layout that all figures share; the page sets colours of text and grid."""
    return {
        "height": height,
        "margin": {"l": 56, "r": 12, "t": 12, "b": 48},
        "legend": {"orientation": "h", "traceorder": "normal", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "hovermode": "closest",
        "hoverlabel": {"namelength": -1},
    }


def legend_height(names: int) -> int:
    """Height of a legend above the figure with three names per line, pixels."""
    return 20 * (names // 3)


def full_result_hint(panel: Panel) -> str:
    """Where to find all rows of a panel."""
    return f"`winf sql DATASET --query {panel.query}` prints all." if panel.query else "The dataset contains all."
