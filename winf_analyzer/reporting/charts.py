"""Chart kinds: lines over time, and bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer.reporting.figure import Drawing, axis, base_layout, more
from winf_analyzer.reporting.neutral import label, rounded
from winf_analyzer.reporting.wording import DARK2, KINDS, number, varying, worded

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer.reporting.panels import Panel
    from winf_analyzer.reporting.figure import Setting
    from winf_analyzer.reporting.wording import Palette

LINE_HEIGHT = 320
BAR_HEIGHT = 26


def lines(panel: Panel, rows: pl.DataFrame, setting: Setting) -> Drawing:
    """Draw one line per series, those with most of y; each point stands in the middle of its window."""
    x, y = panel.x, panel.y
    groups = {key: group for key, group in rows.group_by(panel.series, maintain_order=True)}
    ranked = sorted(groups, key=lambda key: -(groups[key][y.column].sum() or 0.0))
    drawn = ranked[: panel.limit]
    window, palette = setting.window_s, setting.palette
    within = [panel.series.index(name) for name in panel.zero_within]
    said = varying(panel.series, list(groups))
    data: list[dict[str, Any]] = []
    for key in drawn:
        alone = sum(all(other[i] == key[i] for i in within) for other in groups) == 1
        xs, ys = _filled(groups[key], x.column, y.column, window, 0.0 if alone and within else None)
        name = " · ".join(worded(panel.series[place], key[place]) for place in said)
        data.append({
            "type": "scatter",
            "mode": "lines+markers",
            "name": label(name),
            "x": [round((value + window / 2) * x.scale, 6) for value in xs],
            "y": [rounded(None if value is None else value * y.scale) for value in ys],
            "line": {"color": palette.colour(name), "dash": palette.dash(name), "width": 1.5},
            "marker": {"size": 3},
            "hovertemplate": "%{y:.4g} at %{x:.4g} s<extra>%{fullData.name}</extra>",
        })
    layout = base_layout(LINE_HEIGHT) | {
        "xaxis": axis(x),
        "yaxis": axis(y),
        "showlegend": len(data) > 1,
    }
    notes = [f"Windows of {number(window)} s."]
    if len(ranked) > len(drawn):
        notes.append(f"The {len(drawn)} busiest of {len(ranked)} lines. {more(panel)}")
    return Drawing(figures=[{"data": data, "layout": layout}], notes=notes)


def bars(panel: Panel, rows: pl.DataFrame, setting: Setting) -> Drawing:
    """Draw one horizontal bar per name, divided by kind where the panel stacks; the largest on top."""
    groups = {key: group for key, group in rows.group_by(panel.series, maintain_order=True)}
    rank_by = panel.rank_by or panel.x.column
    ranked = sorted(groups, key=lambda key: -(groups[key][rank_by].sum() or 0.0))
    names = {key: " → ".join(worded(c, v) for c, v in zip(panel.series, key, strict=True)) for key in ranked}
    drawn, rest = ranked[: panel.limit], ranked[panel.limit :]
    totals = {names[key]: _parts(groups[key], panel) for key in drawn}
    order = sorted(totals, key=lambda name: -sum(value or 0.0 for value in totals[name].values()))
    notes = []
    if rest and panel.others:
        name = f"others ({len(rest)})"
        totals[name] = _summed([_parts(groups[key], panel) for key in rest])
        order.append(name)
    if rest:
        what = "the others are summed into the last bar" if panel.others else "the others are not drawn"
        notes.append(f"The first {len(drawn)} of {len(ranked)} by {rank_by.removesuffix('_ms')}; {what}.")
    parts = [kind for kind in KINDS if any(kind in total for total in totals.values())] if panel.stack else [None]
    data = [_bar(panel, setting.palette, part, order, totals) for part in parts]
    layout = base_layout(110 + BAR_HEIGHT * len(order)) | {
        "barmode": "stack",
        "bargap": 0.3,
        "xaxis": axis(panel.x),
        "yaxis": {"type": "category", "autorange": "reversed", "automargin": True, "showgrid": False},
        "showlegend": bool(panel.stack),
    }
    return Drawing(figures=[{"data": data, "layout": layout}], notes=notes)


def _bar(
    panel: Panel, palette: Palette, part: str | None, order: list[str], totals: dict[str, dict[str | None, float | None]]
) -> dict[str, Any]:
    name, colour = (panel.title, palette.colour(panel.name)) if part is None else (KINDS[part][0], DARK2[KINDS[part][1]])
    return {
        "type": "bar",
        "orientation": "h",
        "name": label(name),
        "y": [label(bar) for bar in order],
        "x": [rounded(totals[bar].get(part)) for bar in order],
        "marker": {"color": colour},
        "hovertemplate": "%{y}: %{x:.5g}<extra>%{fullData.name}</extra>",
    }


def _parts(group: pl.DataFrame, panel: Panel) -> dict[str | None, float | None]:
    """Return the value of each part of one bar, in shown units."""
    parts: dict[str | None, float | None] = {}
    kinds = group[panel.stack].to_list() if panel.stack else [None] * group.height
    for kind, value in zip(kinds, group[panel.x.column].to_list(), strict=True):
        if value is not None:
            parts[kind] = (parts.get(kind) or 0.0) + value * panel.x.scale
    return parts


def _summed(several: list[dict[str | None, float | None]]) -> dict[str | None, float | None]:
    total: dict[str | None, float | None] = {}
    for parts in several:
        for part, value in parts.items():
            total[part] = (total.get(part) or 0.0) + (value or 0.0)
    return total


def _filled(
    group: pl.DataFrame, x: str, y: str, step: float, missing: float | None
) -> tuple[list[float], list[float | None]]:
    """Return the points with one more wherever a window is missing, so that no line bridges it."""
    xs: list[float] = []
    ys: list[float | None] = []
    for value_x, value_y in group.select(x, y).sort(x).iter_rows():
        while xs and value_x - xs[-1] > 1.5 * step:
            xs.append(xs[-1] + step)
            ys.append(missing)
        xs.append(value_x)
        ys.append(value_y)
    return xs, ys
