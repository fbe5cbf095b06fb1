"""A figure as the paper has it: curves over places, confidence intervals, printed values."""

from __future__ import annotations

from pathlib import Path

from winf_analyzer._papers.reproductions._metrics import METRICS
from winf_analyzer._papers.reproductions._run import Outcome
from winf_analyzer._papers.reproductions._study import Figure, Study


def write_figure(study: Study, figure: Figure, outcome: Outcome, path: Path) -> None:
    """One HTML file that holds everything it needs."""
    import plotly.graph_objects as go  # slow to import

    drawing = go.Figure()
    shown = figure.shows(outcome.places)
    places = [str(place) for place in shown]
    if figure.across:
        across, drawn = ([outcome.mean(figure.metric, label, place) for place in shown] for label in figure.across)
        drawing.add_scatter(x=across, y=drawn, text=places, name=figure.across[1], mode="lines+markers")
    for arm in () if figure.across else filter(figure.draws, study.arms):
        half_widths = [outcome.half_width(figure.metric, arm.label, place) or 0.0 for place in shown]
        drawing.add_scatter(
            x=places,
            y=[outcome.mean(figure.metric, arm.label, place) for place in shown],
            error_y={"type": "data", "array": half_widths},
            name=arm.label,
            mode="lines+markers",
        )
    for label, printed in figure.printed.items():
        drawing.add_scatter(
            x=places,
            y=[printed.get(place) for place in shown],
            name=f"{label}, printed",
            mode="markers",
            marker={"symbol": "x"},
        )
    drawing.update_layout(
        title={"text": f"{figure.item}: {study.title}", "subtitle": {"text": outcome.verdict(figure)}},
        xaxis={"title": f"{figure.across[0]}, bit/s", "rangemode": "tozero"}
        if figure.across
        else {"title": study.axis, "type": "category"},
        yaxis={"title": METRICS[figure.metric].title, "rangemode": "tozero"},
        template="simple_white",
    )
    drawing.write_html(path, include_plotlyjs=True, full_html=True)
