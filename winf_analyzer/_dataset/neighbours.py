"""The ``neighbours`` table: who hears whom, and how well."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from winf_analyzer._dataset.nodes import Column
from winf_analyzer._util.duckdb_agg import grouped

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

_HEARD_AND_SENT = """
select
    coalesce(observer, source) as recorder,
    ta as neighbour,
    case when starts_with(ta, 'node-') then coalesce(ra, 'all') end as addressed,
    coalesce(direction = 'tx', false) or ta = coalesce(observer, source) as own,
    count(*) as frames,
    sum(signal_dbm)::double as signal_sum,
    count(signal_dbm) as signals
from read_parquet($frames)
where layer = 'mac' and ta is not null and parse_error is null and coalesce(direction, 'rx') in ('tx', 'rx')
group by all
"""


def neighbours(frames: list[Path]) -> pl.DataFrame:
    """Group recordings that were not merged by who recorded and who sent, in bounded memory.

    What a neighbour sent is known from its own recording. The clocks were not compared, so the recordings are taken
    to cover the same time; merging them counts the common time only. A simulator's trace tells of receptions only
    where the frame was meant for the node, so there only those frames count.
    """
    on_air = grouped(_HEARD_AND_SENT, frames=frames)
    heard = (
        on_air.filter(~pl.col("own"))
        .group_by(pl.col("recorder").alias("node"), "neighbour")
        .agg(heard=pl.col("frames").sum(), signal_dbm=_mean_signal())
    )
    sent = on_air.filter("own").group_by("addressed", "neighbour").agg(sent=pl.col("frames").sum())
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


_SENT_MEANWHILE = """
select ta as neighbour, {columns}
from (
    select ta, coalesce(start_ns, ts_ns) as at_ns
    from read_parquet($frames)
    where ta is not null and parse_error is null
)
group by ta
"""

_HEARD = """
select
    source,
    coalesce(observer, source) as node,
    ta as neighbour,
    count(*) as heard,
    sum(signal_dbm)::double as signal_sum,
    count(signal_dbm) as signals
from read_parquet($hearings)
where whole and not sent and ta is not null and ta <> coalesce(observer, source)
group by all
"""


def merged_neighbours(frames: list[Path], hearings: list[Path], spans: pl.DataFrame) -> pl.DataFrame:
    """The same of merged recordings, of which ``hearings`` says who heard what.

    Every transmission that any recording holds counts, if the node was recording: ``spans`` has ``source``,
    ``first_ns`` and ``last_ns``, the time each recording covers on the common clock.
    """
    covered = list(spans.select("source", "first_ns", "last_ns").iter_rows())
    counts = ", ".join(
        f"count(*) filter (at_ns between {int(first)} and {int(last)}) as covered_{index}"
        for index, (_, first, last) in enumerate(covered)
    )
    sent = grouped(_SENT_MEANWHILE.format(columns=counts), frames=frames)
    meanwhile = pl.concat(
        sent.select("neighbour", total=f"covered_{index}", source=pl.lit(source))
        for index, (source, _, _) in enumerate(covered)
    )
    known = grouped(_HEARD, hearings=hearings).join(meanwhile, on=["source", "neighbour"], how="left")
    known = known.group_by("node", "neighbour").agg(pl.col("heard", "total").sum(), signal_dbm=_mean_signal())
    return _table(known, pl.when(spans.height > 1).then("total"))


def _is_group(column: str) -> pl.Expr:
    return pl.col(column).is_in(["all", "ff:ff:ff:ff:ff:ff"])


def _mean_signal() -> pl.Expr:
    signals = pl.col("signals").sum()
    return pl.when(signals > 0).then(pl.col("signal_sum").sum() / signals)


def _table(known: pl.DataFrame, total: pl.Expr) -> pl.DataFrame:
    ratio = pl.when(total > 0).then((pl.col("heard") / total).clip(0.0, 1.0)).alias("delivery_ratio")
    columns = [pl.col(column.name).cast(column.dtype) for column in NEIGHBOURS]
    return known.with_columns(ratio).select(columns).sort("node", "heard", "neighbour", descending=[False, True, False])
