"""Chart kind ``agreement``: estimates and truth over time, and their difference against their mean.

The second figure is that of J. M. Bland and D. G. Altman, "Statistical methods for assessing agreement between two
methods of clinical measurement", Lancet 1986: a bias shows as a cloud off zero, an error that grows with the rate as a
slope. The reader picks the link and what is compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report.explorer import HEIGHT
from winf_analyzer._report.figure import Drawing, axis, base_layout, time_axis
from winf_analyzer._report.gaps import filled
from winf_analyzer._report.labels import DARK2, DASHES, number, worded
from winf_analyzer._report.panels import Quantity
from winf_analyzer._report.sanitize import label, rounded, visible

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import Setting
    from winf_analyzer._report.panels import Panel

RATE, DIFFERENCE, MEAN = "rate_mbps", "difference_mbps", "mean_mbps"
TRUTH_COLOUR = "#666666"
_LINK = ["log", "sender", "receiver"]
_VIEW = ["quantity", "state", "node", "source", "observer"]


def agreement(panel: Panel, rows: pl.DataFrame, setting: Setting) -> Drawing:
    """Lay out two figures, and what they show for every link and view of it."""
    if rows.is_empty():
        return Drawing()
    known = sorted(set(rows.select("estimator", "mode").iter_rows()), key=lambda key: tuple(map(str, key)))
    places = {key: place for place, key in enumerate(known)}
    sources = rows["source"].n_unique()
    links = [
        {
            "label": visible(f"{log}: {worded('sender', sender)} → {worded('receiver', receiver)}"),
            "views": [
                {"label": _view(*view, several=sources > 1), "traces": _traces(of_view, places, setting)}
                for view, of_view in of_link.group_by(_VIEW, maintain_order=True)
            ],
        }
        for (log, sender, receiver), of_link in rows.group_by(_LINK, maintain_order=True)
    ]
    axes = (
        (time_axis(panel.x, setting), Quantity(RATE, "Estimate and truth (Mb/s)")),
        (axis(Quantity(MEAN, "Mean of estimate and truth (Mb/s)")), Quantity(DIFFERENCE, "Estimate less truth (Mb/s)")),
    )
    layouts = [base_layout(HEIGHT) | {"xaxis": x, "yaxis": axis(y), "showlegend": True} for x, y in axes]
    return Drawing(
        figures=[{"data": [], "layout": layout} for layout in layouts],
        choices={"links": links, "values": [RATE, DIFFERENCE], "against": {DIFFERENCE: MEAN}},
        notes=[f"Each point covers {number(max(rows['window_s']))} s or less and stands in its middle."],
    )


def _view(
    quantity: str, state: str | None, node: str | None, source: str, observer: str | None, *, several: bool
) -> str:
    """Name what is compared, and whose it is."""
    whose = "the recording" if state is None else f"{state} {node or '(anonymous sniffer)'}"
    if observer is not None and observer != node:
        whose += f", recorded by {observer}"
    return visible(f"{quantity} · {whose}" + (f" · {worded('source', source)}" if several else ""))


def _traces(of_view: pl.DataFrame, places: dict[Any, int], setting: Setting) -> list[dict[str, Any]]:
    """List the truth, then the points of each estimator and mode."""
    origin_s = setting.origins_s.get(of_view["source"][0], 0.0)
    truth = of_view.select("t_s", "window_s", "windows", "truth_mbps").unique("t_s", maintain_order=True)
    traces = [{"name": "truth", "color": TRUTH_COLOUR, "dash": "solid", **_course(truth, "truth_mbps", origin_s)}]
    for key, points in of_view.group_by(["estimator", "mode"], maintain_order=True):
        place = places[key]
        pairs = list(points.select("estimate_mbps", "truth_mbps").iter_rows())
        traces.append(
            {
                "name": label(", ".join(name for name in key if name)),
                "color": DARK2[place % len(DARK2)],
                "dash": DASHES[place % len(DASHES)],
                **_course(points, "estimate_mbps", origin_s),
                DIFFERENCE: [rounded(estimate - truth) for estimate, truth in pairs],
                MEAN: [rounded((estimate + truth) / 2) for estimate, truth in pairs],
            }
        )
    return traces


def _course(points: pl.DataFrame, column: str, origin_s: float) -> dict[str, Any]:
    """The values over time, broken where windows are missing."""
    rows = filled(points.select("t_s", column, "windows").iter_rows(), points["window_s"][0], (None, None))
    return {
        "x": [round(t - origin_s, 6) for t, _, _ in rows],
        RATE: [rounded(value) for _, value, _ in rows],
        "exchanges": [windows for _, _, windows in rows],
    }
