"""Chart kind ``agreement``: estimates and truth over time, and a plot of their difference against their mean.

The second figure is that of J. M. Bland and D. G. Altman, "Statistical methods for assessing agreement between two
methods of clinical measurement", Lancet 1986: a bias is an offset of the points from zero, an error proportional to
the rate is a slope. Link and quantity are chosen in the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report.charts.explorer import HEIGHT
from winf_analyzer._report.charts.gaps import fill_gaps
from winf_analyzer._report.figure import Drawing, axis, base_layout, time_axis, view_label
from winf_analyzer._report.labels import DARK2, DASHES, display_text, format_number
from winf_analyzer._report.panels import Quantity
from winf_analyzer._report.sanitize import escape_controls, round_significant

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel

RATE, DIFFERENCE, MEAN = "rate_mbps", "difference_mbps", "mean_mbps"
TRUTH_COLOUR = "#666666"
_LINK = ["log", "sender", "receiver"]
_VIEW = ["quantity", "state", "node", "source", "observer"]


def agreement(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """Return two empty figures, and their traces for every link and view."""
    if rows.is_empty():
        return Drawing()
    series_keys = sorted(set(rows.select("estimator", "mode").iter_rows()), key=lambda key: tuple(map(str, key)))
    indices = {key: index for index, key in enumerate(series_keys)}
    sources = rows["source"].n_unique()
    links = [
        {
            "label": escape_controls(f"{log}: {display_text('sender', sender)} → {display_text('receiver', receiver)}"),
            "views": [
                {
                    "label": f"{escape_controls(quantity)} · {view_label(*view, several_sources=sources > 1)}",
                    "traces": _traces(view_rows, indices, context),
                }
                for (quantity, *view), view_rows in link_rows.group_by(_VIEW, maintain_order=True)
            ],
        }
        for (log, sender, receiver), link_rows in rows.group_by(_LINK, maintain_order=True)
    ]
    axes = (
        (time_axis(panel.x, context), Quantity(RATE, "Estimate and truth (Mb/s)")),
        (axis(Quantity(MEAN, "Mean of estimate and truth (Mb/s)")), Quantity(DIFFERENCE, "Estimate less truth (Mb/s)")),
    )
    layouts = [base_layout(HEIGHT) | {"xaxis": x, "yaxis": axis(y), "showlegend": True} for x, y in axes]
    return Drawing(
        figures=[{"data": [], "layout": layout} for layout in layouts],
        choices={"links": links, "values": [RATE, DIFFERENCE], "against": {DIFFERENCE: MEAN}},
        notes=[f"Each point covers {format_number(max(rows['window_s']))} s or less and is plotted at its centre."],
    )


def _traces(view_rows: pl.DataFrame, indices: dict[Any, int], context: ReportContext) -> list[dict[str, Any]]:
    """The truth, then the points of each estimator and mode."""
    origin_s = context.origins_s.get(view_rows["source"][0], 0.0)
    truth = view_rows.select("t_s", "window_s", "windows", "truth_mbps").unique("t_s", maintain_order=True)
    traces = [{"name": "truth", "color": TRUTH_COLOUR, "dash": "solid", **_time_series(truth, "truth_mbps", origin_s)}]
    for key, points in view_rows.group_by(["estimator", "mode"], maintain_order=True):
        index = indices[key]
        pairs = list(points.select("estimate_mbps", "truth_mbps").iter_rows())
        traces.append(
            {
                "name": escape_controls(", ".join(name for name in key if name)),
                "color": DARK2[index % len(DARK2)],
                "dash": DASHES[index % len(DASHES)],
                **_time_series(points, "estimate_mbps", origin_s),
                DIFFERENCE: [round_significant(estimate - truth) for estimate, truth in pairs],
                MEAN: [round_significant((estimate + truth) / 2) for estimate, truth in pairs],
            }
        )
    return traces


def _time_series(points: pl.DataFrame, column: str, origin_s: float) -> dict[str, Any]:
    """Values over time, with gaps at missing windows."""
    rows = fill_gaps(points.select("t_s", column, "windows").iter_rows(), points["window_s"][0], (None, None))
    return {
        "x": [round(t - origin_s, 6) for t, _, _ in rows],
        RATE: [round_significant(value) for _, value, _ in rows],
        "exchanges": [windows for _, _, windows in rows],
    }
