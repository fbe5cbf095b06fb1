"""Chart kind ``explorer``: all estimates of one link over time. Link and view are chosen in the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report.charts.gaps import fill_gaps
from winf_analyzer._report.figure import Drawing, axis, base_layout, time_axis, view_label, window_note
from winf_analyzer._report.labels import DARK2, DASHES, SYMBOLS
from winf_analyzer._report.panels import Quantity
from winf_analyzer._report.sanitize import escape_controls, round_significant

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel

ESTIMATORS = (
    ("saturation", "corrected"),
    ("rt_winf", "corrected"),
    ("rt_winf", "paper"),
    ("idle_gap", "corrected"),
    ("idle_gap", "paper"),
)
"""Estimators and modes with a fixed colour; others follow in order of appearance."""

DEFAULTS = (("saturation", "corrected"), ("rt_winf", "corrected"))
"""The estimator that is shown first, the others on demand; the recommended answer rests on it."""

HEIGHT = 320
VALUES = ("capacity_mbps", "available_mbps")
TITLES = ("Capacity (Mb/s)", "Available (Mb/s)")
_LINK = ["rank", "sender", "receiver"]
_VIEW = ["state", "node", "source", "observer"]


def explorer(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """Return two empty figures, and their traces for every link and view."""
    if rows.is_empty():
        return Drawing()
    sources = rows["source"].n_unique()
    links = [
        {
            "label": _link_label(sender, receiver, context),
            "views": [
                {"label": view_label(*view, several_sources=sources > 1), "traces": _traces(view_rows, context)}
                for view, view_rows in link_rows.group_by(_VIEW, maintain_order=True)
            ],
        }
        for (_, sender, receiver), link_rows in rows.group_by(_LINK, maintain_order=True)
    ]
    layouts = [
        base_layout(HEIGHT)
        | {
            "xaxis": time_axis(panel.x, context),
            "yaxis": axis(Quantity(column, title)),
            "showlegend": True,
            "time": True,
        }
        for column, title in zip(VALUES, TITLES, strict=True)
    ]
    notes = [
        window_note(max(rows["window_s"]), context),
        "`idle_gap` does not measure capacity. Any other estimator without a line has no sample in this view.",
    ]
    if len(links) < rows["of_links"][0]:
        notes.append(f"The {len(links)} busiest of {rows['of_links'][0]} links; the `estimates` table has all.")
    return Drawing(
        figures=[{"data": [], "layout": layout} for layout in layouts],
        choices={"links": links, "values": list(VALUES), "others": True},
        notes=notes,
    )


def _link_label(sender: str | None, receiver: str | None, context: ReportContext) -> str:
    if sender is None and receiver is None:
        return "all overheard links"
    return escape_controls(f"{context.name(sender)} → {context.name(receiver)}")


def _traces(view_rows: pl.DataFrame, context: ReportContext) -> list[dict[str, Any]]:
    """The points of each estimator and mode; all values of a trace share their times."""
    groups: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    steps_s: dict[tuple[str, str], float] = {}
    columns = ("estimator", "mode", "window_s", "t_s", "exchanges", *VALUES)
    for estimator, mode, window_s, *point in view_rows.select(columns).iter_rows():
        groups.setdefault((estimator, mode), []).append(tuple(point))
        steps_s.setdefault((estimator, mode), window_s)
    order = {key: index for index, key in enumerate(ESTIMATORS)}
    origin_s = context.origins_s.get(view_rows["source"][0], 0.0)
    default = next((key for key in DEFAULTS if key in groups), None) or min(groups)
    traces = []
    for (estimator, mode), points in sorted(groups.items(), key=lambda entry: order.get(entry[0], len(order))):
        index = order.setdefault((estimator, mode), len(order))
        width_s = steps_s[estimator, mode]
        xs, exchanges, *series = zip(*fill_gaps(points, width_s, (None, None, None)), strict=True)
        values = {
            name: [round_significant(value) for value in column] for name, column in zip(VALUES, series, strict=True)
        }
        traces.append(
            {
                "name": escape_controls(f"{estimator}, {mode}"),
                "other": (estimator, mode) != default,
                "symbol": SYMBOLS[(index + index // len(DARK2)) % len(SYMBOLS)],
                "color": DARK2[index % len(DARK2)],
                "dash": DASHES[(index + index // len(DARK2)) % len(DASHES)],
                "x": [round(context.centre(x - origin_s - width_s / 2, width_s), 6) for x in xs],
                "exchanges": exchanges,
                **{name: column for name, column in values.items() if any(value is not None for value in column)},
            }
        )
    return traces
