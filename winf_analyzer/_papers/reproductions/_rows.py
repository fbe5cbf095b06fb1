"""The rows of a run that metrics are computed of, whole or of a part of the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

import polars as pl

from winf_analyzer._papers.reproductions._study import Along, X
from winf_analyzer._replay.topologies.world import SECOND

HEADER_BYTES = 40
"""IPv4 and TCP."""

MEANS = ("throughput_bps", "delay_ms", "rtt_ms", "window_bytes", "pacing_bps", "path_bandwidth_bps", "path_delay_ms")
SUMS = (
    *("sent_packets", "sent_bytes", "received_packets", "received_bytes", "lost_queue", "lost_retry", "lost_channel"),
    *("lost_route", "retransmissions", "timeouts"),
)


class RunTables(NamedTuple):
    """The tables of one run, or of a part of it."""

    flows: pl.DataFrame
    """A row per flow: `replay_summary`, or the same columns over a part of the time."""
    bins: pl.DataFrame
    """`replay_flows`: a row per flow and bin."""
    links: pl.DataFrame
    """`replay_links`: a row per link and bin, and whether the link is a `radio` one."""

    def of_flows(self, beginnings: tuple[str, ...]) -> RunTables:
        """Only the flows whose name begins with one of these; all without."""
        if not beginnings:
            return self
        wanted = pl.any_horizontal(pl.col("flow").str.starts_with(begin) for begin in beginnings)
        return RunTables(self.flows.filter(wanted), self.bins.filter(wanted), self.links)


def parts(along: Along, places: Sequence[X], place: X, rows: RunTables) -> Iterator[tuple[X, RunTables]]:
    """The rows of each place of a run; `place` is where the run was made."""
    if along == "worlds":
        yield place, rows
    elif along == "flows":
        for flow in places:
            named = pl.col("flow") == flow
            yield flow, RunTables(rows.flows.filter(named), rows.bins.filter(named), rows.links)
    elif along == "links":
        for link in places:
            yield link, rows._replace(links=rows.links.filter(pl.col("link") == link))
    elif along == "seconds":
        active = _active(rows)
        for start, end in _steps(places):
            inside = pl.col("t_ns").is_between(start * SECOND, end * SECOND - 1)
            bins = active.filter(inside)
            yield start, RunTables(_over(bins), bins, rows.links.filter(inside))
    else:
        sampled = _active(rows).filter(pl.col("rtt_ms").is_not_null())
        for start, end in _steps(places):
            inside = (pl.col("rtt_ms") >= start) & (pl.col("rtt_ms") < end)
            yield start, RunTables(sampled.filter(inside), sampled, rows.links)


def _steps(places: Sequence[X]) -> Iterator[tuple[float, float]]:
    """Every place with the next; the last with infinity."""
    numbers = [place for place in places if isinstance(place, (int, float))]
    return pairwise([*numbers, 2.0**53 / SECOND if numbers else inf])


def _active(rows: RunTables) -> pl.DataFrame:
    """Bins over the whole of which their flow was active, and the packets that had reached its end until then."""
    lives = rows.flows.select("flow", "start_ns", "end_ns", payload=pl.col("sent_bytes") / pl.col("sent_packets"))
    delivered_bytes = (pl.col("throughput_bps") * pl.col("width_ns") / (8 * SECOND)).cum_sum().over("flow")
    return (
        rows.bins.sort("flow", "t_ns")
        .join(lives, on="flow", how="inner", maintain_order="left")
        .with_columns(sequence=delivered_bytes / (pl.col("payload") - HEADER_BYTES))
        .filter(pl.col("t_ns") >= pl.col("start_ns"), pl.col("t_ns") + pl.col("width_ns") <= pl.col("end_ns"))
    )


def _over(bins: pl.DataFrame) -> pl.DataFrame:
    """A row per flow over the bins."""
    return bins.group_by("flow", maintain_order=True).agg(
        *(pl.col(column).mean() for column in MEANS),
        *(pl.col(column).sum() for column in SUMS),
        pl.col("start_ns").first(),
        pl.col("sequence").last(),
    )
