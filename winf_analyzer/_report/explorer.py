"""Chart kind ``explorer``: the estimates of one link over time, estimators overlaid; the reader picks link and view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import Drawing, axis, base_layout, time_axis
from winf_analyzer._report.gaps import filled
from winf_analyzer._report.labels import DARK2, DASHES, number, worded
from winf_analyzer._report.panels import Quantity
from winf_analyzer._report.sanitize import label, rounded, visible

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import Setting
    from winf_analyzer._report.panels import Panel

ESTIMATORS = (("rt_winf", "corrected"), ("rt_winf", "paper"), ("idle_gap", "corrected"), ("idle_gap", "paper"))
"""Estimator and mode with a fixed place in the palette; others follow in the order they are met."""

HEIGHT = 320
VALUES = ("capacity_mbps", "available_mbps")
TITLES = ("Capacity (Mb/s)", "Available (Mb/s)")
_LINK = ["rank", "sender", "receiver"]
_VIEW = ["state", "node", "source", "observer"]


def explorer(panel: Panel, rows: pl.DataFrame, setting: Setting) -> Drawing:
    """Lay out two figures, and what they show for every link and view of it."""
    if rows.is_empty():
        return Drawing()
    sources = rows["source"].n_unique()
    links = [
        {
            "label": _link(sender, receiver),
            "views": [
                {"label": _view(*view, several=sources > 1), "traces": _traces(of_view, setting)}
                for view, of_view in of_link.group_by(_VIEW, maintain_order=True)
            ],
        }
        for (_, sender, receiver), of_link in rows.group_by(_LINK, maintain_order=True)
    ]
    layouts = [
        base_layout(HEIGHT)
        | {"xaxis": time_axis(panel.x, setting), "yaxis": axis(Quantity(column, title)), "showlegend": True}
        for column, title in zip(VALUES, TITLES, strict=True)
    ]
    notes = [
        f"Each point covers {number(max(rows['window_s']))} s and stands in its middle.",
        "`idle_gap` measures no capacity. Any other estimator without a line has no sample in this view.",
    ]
    if len(links) < rows["of_links"][0]:
        notes.append(f"The {len(links)} busiest of {rows['of_links'][0]} links; the `estimates` table has all.")
    return Drawing(
        figures=[{"data": [], "layout": layout} for layout in layouts],
        choices={"links": links, "values": list(VALUES)},
        notes=notes,
    )


def _link(sender: str | None, receiver: str | None) -> str:
    if sender is None and receiver is None:
        return "all links together, as overheard"
    return visible(f"{worded('sender', sender)} → {worded('receiver', receiver)}")


def _view(state: str, node: str | None, source: str, observer: str | None, *, several: bool) -> str:
    """Name whose conclusion it is."""
    whose = f"{state} {node}" if node is not None else f"{state} (anonymous sniffer)"
    if observer is not None and observer != node:
        whose += f", recorded by {observer}"
    return visible(f"{whose} · {worded('source', source)}" if several else whose)


def _traces(of_view: pl.DataFrame, setting: Setting) -> list[dict[str, Any]]:
    """List the points of each estimator and mode; all values of one trace share their instants."""
    found = list(of_view.group_by(["estimator", "mode"], maintain_order=True))
    order = {key: place for place, key in enumerate(ESTIMATORS)}
    origin_s = setting.origins_s.get(of_view["source"][0], 0.0)
    traces = []
    for (estimator, mode), points in sorted(found, key=lambda entry: order.get(entry[0], len(order))):
        place = order.setdefault((estimator, mode), len(order))
        rows = points.select("t_s", "exchanges", *VALUES).iter_rows()
        xs, exchanges, *series = zip(*filled(rows, points["window_s"][0], (None, None, None)), strict=True)
        values = {name: [rounded(value) for value in column] for name, column in zip(VALUES, series, strict=True)}
        traces.append(
            {
                "name": label(f"{estimator}, {mode}"),
                "color": DARK2[place % len(DARK2)],
                "dash": DASHES[place % len(DASHES)],
                "x": [round(x - origin_s, 6) for x in xs],
                "exchanges": exchanges,
                **{name: column for name, column in values.items() if any(value is not None for value in column)},
            }
        )
    return traces
