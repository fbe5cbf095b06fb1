"""Stations that only transmit CTS and ACK.

CTS and ACK have no transmitter address (IEEE 802.11-2020 sec. 9.3.1.3 and 9.3.1.4), so no table shows which nodes hear
such a station. Its address is the receiver of the frame that it responds to.
"""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay.recorded.views import UNICAST

_AT = ["source", "observer", "start_ns"]


NEARLY_ALL = 0.9
"""Least share of a station's responses that have no signal in its own recording."""


def inferred_observers(frames: pl.LazyFrame, exchanges: pl.LazyFrame) -> dict[str, str]:
    """The observers of recordings without a known one because it transmitted only responses: station by source.

    Responses are its own where the record says so, or, in a recording that has signals, where they have none.
    """
    unnamed = pl.col("observer").is_null()
    with_signals = frames.filter(unnamed, pl.col("signal_dbm").is_not_null()).select("source").unique()
    silent = pl.col("direction").is_null() & pl.col("signal_dbm").is_null() & pl.col("has_signals").fill_null(False)
    answers = (
        frames.filter(unnamed, pl.col("kind").is_in(["cts", "ack"]))
        .join(with_signals.with_columns(has_signals=pl.lit(True)), on="source", how="left")
        .select(*_AT, "kind", sent=(pl.col("direction") == "tx").fill_null(False) | silent)
    )
    stations = (
        answers.join(_response_times(exchanges.filter(unnamed)), on=[*_AT, "kind"], nulls_equal=True)
        .group_by("source", "receiver")
        .agg(sent=pl.col("sent").sum(), share=pl.col("sent").mean())
        .filter(pl.col("sent") > 0, pl.col("receiver").is_not_null())
        .group_by("source")
        .agg("receiver", "share")
        .filter(pl.col("receiver").list.len() == 1, pl.col("share").list.first() >= NEARLY_ALL)
        .with_columns(pl.col("receiver").list.first())
        .collect(engine="streaming")
    )
    return dict(stations.select("source", "receiver").iter_rows())


def with_inferred_observers(rows: pl.LazyFrame, stations: dict[str, str]) -> pl.LazyFrame:
    """The rows with the observers of :func:`inferred_observers` filled in."""
    if not stations:
        return rows
    return rows.with_columns(pl.coalesce("observer", pl.col("source").replace_strict(stations, default=None)))


def overheard_responders(frames: pl.LazyFrame, exchanges: pl.LazyFrame) -> pl.DataFrame:
    """Stations whose responses to third parties were overheard, as rows of the ``neighbours`` table.

    Columns: ``node`` (the observer), ``neighbour`` (the responding station), ``heard`` (responses), ``delivery_ratio``
    (share of the overheard exchanges with a response) and ``signal_dbm`` (median).
    """
    observer = pl.col("observer")
    overheard = exchanges.filter(
        pl.col("kind").is_in(UNICAST), observer != pl.col("sender"), observer != pl.col("receiver")
    )
    answered = pl.col("cts_start_ns").is_not_null() | pl.col("ack_start_ns").is_not_null()
    pairs = overheard.group_by(node="observer", neighbour="receiver").agg(
        heard=answered.sum(), delivery_ratio=answered.mean()
    )
    strengths = (
        frames.filter(pl.col("kind").is_in(["cts", "ack"]), pl.col("signal_dbm").is_not_null())
        .select(*_AT, "kind", "signal_dbm")
        .join(_response_times(overheard), on=[*_AT, "kind"], nulls_equal=True)
        .group_by(node="observer", neighbour="receiver")
        .agg(pl.col("signal_dbm").median())
    )
    return (
        pairs.filter(pl.col("heard") > 0)
        .join(strengths, on=["node", "neighbour"], how="left")
        .collect(engine="streaming")
        .sort("node", "neighbour")
    )


def _response_times(exchanges: pl.LazyFrame) -> pl.LazyFrame:
    """Start time of each CTS and ACK of these exchanges, and the ``receiver`` that transmitted it."""
    known = [
        exchanges.select("source", "observer", "receiver", start_ns=f"{kind}_start_ns", kind=pl.lit(kind))
        for kind in ("cts", "ack")
    ]
    return pl.concat(known).filter(pl.col("start_ns").is_not_null())
