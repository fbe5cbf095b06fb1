"""Chart kind ``bars``: one horizontal bar per station or link, optionally stacked by kind."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import Drawing, axis, base_layout
from winf_analyzer._report.labels import DARK2, KINDS, STATIONS, display_text, format_number
from winf_analyzer._report.sanitize import escape_controls, round_significant

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel

LINE_HEIGHT = 28
"""Height of one line of a bar's name, pixels."""

Parts = Counter[str]
"""Value of each part of a bar by kind, in display units; the key of an undivided bar is the empty string."""


def bars(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """Draw the largest bar on top; those beyond the limit are summed into the last bar, or counted in a note."""
    rows_with_values = rows.drop_nulls(panel.x.column)
    if rows_with_values.is_empty():
        return Drawing()
    if panel.zero and not any(rows_with_values[panel.x.column]):
        return Drawing(message=panel.zero)
    groups = dict(rows_with_values.group_by(panel.series, maintain_order=True))
    ranked = sorted(groups, key=lambda key: -groups[key][panel.rank_by or panel.x.column].sum())
    shown, remaining = ranked[: panel.limit], ranked[panel.limit :]
    bars = {_bar_name(panel, key, context): _parts(panel, groups[key]) for key in shown}
    bars = dict(sorted(bars.items(), key=lambda bar: -bar[1].total()))
    notes = []
    if remaining:
        which = f"with most {panel.rank_by}" if panel.rank_by else "largest"
        notes.append(f"The {len(shown)} {which} of {len(ranked)}{'; the last bar sums the others' * panel.others}.")
    if remaining and panel.others:
        bars[f"others ({len(remaining)})"] = sum((_parts(panel, groups[key]) for key in remaining), Parts())
    present = {part for parts in bars.values() for part in parts}
    divisions = [kind for kind in KINDS if kind in present] + sorted(present.difference(KINDS))
    layout = base_layout(110 + LINE_HEIGHT * len(panel.series) * len(bars)) | {
        "barmode": "stack",
        "bargap": 0.3,
        "xaxis": axis(panel.x),
        "yaxis": {"type": "category", "autorange": "reversed", "automargin": True, "showgrid": False},
        "showlegend": bool(panel.stack),
    }
    counts = (
        {_bar_name(panel, key, context): format_number(float(groups[key][panel.of].sum())) for key in shown}
        if panel.of
        else {}
    )
    data = [_bar_trace(panel, part, bars, counts) for part in divisions]
    return Drawing(figures=[{"data": data, "layout": layout}], notes=notes)


def _bar_name(panel: Panel, key: tuple[Any, ...], context: ReportContext) -> str:
    """Name of a bar, one line per part to fit narrow screens."""
    return " →\n".join(
        escape_controls(context.name(value) if column in STATIONS and value else display_text(column, value))
        for column, value in zip(panel.series, key, strict=True)
    )


def _parts(panel: Panel, rows: pl.DataFrame) -> Parts:
    kinds = rows[panel.stack].to_list() if panel.stack else [""] * rows.height
    parts = Parts()
    for kind, value in zip(kinds, rows[panel.x.column].to_list(), strict=True):
        parts[kind] += value * panel.x.scale
    return parts


def _bar_trace(panel: Panel, part: str, bars: dict[str, Parts], counts: dict[str, str]) -> dict[str, Any]:
    name, index = KINDS.get(part, (part, -1)) if part else (panel.title, 0)
    return {
        "type": "bar",
        "orientation": "h",
        "name": escape_controls(name),
        "y": list(bars),
        "x": [round_significant(parts[part]) for parts in bars.values()],
        "marker": {"color": DARK2[index]},
        "notes": [f"{_short(parts[part])} % of {counts[bar]}" for bar, parts in bars.items()] if counts else None,
    }


def _short(percent: float) -> str:
    """With three significant digits."""
    return format_number(float(f"{percent:.3g}"))
