"""Chart kind ``curves``: points with confidence intervals, joined along x."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from winf_analyzer._report.points import points

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import Drawing, ReportContext
    from winf_analyzer._report.panels import Panel


def curves(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """Draw one curve per series, in the order of x."""
    drawing = points(panel, rows.sort(panel.x.column, maintain_order=True), context)
    figures = [
        {**figure, "data": [{**trace, "mode": "lines+markers"} for trace in figure["data"]]}
        for figure in drawing.figures
    ]
    return replace(drawing, figures=figures)
