"""The ``neighbours`` table of merged recordings: who hears whom, and how well.

That of recordings that were not merged follows from :func:`.nodes.counted`.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from winf_analyzer import _schema
from winf_analyzer._util.duckdb_agg import grouped

AT_ONCE = 32
"""Recordings in one query: each is a column of it, or a file that it opens."""

IS_STATION = "(ta <> '00:00:00:00:00:00' and substr(ta, 2, 1) not in ('1', '3', '5', '7', '9', 'b', 'd', 'f'))"
"""A condition in SQL: a station may have the address ``ta``, which is neither zeros nor a group's."""

_SENT_MEANWHILE = """
select ta as neighbour, {columns}
from (
    select ta, coalesce(start_ns, ts_ns) as at_ns
    from $frames
    where ta is not null and parse_error is null
)
where at_ns between {first} and {last}
group by ta
"""

_HEARD = f"""
select
    source,
    coalesce(observer, source) as node,
    ta as neighbour,
    count(*) as heard,
    sum(signal_dbm)::double as signal_sum,
    count(signal_dbm) as signals
from $hearings
where whole and not sent and {IS_STATION} and ta <> coalesce(observer, source)
group by all
"""  # noqa: S608


def merged_neighbours(frames: list[Path], hearings: list[Path], spans: pl.DataFrame) -> pl.DataFrame:
    """The table of merged recordings, of which ``hearings`` says who heard what, aggregated in bounded memory.

    Every transmission that any recording holds counts, if the node was recording: ``spans`` has ``source``,
    ``first_ns`` and ``last_ns``, the time each recording covers on the common clock.
    """
    meanwhile = pl.concat(_sent_meanwhile(frames, some) for some in spans.sort("first_ns").iter_slices(AT_ONCE))
    slices = (hearings[start : start + AT_ONCE] for start in range(0, len(hearings), AT_ONCE))
    heard = pl.concat(grouped(_HEARD, hearings=some) for some in slices)  # each source has a part of its own
    known = heard.join(meanwhile, on=["source", "neighbour"], how="left")
    known = known.group_by("node", "neighbour").agg(pl.col("heard", "total").sum(), signal_dbm=_mean_signal())
    return _table(known, pl.when(spans.height > 1).then("total"))


def _sent_meanwhile(frames: list[Path], spans: pl.DataFrame) -> pl.DataFrame:
    """`total` transmissions of each `neighbour` during the spans of each `source`."""
    covered = list(spans.select("source", "first_ns", "last_ns").iter_rows())
    counts = ", ".join(
        f"count(*) filter (at_ns between {int(first)} and {int(last)}) as covered_{index}"
        for index, (_, first, last) in enumerate(covered)
    )
    ends = {"first": min(int(first) for _, first, _ in covered), "last": max(int(last) for *_, last in covered)}
    sent = grouped(_SENT_MEANWHILE.format(columns=counts, **ends), frames=frames)
    return pl.concat(
        sent.select("neighbour", total=f"covered_{index}", source=pl.lit(source))
        for index, (source, _, _) in enumerate(covered)
    )


def _mean_signal() -> pl.Expr:
    signals = pl.col("signals").sum()
    return pl.when(signals > 0).then(pl.col("signal_sum").sum() / signals)


def _table(known: pl.DataFrame, total: pl.Expr) -> pl.DataFrame:
    ratio = pl.when(total > 0).then((pl.col("heard") / total).clip(0.0, 1.0)).alias("delivery_ratio")
    columns = [pl.col(name).cast(dtype) for name, dtype in _schema.schema("neighbours").items()]
    return known.with_columns(ratio).select(columns).sort("node", "heard", "neighbour", descending=[False, True, False])
