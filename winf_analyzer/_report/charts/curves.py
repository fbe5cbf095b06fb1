"""Chart kind ``curves``: points with confidence intervals, joined along x, one curve per combination of parameters."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from winf_analyzer._report.charts.points import points
from winf_analyzer._report.sanitize import escape_controls

if TYPE_CHECKING:
    from winf_analyzer._report.figure import Drawing, ReportContext
    from winf_analyzer._report.panels import Panel


def curves(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """Draw one curve per series, in the order of x; the axis has the parameter's name where there is one."""
    names = rows["varied"].drop_nulls().unique().to_list()
    if len(names) == 1:
        panel = replace(panel, x=replace(panel.x, title=escape_controls(names[0])))
    combinations = {text: _parameters(text) for text in rows["others"].drop_nulls().unique()}
    order = {
        text: place for place, text in enumerate(sorted(combinations, key=lambda each: _sort_key(combinations[each])))
    }
    ordered = rows.sort(
        pl.col("controller"),
        pl.col("others").replace_strict(order, default=None, return_dtype=pl.Int64),
        panel.x.column,
        maintain_order=True,
    ).with_columns(
        others=pl.col("others").replace({text: _said(parameters) for text, parameters in combinations.items()})
    )
    drawing = points(panel, ordered, context)
    figures = [{**figure, "data": [_joined(trace, context) for trace in figure["data"]]} for figure in drawing.figures]
    return replace(drawing, figures=figures)


def _joined(trace: dict[str, Any], context: ReportContext) -> dict[str, Any]:
    line = {"color": trace["marker"]["color"], "dash": context.palette.dash(trace["name"]), "width": 1.5}
    return {**trace, "mode": "lines+markers", "line": line}


def _parameters(text: str) -> dict[str, Any]:
    """The other parameters of a point; the text under no name where it is no JSON."""
    try:
        parsed = json.loads(text)
    except ValueError:
        return {"": text}
    return parsed if isinstance(parsed, dict) else {"": text}


def _sort_key(parameters: dict[str, Any]) -> list[tuple[str, bool, float, str]]:
    """Numbers by value, before texts."""
    return [
        (name, not isinstance(value, int | float), float(value) if isinstance(value, int | float) else 0.0, str(value))
        for name, value in sorted(parameters.items())
    ]


def _said(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}".strip() for name, value in sorted(parameters.items())) or "no other parameter"
