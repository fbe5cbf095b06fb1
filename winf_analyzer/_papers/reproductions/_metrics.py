"""Metrics of a run, from its rows of `replay_summary`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import polars as pl


class Metric(NamedTuple):
    """A metric with its axis title."""

    title: str
    of: Callable[[pl.DataFrame], float | None]
    """Of the flows of one run; None: nothing to average."""


def _sum(column: str) -> Callable[[pl.DataFrame], float | None]:
    return lambda rows: float(rows[column].sum())


def _mean(column: str, weight: str) -> Callable[[pl.DataFrame], float | None]:
    def mean(rows: pl.DataFrame) -> float | None:
        known = rows.filter(pl.col(column).is_not_null(), pl.col(weight) > 0)
        return float((known[column] * known[weight]).sum()) / float(known[weight].sum()) if known.height else None

    return mean


def _window_packets(rows: pl.DataFrame) -> float | None:
    known = rows["window_bytes"].drop_nulls()
    sent = rows.filter(pl.col("sent_packets") > 0)
    if not known.len() or not sent.height:
        return None
    header_bytes = 40
    payload = float(sent["sent_bytes"].sum()) / float(sent["sent_packets"].sum()) - header_bytes
    return float(known.mean() or 0.0) / payload  # type: ignore[arg-type]


def _jain(rows: pl.DataFrame) -> float | None:
    rates = rows["throughput_bps"]
    squares = float((rates**2).sum())
    return float(rates.sum()) ** 2 / (rates.len() * squares) if squares else None


METRICS: Mapping[str, Metric] = {
    "throughput": Metric("throughput, bit/s", _sum("throughput_bps")),
    "flow_throughput": Metric("throughput of a flow, bit/s", lambda rows: rows["throughput_bps"].mean()),  # type: ignore[arg-type, return-value]
    "delay": Metric("delay, ms", _mean("delay_ms", "received_packets")),
    "received": Metric("received packets", _sum("received_packets")),
    "queue": Metric("packets in the queues of a path", lambda rows: rows["queue_packets"].mean()),  # type: ignore[arg-type, return-value]
    "rtt": Metric("round-trip time, ms", _mean("rtt_ms", "sent_packets")),
    "window": Metric("mean window, packets", _window_packets),
    "jain": Metric("Jain's index", _jain),
}
"""Every metric by name."""
