"""Stations that are known by their answers only.

CTS and ACK do not name their sender (IEEE 802.11-2020 sec. 9.3.1.3 and 9.3.1.4), so nobody seems to hear a station that
sends nothing else. The frame that they answer tells who it was.
"""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay.recorded.views import UNICAST

_AT = ["source", "observer", "start_ns"]


def recorders(frames: pl.LazyFrame, exchanges: pl.LazyFrame) -> dict[str, str]:
    """Whose recordings those are that do not name their observer, since it sent answers only: station by source."""
    nameless = pl.col("observer").is_null()
    sent = frames.filter(nameless, pl.col("direction") == "tx", pl.col("kind").is_in(["cts", "ack"]))
    stations = (
        sent.select(*_AT, "kind")
        .join(_answers(exchanges.filter(nameless)), on=[*_AT, "kind"], nulls_equal=True)
        .group_by("source")
        .agg(pl.col("receiver").drop_nulls().unique())
        .filter(pl.col("receiver").list.len() == 1)
        .with_columns(pl.col("receiver").list.first())
        .collect(engine="streaming")
    )
    return dict(stations.select("source", "receiver").iter_rows())


def named(rows: pl.LazyFrame, stations: dict[str, str]) -> pl.LazyFrame:
    """The same rows with the observers of :func:`recorders` filled in."""
    if not stations:
        return rows
    return rows.with_columns(pl.coalesce("observer", pl.col("source").replace_strict(stations, default=None)))


def heard_answering(frames: pl.LazyFrame, exchanges: pl.LazyFrame) -> pl.DataFrame:
    """Who answered third parties within hearing of whom: rows like those of the ``neighbours`` table.

    Columns: ``node`` (the observer), ``neighbour`` (who answered), ``heard`` (answers), ``delivery_ratio`` (exchanges
    with an answer, of those of which the observer heard something) and ``signal_dbm`` (median).
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
        .join(_answers(overheard), on=[*_AT, "kind"], nulls_equal=True)
        .group_by(node="observer", neighbour="receiver")
        .agg(pl.col("signal_dbm").median())
    )
    return (
        pairs.filter(pl.col("heard") > 0)
        .join(strengths, on=["node", "neighbour"], how="left")
        .collect(engine="streaming")
        .sort("node", "neighbour")
    )


def _answers(exchanges: pl.LazyFrame) -> pl.LazyFrame:
    """Each CTS and ACK of these exchanges by when it starts, and the ``receiver`` that sent it."""
    known = [
        exchanges.select("source", "observer", "receiver", start_ns=f"{kind}_start_ns", kind=pl.lit(kind))
        for kind in ("cts", "ack")
    ]
    return pl.concat(known).filter(pl.col("start_ns").is_not_null())
