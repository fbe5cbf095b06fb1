"""Chart kind ``bars``: one horizontal bar per station or link, divided by kind where the panel stacks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import Drawing, axis, base_layout
from winf_analyzer._report.labels import DARK2, KINDS, number, worded
from winf_analyzer._report.sanitize import label, rounded

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import Setting
    from winf_analyzer._report.panels import Panel

LINE_HEIGHT = 28
"""Of one line of a bar's name, pixels."""

Parts = Counter[str]
"""Value of each part of a bar by kind, in shown units; of an undivided bar under the empty text."""


def bars(panel: Panel, rows: pl.DataFrame, setting: Setting) -> Drawing:
    """Draw the largest on top; those beyond the limit are summed into the last bar, or named in a note."""
    known = rows.drop_nulls(panel.x.column)
    if known.is_empty():
        return Drawing()
    if panel.zero and not any(known[panel.x.column]):
        return Drawing(message=panel.zero)
    groups = dict(known.group_by(panel.series, maintain_order=True))
    ranked = sorted(groups, key=lambda key: -groups[key][panel.rank_by or panel.x.column].sum())
    drawn, rest = ranked[: panel.limit], ranked[panel.limit :]
    bars = {_name(panel, key): _parts(panel, groups[key]) for key in drawn}
    bars = dict(sorted(bars.items(), key=lambda bar: -bar[1].total()))
    notes = []
    if rest:
        which = f"with most {panel.rank_by}" if panel.rank_by else "largest"
        notes.append(f"The {len(drawn)} {which} of {len(ranked)}{'; the last bar sums the others' * panel.others}.")
    if rest and panel.others:
        bars[f"others ({len(rest)})"] = sum((_parts(panel, groups[key]) for key in rest), Parts())
    met = {part for parts in bars.values() for part in parts}
    divisions = [kind for kind in KINDS if kind in met] + sorted(met.difference(KINDS))
    layout = base_layout(110 + LINE_HEIGHT * len(panel.series) * len(bars)) | {
        "barmode": "stack",
        "bargap": 0.3,
        "xaxis": axis(panel.x),
        "yaxis": {"type": "category", "autorange": "reversed", "automargin": True, "showgrid": False},
        "showlegend": bool(panel.stack),
    }
    counts = {_name(panel, key): number(float(groups[key][panel.of].sum())) for key in drawn} if panel.of else {}
    data = [_trace(panel, part, bars, counts) for part in divisions]
    return Drawing(figures=[{"data": data, "layout": layout}], notes=notes)


def _name(panel: Panel, key: tuple[Any, ...]) -> str:
    """Name a bar; each part of the name on a line of its own, to fit narrow screens."""
    return " →<br>".join(label(worded(column, value)) for column, value in zip(panel.series, key, strict=True))


def _parts(panel: Panel, rows: pl.DataFrame) -> Parts:
    kinds = rows[panel.stack].to_list() if panel.stack else [""] * rows.height
    parts = Parts()
    for kind, value in zip(kinds, rows[panel.x.column].to_list(), strict=True):
        parts[kind] += value * panel.x.scale
    return parts


def _trace(panel: Panel, part: str, bars: dict[str, Parts], counts: dict[str, str]) -> dict[str, Any]:
    name, place = KINDS.get(part, (part, -1)) if part else (panel.title, 0)
    return {
        "type": "bar",
        "orientation": "h",
        "name": label(name),
        "y": list(bars),
        "x": [rounded(parts[part]) for parts in bars.values()],
        "marker": {"color": DARK2[place]},
        "customdata": [counts.get(bar, "") for bar in bars],
        "texttemplate": "%{x:.3g} % of %{customdata}" if counts else "",
        "hovertemplate": "%{y}: %{x:.5g}<extra>%{fullData.name}</extra>",
    }
