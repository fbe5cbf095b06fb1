"""The figures: functions from a dataset to a Plotly figure."""

from __future__ import annotations

from collections.abc import Callable

import plotly.graph_objects as go
import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._sql.named_queries import named_query
from winf_analyzer._sql.query import sql
from winf_analyzer._util.format import printable

MAX_LINKS = 8
"""Links drawn over time, those with most samples."""

MAX_STATIONS = 20
"""Stations drawn, those with most airtime."""

COLOURS = ("#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d", "#666666")
"""ColorBrewer's Dark2, which can be told apart with colour blindness and in print."""

DASHES = ("solid", "dash", "dot", "dashdot")


def available(dataset: Dataset) -> go.Figure:
    """Available bandwidth per link over time; windows without an answer are gaps.

    Of the recorders of a link the one with most samples is drawn, as in the report.
    """
    rows = dataset.scan("recommended").filter(~pl.col("whole")).collect()
    rows = rows.with_columns(middle_ns=pl.col("window_start_ns") + pl.col("window_ns") // 2 - _first("window_start_ns"))
    view = ["source", "observer", "sender", "receiver"]
    views = rows.group_by(view).agg(pl.col("samples").sum()).sort("samples", *view, descending=[True, *[False] * 4])
    views = views.unique(["sender", "receiver"], keep="first", maintain_order=True).head(MAX_LINKS)
    figure = _over_time("Available bandwidth (Mb/s)")
    for number, (source, _, sender, receiver, _) in enumerate(views.iter_rows()):
        own = rows.join(views[number], on=view, how="semi", nulls_equal=True).sort("window_start_ns")
        value = own["available_bps"]
        several = f", {source}" if views["source"].n_unique() > 1 else ""
        name = printable(f"{sender} > {receiver}{several}")
        figure.add_scatter(
            x=(own["middle_ns"] / 1e9).to_list(),
            y=(value / 1e6).to_list(),
            name=name,
            mode="lines+markers",
            line={"color": COLOURS[number % len(COLOURS)], "dash": DASHES[number % len(DASHES)]},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": ((own["available_high_bps"] - value) / 1e6).to_list(),
                "arrayminus": ((value - own["available_low_bps"]) / 1e6).to_list(),
                "thickness": 1,
            },
            customdata=own["grade"].to_list(),
            hovertemplate="%{y:.3g} Mb/s, grade %{customdata}<extra>" + _markup(name) + "</extra>",
        )
    return figure


def busy(dataset: Dataset) -> go.Figure:
    """Busy share of the medium over time, per recording and channel."""
    rows = sql(dataset, named_query("channel_busy")).with_columns(pl.col("t_s") - _first("t_s"))
    figure = _over_time("Busy share of the medium (%)")
    figure.update_yaxes(range=[0, 100])
    keys = ["source", "observer", "channel_mhz"]
    for number, ((source, _, channel), own) in enumerate(rows.group_by(keys, maintain_order=True)):
        figure.add_scatter(
            x=own["t_s"].to_list(),
            y=(own["busy_share"] * 100).to_list(),
            name=printable(f"{source}, {channel} MHz"),
            mode="lines",
            line={"color": COLOURS[number % len(COLOURS)], "shape": "hv"},
        )
    return figure


def airtime(dataset: Dataset) -> go.Figure:
    """Airtime by station and kind of frame."""
    rows = sql(
        dataset,
        "select coalesce(ta, 'without address') as station, coalesce(kind, 'unreadable') as kind, "
        "sum(airtime_us) / 1e3 as airtime_ms from frames where layer = 'mac' and airtime_us > 0 group by all",
    )
    order = rows.group_by("station").agg(pl.col("airtime_ms").sum()).sort("airtime_ms", "station", descending=True)
    stations = order["station"].head(MAX_STATIONS).to_list()
    figure = go.Figure(layout={"barmode": "stack", "xaxis_title": "Airtime (ms)", **_LAYOUT})
    kinds = rows.group_by("kind").agg(pl.col("airtime_ms").sum()).sort("airtime_ms", "kind", descending=True)["kind"]
    for number, kind in enumerate(kinds):
        own = dict(rows.filter(kind=kind).select("station", "airtime_ms").iter_rows())
        figure.add_bar(
            y=stations[::-1],
            x=[own.get(station, 0.0) for station in stations[::-1]],
            name=kind,
            orientation="h",
            marker_color=COLOURS[number % len(COLOURS)],
        )
    return figure


def replay(dataset: Dataset) -> go.Figure:
    """Goodput of every flow under each controller: means over seeds, and the 90 % interval."""
    rows = (
        dataset.scan("replay_summary")
        .group_by("controller", "mode", "flow", maintain_order=True)
        .agg(pl.col("throughput_bps", "throughput_low_bps", "throughput_high_bps").mean() / 1e6)
        .collect()
    )
    figure = go.Figure(layout={"barmode": "group", "yaxis_title": "Goodput (Mb/s)", **_LAYOUT})
    for number, ((flow,), own) in enumerate(rows.group_by("flow", maintain_order=True)):
        value = own["throughput_bps"]
        figure.add_bar(
            x=[f"{name} ({mode})" if mode else name for name, mode in own.select("controller", "mode").iter_rows()],
            y=value.to_list(),
            name=printable(flow),
            marker_color=COLOURS[number % len(COLOURS)],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": (own["throughput_high_bps"] - value).to_list(),
                "arrayminus": (value - own["throughput_low_bps"]).to_list(),
            },
        )
    return figure


FIGURES: dict[str, tuple[Callable[[Dataset], go.Figure], str]] = {
    "available": (available, "recommended"),
    "busy": (busy, "exchanges"),
    "airtime": (airtime, "frames"),
    "replay": (replay, "replay_summary"),
}
"""Every figure by its name: what draws it, and the table that it draws."""

_LAYOUT = {"template": "plotly_white", "legend": {"orientation": "h", "y": -0.2}, "margin": {"t": 30}}


def _first(time: str) -> pl.Expr:
    """When a row's recording began: clocks of recordings need not agree."""
    return pl.col(time).min().over("source")


def _over_time(title: str) -> go.Figure:
    layout = {"xaxis_title": "Time since the recording's first window (s)", "yaxis_title": title, **_LAYOUT}
    figure = go.Figure(layout=layout)
    figure.update_yaxes(rangemode="tozero")
    return figure


def _markup(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")
