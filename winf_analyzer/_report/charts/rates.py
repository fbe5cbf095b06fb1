"""Chart kind ``rates``: how often each data rate of a link was used, and how often again; the link is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import Drawing, base_layout
from winf_analyzer._report.labels import class_colour, format_number
from winf_analyzer._report.sanitize import escape_controls

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel

RATES = 24
"""Rates of a link that are drawn, the most frequent ones."""


def rates(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """One figure for each link, in the order of the rows."""
    del panel
    figures: list[dict[str, Any]] = []
    variants: dict[str, int] = {}
    for (sender, receiver), link in rows.group_by(["sender", "receiver"], maintain_order=True):
        label = escape_controls(f"{context.name(sender)} → {context.name(receiver)}")
        variants[label] = len(figures)
        figures.append(_figure(link))
    return Drawing(figures=figures, switches=[("Link", list(variants))] if figures else [], variants=variants)


def _figure(link: pl.DataFrame) -> dict[str, Any]:
    shown = link.sort("frames", descending=True).head(RATES).sort("rate_mbps", "phy", "mcs", descending=True)
    names, first, again, notes = [], [], [], []
    for row in shown.iter_rows(named=True):
        names.append(_name(row))
        first.append(row["frames"] - row["retries"])
        again.append(row["retries"])
        notes.append(f"{format_number(round(100 * row['retries'] / row['frames']))} % again")
    bar = {"type": "bar", "orientation": "h", "y": names}
    data = [
        {**bar, "name": "first attempt", "x": first, "marker": {"color": class_colour("data")}, "notes": notes},
        {**bar, "name": "retransmission", "x": again, "marker": {"color": class_colour("data_again")}},
    ]
    return {"data": data, "layout": base_layout(0) | {"xaxis": {"title": {"text": "Frames"}}}}


def _name(row: dict[str, Any]) -> str:
    """A rate, with PHY and, where it has them, MCS and spatial streams."""
    coding = f" MCS {row['mcs']}" if row["mcs"] is not None else ""
    streams = f" × {row['nss']}" if coding and row["nss"] else ""
    phy = str(row["phy"] or "").replace("_", "/").upper()
    return f"{row['rate_mbps']:.4g} Mb/s {phy}{coding}{streams}"
