"""Metrics of S001's scenes alone and with cross traffic: means over the seconds of a phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from winf_analyzer._papers.reproductions._rows import RunTables
from winf_analyzer._replay.topologies.world import SECOND

Spans = Sequence[tuple[float, float]]
"""Seconds from and to."""

STRING: Mapping[str, Spans] = {"alone": ((5, 15), (33, 45)), "crossed": ((16, 30),)}
GRID: Mapping[str, Spans] = {"grid alone": ((5, 30), (72, 100)), "grid crossed": ((32, 70),)}


def _inside(table: pl.DataFrame, spans: Spans) -> pl.DataFrame:
    at = pl.col("t_ns")
    return table.filter(pl.any_horizontal((at >= start * SECOND) & (at < end * SECOND) for start, end in spans))


def _mean(column: str, spans: Spans) -> Callable[[RunTables], float | None]:
    return lambda rows: _inside(rows.bins, spans)[column].mean()  # type: ignore[return-value]


def _silent(spans: Spans) -> Callable[[RunTables], float | None]:
    """Half seconds of the flows without any payload, per cent."""

    def silent(rows: RunTables) -> float | None:
        half = (pl.col("t_ns") // (SECOND // 2)).alias("half")
        halves = _inside(rows.bins, spans).group_by("flow", half).agg(pl.col("throughput_bps").sum())
        return 100.0 * float((halves["throughput_bps"] == 0).sum()) / halves.height if halves.height else None

    return silent


def _queue_at_n2(spans: Spans) -> Callable[[RunTables], float | None]:
    """Most packets in the queues of N2 in a bin's mean."""

    def queue(rows: RunTables) -> float | None:
        at_n2 = _inside(rows.links, spans).filter(pl.col("sender") == "N2")
        return at_n2.group_by("t_ns").agg(pl.col("queue_packets").sum())["queue_packets"].max()  # type: ignore[return-value]

    return queue


def _over(column: str, other: str, spans: Spans) -> Callable[[RunTables], float | None]:
    """Two columns in the bins in which both are known."""

    def ratio(rows: RunTables) -> float | None:
        known = _inside(rows.bins, spans).filter(pl.col(column).is_not_null(), pl.col(other) > 0)
        return float(known[column].sum()) / float(known[other].sum()) if known.height else None

    return ratio


def _growth(column: str) -> Callable[[RunTables], float | None]:
    """A mean with cross traffic over that alone."""

    def growth(rows: RunTables) -> float | None:
        crossed, alone = (_mean(column, STRING[phase])(rows) for phase in ("crossed", "alone"))
        return crossed / alone if crossed is not None and alone else None

    return growth


def metrics() -> dict[str, tuple[str, Callable[[RunTables], float | None]]]:
    """Titles and functions by name: `throughput alone`, `queue crossed` and so on."""
    found: dict[str, tuple[str, Callable[[RunTables], float | None]]] = {}
    for phase, spans in {**STRING, **GRID}.items():
        found[f"throughput {phase}"] = (f"throughput {phase}, bit/s", _mean("throughput_bps", spans))
    for phase, spans in STRING.items():
        found[f"queue {phase}"] = (f"most packets at N2 {phase}", _queue_at_n2(spans))
        found[f"silence {phase}"] = (f"half seconds without payload {phase}, %", _silent(spans))
        title = f"bandwidth that the hops measured over the throughput {phase}"
        found[f"measured {phase}"] = (title, _over("path_bandwidth_bps", "throughput_bps", spans))
    for name, column in (("bandwidth", "path_bandwidth_bps"), ("delay", "path_delay_ms")):
        found[f"{name} growth"] = (f"{name} that the hops measure, with cross traffic over alone", _growth(column))
    found["throughput later"] = ("throughput from 12 s on, bit/s", _mean("throughput_bps", ((12, 1e6),)))
    return found
