"""Radios that hop: when they listened to which channel, and to which channel each link belongs.

A medium is the air of one channel as one radio recorded it. A radio that hops listens to one channel after the other,
so of each it knows what happened during its stays there. When it came and left is between its last record on the one
channel and its first on the other. Had it been there for longer than a record takes to follow another, it would have
recorded one: so a stay reaches beyond its first and last record by the mean time between two records of the channel,
and at most half way to those of the neighbouring stays. The remaining time was spent on channels on which nothing was
heard, and on tuning.

At 2.4 GHz a strong station is heard on channels beside its own. What a link sends on the channel on which most of it
was heard is the link's; elsewhere it keeps the medium busy, like frames whose sender is not known.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

from winf_analyzer._aggregate.chunks import STAY_TIMES, rows_per_chunk

LINK = ("source", "observer", "sender", "receiver")
"""What identifies a directed link."""

_CHANNEL = ["source", "channel_mhz"]


class Hopping(NamedTuple):
    """What :func:`found` returns; empty where no radio hops."""

    stays: pl.DataFrame
    """`source channel_mhz from_ns to_ns first_ns last_ns`: when each radio listened where, and its first and last
    record there; sorted, of a source without overlap."""
    homes: pl.DataFrame
    """:data:`LINK`, `channel_mhz`: the channel on which most exchanges of the link were heard."""


NONE = Hopping(
    pl.DataFrame(schema={"source": pl.String, "channel_mhz": pl.Int64, **dict.fromkeys(STAY_TIMES, pl.Int64)}),
    pl.DataFrame(schema={**dict.fromkeys(LINK, pl.String), "channel_mhz": pl.Int64}),
)


def found(exchanges: pl.LazyFrame, sources: Sequence[str]) -> Hopping:
    """When the radios of the sources listened where, in a pass over the `exchanges` table.

    Args:
        exchanges: the table.
        sources: those that hold exchanges of several channels.
    """
    if not sources:
        return NONE
    rows = exchanges.filter(pl.col("source").is_in(sources), pl.col("channel_mhz").is_not_null())
    rows = rows.with_columns(pl.col("channel_mhz").cast(pl.Int64))
    counts = rows.group_by(*LINK, "channel_mhz").len().collect(engine="streaming")
    counts = counts.filter(pl.col("sender").is_not_null()).sort("len", "channel_mhz", descending=[True, False])
    homes = counts.unique(list(LINK), keep="first", maintain_order=True).select(*LINK, "channel_mhz")
    return Hopping(_stays(_joined(pl.concat(_runs(rows)))), homes)


def _runs(rows: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """Records on one channel that follow one another, block by block: `source channel_mhz first_ns last_ns records`."""
    times = rows.select(
        *_CHANNEL,
        first_ns=pl.coalesce("start_ns", "end_ns"),
        last_ns=pl.coalesce("end_ns", "start_ns"),
        records=pl.lit(1, pl.Int64),
    )
    total, most = rows.select(pl.len()).collect(engine="streaming").item(), rows_per_chunk()
    for begin in range(0, total, most):
        block = times.slice(begin, most).collect(engine="in-memory").drop_nulls()
        yield _joined(block)


def _joined(runs: pl.DataFrame) -> pl.DataFrame:
    """The runs in the order of time, those that follow one another on one channel as one."""
    runs = runs.sort("source", "first_ns", maintain_order=True)
    return (
        runs.with_columns(run=pl.struct(_CHANNEL).rle_id())
        .group_by("run", maintain_order=True)
        .agg(pl.col(_CHANNEL).first(), pl.col("first_ns").min(), pl.col("last_ns").max(), pl.col("records").sum())
        .drop("run")
    )


def _stays(runs: pl.DataFrame) -> pl.DataFrame:
    """The times that the radio was on the channels, of the runs of a recording in the order of time."""
    between = (pl.col("last_ns") - pl.col("first_ns")).sum() / (pl.col("records") - 1).sum()
    rows = runs.with_columns(
        usual=between.over(_CHANNEL).fill_nan(None),
        before=(pl.col("first_ns") - pl.col("last_ns").shift().over("source")).clip(0),
    ).with_columns(after=pl.col("before").shift(-1).over("source"))
    # Nothing is known of the time before the first record and after the last.
    reach = {
        side: pl.when(pl.col(side).is_null()).then(0).otherwise(pl.min_horizontal(pl.col(side) // 2, "usual"))
        for side in ("before", "after")
    }
    rows = rows.with_columns(value.floor().cast(pl.Int64).alias(side) for side, value in reach.items())
    start = pl.max_horizontal(pl.col("first_ns") - pl.col("before"), pl.col("last_ns").shift().over("source"))
    rows = rows.with_columns(from_ns=start, to_ns=pl.col("last_ns") + pl.col("after"))
    return rows.select(*_CHANNEL, *STAY_TIMES).sort("source", "from_ns")
