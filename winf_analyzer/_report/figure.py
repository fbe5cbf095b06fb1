"""What a chart kind hands over: Plotly figures as plain data, a table, notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from winf_analyzer._report.labels import Palette
from winf_analyzer._report.panels import Panel, Quantity


@dataclass(frozen=True)
class Setting:
    """What the panels of one report have in common."""

    window_s: float
    """Width of the windows over time, s."""
    span_s: float = 0.0
    """From the first exchange to the end of the last, s; where recordings lie apart, of the longest of them."""
    origins_s: dict[str, float] = field(default_factory=dict)
    """Where recordings lie apart: when each begins, s after the first. Time is then told from each one's beginning."""
    palette: Palette = field(default_factory=Palette)


@dataclass(frozen=True)
class Cell:
    """A table cell."""

    text: str
    sort: float | str | None = None
    """What it is sorted by."""
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
    """A panel drawn."""

    figures: list[dict[str, Any]] = field(default_factory=list)
    """Plotly figures: data and layout."""
    choices: dict[str, Any] | None = None
    """Explorer and agreement: what their figures can show, by link and view."""
    table: Table | None = None
    message: str | None = None
    """What is said where there is nothing to draw; by default what the panel says for that."""
    notes: list[str] = field(default_factory=list)
    """What was left out or averaged."""


def axis(quantity: Quantity) -> dict[str, Any]:
    """A value axis: its title has the unit, and it starts at zero so that lengths compare."""
    shape: dict[str, Any] = {"title": {"text": quantity.title}, "automargin": True}
    if quantity.full is not None:
        return shape | {"range": [0, quantity.full]}
    return shape | {"rangemode": "tozero"}


def time_axis(quantity: Quantity, setting: Setting) -> dict[str, Any]:
    """A time axis: the whole span, so that the report's charts compare."""
    shape = axis(quantity) | {"autorangeoptions": {"include": [0, setting.span_s]}}
    return shape | {"title": {"text": "Time since the recording's first exchange (s)"}} if setting.origins_s else shape


def base_layout(height: int) -> dict[str, Any]:
    """The layout all figures share; colours of text and grid are the page's."""
    return {
        "height": height,
        "margin": {"l": 56, "r": 12, "t": 12, "b": 48},
        "legend": {"orientation": "h", "traceorder": "normal", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "hovermode": "closest",
        "hoverlabel": {"namelength": -1},
    }


def legend_height(names: int) -> int:
    """Room for a legend above the figure, three names in a line, pixels."""
    return 20 * (names // 3)


def more(panel: Panel) -> str:
    """Say where the rest of a panel's rows is."""
    return f"`winf sql DATASET --query {panel.question}` has all." if panel.question else "The dataset has all."
