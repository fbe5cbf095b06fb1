"""The ``neighbours`` table: who hears whom, and how well."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from winf_analyzer import _core
from winf_analyzer.stations import Column

NEIGHBOURS = (
    Column("node", pl.String(), "who hears: the recording station, or the recording where it is an anonymous sniffer"),
    Column("neighbour", pl.String(), "whom it hears: transmitter address"),
    Column("heard", pl.Int64(), "frames of the neighbour that the node received whole"),
    Column(
        "delivery_ratio",
        pl.Float64(),
        "heard / frames the neighbour sent meanwhile, as all recordings know them; null where only the node's own does",
    ),
    Column("signal_dbm", pl.Float64(), "mean signal of the neighbour's frames at the node, dBm"),
)
"""Columns of the table."""

_SIMULATED = pl.col("ta").str.starts_with("node-")


def neighbours(frames: list[Path]) -> pl.LazyFrame:
    """Group recordings that were not merged by who recorded and who sent, in bounded memory.

    What a neighbour sent is known from its own recording. The clocks were not compared, so the recordings are taken
    to cover the same time; merging them counts the common time only. A simulator's trace tells of receptions only
    where the frame was meant for the node, so there only those frames count.
    """
    on_air = pl.scan_parquet(frames).filter(
        pl.col("layer") == "mac",
        pl.col("ta").is_not_null(),
        pl.col("parse_error").is_null(),
        pl.col("direction").fill_null("rx").is_in(["tx", "rx"]),
    )
    node = pl.coalesce("observer", "source")
    own = (pl.col("direction") == "tx").fill_null(value=False) | (pl.col("ta") == node)
    addressed = pl.when(_SIMULATED).then(pl.col("ra").fill_null("all"))
    heard = (
        on_air.filter(~own)
        .group_by(node.alias("node"), neighbour="ta")
        .agg(pl.len().alias("heard"), pl.col("signal_dbm").mean())
    )
    sent = on_air.filter(own).group_by(addressed=addressed, neighbour="ta").agg(pl.len().alias("sent"))
    whole = sent.filter(pl.col("addressed").is_null()).select("neighbour", recorded="sent")
    simulated = sent.filter(pl.col("addressed").is_not_null())
    to_node = simulated.select("neighbour", node="addressed", to_node="sent")
    to_all = simulated.filter(_is_group("addressed")).group_by("neighbour").agg(to_all=pl.col("sent").sum())
    known = (
        heard.join(whole, on="neighbour", how="left")
        .join(to_node, on=["neighbour", "node"], how="left")
        .join(to_all, on="neighbour", how="left")
    )
    meant = pl.col("to_node").fill_null(0) + pl.col("to_all").fill_null(0)
    return _table(known, pl.coalesce("recorded", meant))


def merged_neighbours(frames: list[Path], hearings: list[Path], spans: pl.DataFrame) -> pl.LazyFrame:
    """The same of merged recordings, of which ``hearings`` says who heard what.

    Every transmission that any recording holds counts, if the node was recording: ``spans`` has ``source``,
    ``first_ns`` and ``last_ns``, the time each recording covers on the common clock.
    """
    sent = pl.scan_parquet(frames).filter(pl.col("ta").is_not_null(), pl.col("parse_error").is_null())
    at_ns = pl.coalesce("start_ns", "ts_ns")
    meanwhile = pl.concat(
        sent.filter(at_ns.is_between(first_ns, last_ns))
        .group_by(neighbour="ta")
        .agg(total=pl.len())
        .with_columns(source=pl.lit(source))
        for source, first_ns, last_ns in spans.select("source", "first_ns", "last_ns").iter_rows()
    )
    node = pl.coalesce("observer", "source")
    received = pl.scan_parquet(hearings).filter(
        "whole", ~pl.col("sent"), pl.col("ta").is_not_null(), pl.col("ta") != node
    )
    heard = received.group_by("source", node=node, neighbour="ta").agg(
        pl.len().alias("heard"), pl.col("signal_dbm").mean()
    )
    known = heard.join(meanwhile, on=["source", "neighbour"], how="left")
    known = known.group_by("node", "neighbour").agg(
        pl.col("heard", "total").sum(), pl.col("signal_dbm").mean(), pl.len().alias("recordings")
    )
    return _table(known, pl.when(spans.height > 1).then("total"))


def hearings_schema() -> dict[str, pl.DataType]:
    """Columns of the ``hearings`` table, which only merged datasets fill."""
    types = {"Utf8": pl.String(), "Int32": pl.Int32(), "Int64": pl.Int64(), "Boolean": pl.Boolean()}
    columns = next(columns for name, _, columns in _core.tables() if name == "hearings")
    return {name: types[kind] for name, kind, _ in columns}


def _is_group(column: str) -> pl.Expr:
    return pl.col(column).is_in(["all", "ff:ff:ff:ff:ff:ff"])


def _table(known: pl.LazyFrame, total: pl.Expr) -> pl.LazyFrame:
    ratio = pl.when(total > 0).then((pl.col("heard") / total).clip(0.0, 1.0)).alias("delivery_ratio")
    columns = [pl.col(column.name).cast(column.dtype) for column in NEIGHBOURS]
    return known.with_columns(ratio).select(columns).sort("node", "heard", "neighbour", descending=[False, True, False])
