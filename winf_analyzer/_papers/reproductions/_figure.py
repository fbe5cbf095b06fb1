"""A figure as the paper has it: curves over places, confidence intervals, printed values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from winf_analyzer._papers.reproductions._metrics import METRICS
from winf_analyzer._papers.reproductions._run import Outcome
from winf_analyzer._papers.reproductions._study import Curve, Figure, Study, X

if TYPE_CHECKING:
    import plotly.graph_objects as go

WIDTH = 130
"""Characters of a line above the figure."""
MANY = 12
"""From so many curves on, marks and intervals would hide the lines."""


def write_figure(study: Study, figure: Figure, outcome: Outcome, path: Path) -> go.Figure:
    """One HTML file that holds everything it needs; what was drawn."""
    from plotly.subplots import make_subplots  # slow to import

    panels = list(dict.fromkeys(curve.panel for curve in figure.drawn(study.arms)))
    titles = panels if len(panels) > 1 else None
    x, y = _axes(study, figure, outcome)
    drawing = make_subplots(
        rows=len(panels),
        cols=1,
        shared_xaxes=True,
        shared_yaxes="all",
        vertical_spacing=0.06,
        subplot_titles=titles,
        y_title=y.pop("title", None),
    )
    if figure.grid:
        _draw_grid(drawing, study, figure, outcome)
    elif figure.across:
        _draw_across(drawing, figure, outcome)
    else:
        for curve in figure.drawn(study.arms):
            _draw_curve(drawing, study, curve, figure, outcome, panels)
        _draw_printed(drawing, figure, outcome)
    drawing.update_xaxes(**{key: value for key, value in x.items() if key != "title"})
    drawing.update_xaxes(title=x["title"], row=len(panels), col=1)
    drawing.update_yaxes(**y)
    verdict = wrap(outcome.verdict(figure), WIDTH)
    drawing.update_layout(
        title={
            "text": "<br>".join(wrap(f"{figure.item}: {study.title}", WIDTH * 2 // 3)),
            "subtitle": {"text": "<br>".join(verdict)},
        },
        margin={"t": 100 + 15 * len(verdict)},
        template="simple_white",
        height=(200 * len(panels) if titles else 480) + 15 * len(verdict),
    )
    drawing.write_html(path, include_plotlyjs=True, full_html=True)
    return drawing


def _draw_curve(
    drawing: go.Figure, study: Study, curve: Curve, figure: Figure, outcome: Outcome, panels: Sequence[str]
) -> None:
    shown = figure.shows(outcome.places)
    values = [outcome.mean(curve.metric, curve.arm, place) for place in shown]
    widths = [outcome.half_width(curve.metric, curve.arm, place) or 0.0 for place in shown]
    if figure.normalised:
        most = max((value for value in values if value is not None), default=0.0) or 1.0
        values = [None if value is None else value / most for value in values]
        widths = [width / most for width in widths]
    many = len(figure.curves) > MANY
    drawing.add_scatter(
        x=_positions(shown),
        y=values,
        error_y=None if many else {"type": "data", "array": widths},
        name=_legend(study, curve),
        mode="lines" if many else "lines+markers",
        line={"dash": "dash" if curve.dashed else "solid", "width": 1 if many else 2},
        showlegend=not many,
        row=panels.index(curve.panel) + 1,
        col=1,
    )


def _legend(study: Study, curve: Curve) -> str:
    """Its name; of what runs as printed it says so."""
    modes = {arm.label: arm.mode for arm in study.arms}
    told = study.recorded or "paper" in curve.name or not modes[curve.arm].startswith("paper")
    return curve.name if told else f"{curve.name}, paper"


def _draw_printed(drawing: go.Figure, figure: Figure, outcome: Outcome) -> None:
    shown = figure.shows(outcome.places)
    for name, level in figure.levels.items():
        ends = _positions(shown)[:: max(1, len(shown) - 1)]
        drawing.add_scatter(x=ends, y=[level] * len(ends), name=name, mode="lines", line={"dash": "dash"})
    for label, printed in figure.printed.items():
        drawing.add_scatter(
            x=_positions(shown),
            y=[printed.get(place) for place in shown],
            name=f"{label}, printed",
            mode="markers",
            marker={"symbol": "x"},
        )


def _draw_across(drawing: go.Figure, figure: Figure, outcome: Outcome) -> None:
    """One curve per pair of arms; a pair that has one place only is a point."""
    shown = figure.shows(outcome.places)
    for number, pair in enumerate(figure.across):
        points = [tuple(outcome.mean(figure.metric, label, place) for label in pair) for place in shown]
        known = [(*point, str(place)) for point, place in zip(points, shown, strict=True) if None not in point]
        across, over, names = zip(*known, strict=True) if known else ((), (), ())
        drawing.add_scatter(
            x=across, y=over, text=names, name=pair[1], mode="lines+markers", marker={"size": 6 if known[1:] else 12}
        )
        if figure.chord and number == 0:
            ends = {"x": across[:: len(across) - 1], "y": over[:: len(over) - 1]}
            drawing.add_scatter(**ends, name=figure.chord, mode="lines", line={"dash": "dash"})


def _draw_grid(drawing: go.Figure, study: Study, figure: Figure, outcome: Outcome) -> None:
    """Places across, arms upwards."""
    shown = figure.shows(outcome.places)
    labels = [curve.name for curve in figure.drawn(study.arms)]
    values = [[outcome.mean(figure.metric, label, place) for place in shown] for label in labels]
    drawing.add_heatmap(
        x=[str(place) for place in shown],
        y=labels,
        z=values,
        texttemplate="%{z:.3g}",
        colorscale="Blues",
        colorbar={"title": {"text": METRICS[figure.metric].title, "side": "right"}},
    )


def _axes(study: Study, figure: Figure, outcome: Outcome) -> tuple[dict[str, Any], dict[str, Any]]:
    """Titles and kinds of the horizontal and the vertical axis."""
    if figure.grid:
        return {"title": study.axis, "type": "category"}, {"type": "category"}
    if figure.across:
        of = METRICS[figure.metric].title
        outer, inner = figure.across[0]
        return {"title": f"{outer}: {of}", "rangemode": "tozero"}, {"title": f"{inner}: {of}", "rangemode": "tozero"}
    title = "over the largest value" if figure.normalised else METRICS[figure.metric].title
    x: dict[str, Any] = {"title": study.axis}
    if not _are_numbers(figure.shows(outcome.places)):
        x["type"] = "category"
    return x, {"title": title, "rangemode": "tozero"}


def _positions(places: Sequence[X]) -> list[X]:
    return list(places) if _are_numbers(places) else [str(place) for place in places]


def _are_numbers(places: Sequence[X]) -> bool:
    return all(isinstance(place, (int, float)) for place in places)
