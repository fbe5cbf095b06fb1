"""What a chart kind returns: figures as plain data, a table, notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from winf_analyzer._names import Names
from winf_analyzer._report.labels import STATIONS, Palette, display_text, format_number
from winf_analyzer._report.panels import Panel, Quantity
from winf_analyzer._report.sanitize import escape_controls
from winf_analyzer._report.spells import Spell


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
    name: Names = field(default_factory=Names)
    """What stations are called."""
    recordings: int = 1
    """Recordings and views of nodes that have exchanges."""
    sources: int = 1
    """Recordings that have frames."""
    events: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    """Of each recording instants, s, and what happened then."""
    spells: list[Spell] = field(default_factory=list)
    """Whose exchanges are shown one by one."""
    findings: dict[str, str] = field(default_factory=dict)
    """Of each recording the title of the first finding that is claimed."""

    def centre(self, start_s: float, width_s: float) -> float:
        """Where a window is plotted, s: the middle of what the recordings cover of it."""
        end_s = start_s + width_s
        if start_s < self.span_s and end_s > 0:
            start_s, end_s = max(start_s, 0), min(end_s, self.span_s)
        return (start_s + end_s) / 2


@dataclass(frozen=True)
class Cell:
    """A table cell."""

    text: str
    sort: float | str | None = None
    """Sort key."""
    share: float | None = None
    """Length of its bar, 0 to 1."""
    detail: str = ""
    """What stands below the text, smaller."""


@dataclass(frozen=True)
class TableFigure:
    """A table: columns and rows."""

    columns: tuple[Quantity, ...]
    numeric: tuple[bool, ...]
    rows: list[list[Cell]]


@dataclass(frozen=True)
class Drawing:
    """The drawn panel."""

    figures: list[dict[str, Any]] = field(default_factory=list)
    """Figures: data and layout, in the form that Plotly reads too."""
    switches: list[tuple[str, list[str]]] = field(default_factory=list)
    """Labels and options of what the reader chooses to see one figure of several."""
    variants: dict[str, int] = field(default_factory=dict)
    """Index of a figure by its options, joined with ``|``."""
    lanes: dict[str, Any] | None = None
    """Swim lanes."""
    choices: dict[str, Any] | None = None
    """Explorer and agreement: the traces by link and view."""
    table: TableFigure | None = None
    message: str | None = None
    """Message if there is nothing to draw; by default the panel's."""
    notes: list[str] = field(default_factory=list)
    """Notes on what was left out or averaged."""


def window_note(width_s: float, context: ReportContext) -> str:
    """What a point over time stands for."""
    if context.span_s and width_s >= context.span_s:
        return (
            f"A point covers the whole recording, {format_number(context.span_s, 3)} s, and is plotted at its centre."
        )
    return f"Each point covers {format_number(width_s, 3)} s and is plotted at its centre."


def shown_view_note(source: str, observer: str | None, context: ReportContext) -> list[str]:
    """Of several recordings, or views of nodes in one, which one a figure shows; nothing where there is one."""
    if context.recordings < 2:
        return []
    if context.sources > 1:
        return [f"Recording {escape_controls(source)}, which has the most airtime of {context.recordings}."]
    who = display_text("observer", None) if observer is None else context.name(observer)
    return [f"As {escape_controls(who)} heard it, which has the most airtime of {context.recordings} views."]


def view_label(state: str | None, node: str | None, source: str, observer: str | None, *, several_sources: bool) -> str:
    """Whose estimate it is: the station's in that state, or the recording's, and who recorded it where; escaped."""
    owner = "the recording" if state is None else f"{state} {node or '(anonymous sniffer)'}"
    if observer is not None and observer != node:
        owner += f", recorded by {observer}"
    return escape_controls(f"{owner} · {display_text('source', source)}" if several_sources else owner)


def axis(quantity: Quantity) -> dict[str, Any]:
    """A value axis with the unit in its title; it starts at zero unless the quantity has no zero."""
    shape: dict[str, Any] = {"title": {"text": quantity.title}, "automargin": True}
    if quantity.full is not None:
        return shape | {"range": [0, quantity.full]}
    return shape | {"rangemode": "tozero" if quantity.from_zero else "normal"}


def time_axis(quantity: Quantity, context: ReportContext) -> dict[str, Any]:
    """A time axis over the whole span, the same for all charts of the report."""
    shape = axis(quantity) | {"autorangeoptions": {"include": [0, context.span_s]}}
    return shape | {"title": {"text": "Time since the recording's first exchange (s)"}} if context.origins_s else shape


def series_name(columns: Sequence[str], key: Sequence[Any], which: Sequence[int], context: ReportContext) -> str:
    """Name of a series by the columns `which` of its key; sender and receiver become a link."""
    texts: dict[str, str] = {}
    for index in which:
        column, value = columns[index], key[index]
        texts[column] = context.name(value) if column in STATIONS and value else display_text(column, value)
    if "sender" in columns and "receiver" in columns and set(texts) & {"sender", "receiver"}:
        ends = [context.name(key[columns.index(end)]) for end in ("sender", "receiver")]
        texts.pop("receiver", None)
        texts = {**texts, "sender": " → ".join(ends)}
    return " · ".join(texts.values())


def base_layout(height: int) -> dict[str, Any]:
    """The layout that all figures share; the page sets colours of text and grid."""
    return {
        "height": height,
    }


def full_result_hint(panel: Panel) -> str:
    """Where to find all rows of a panel."""
    return f"`winf sql DATASET --query {panel.query}` prints all." if panel.query else "The dataset contains all."
