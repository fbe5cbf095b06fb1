"""Exchanges of different senders that overlap in time, found in one pass and bounded memory.

Sorted by start, an exchange overlaps a run of those that follow it: the comparison goes to the next, the one after
that, and so on, and ends at the first distance at which nothing overlaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

MOST_AT_ONCE = 40
"""Exchanges in progress at a time: as many as the exchange builder keeps open. Ends the search on damaged times."""

CARRIED_NS = 50_000_000
"""How long an exchange of an earlier batch can still overlap: a Duration field reserves 32.8 ms at most (9.2.5)."""


def overlapping(batches: Iterable[pl.DataFrame], columns: Iterable[str]) -> Iterator[pl.DataFrame]:
    """Pairs of overlapping exchanges of two senders.

    Args:
        batches: exchanges nearly in the order of their ends: `source`, `sender`, `start_ns`, `end_ns` and `columns`.
        columns: what is told of both.

    Yields:
        `source` and, for the one that started first, `sender start_ns end_ns` and `columns` with the suffix `_first`,
        for the other with `_second`. Each pair once.
    """
    names = ["sender", "start_ns", "end_ns", *columns]
    carried: pl.DataFrame | None = None
    for batch in batches:
        fresh = batch.with_columns(fresh=pl.lit(value=True))
        rows = fresh if carried is None else pl.concat([carried, fresh])
        rows = rows.sort("source", "start_ns")
        yield from _pairs(rows, names)
        latest = pl.col("start_ns").max().over("source")
        carried = rows.filter(pl.col("start_ns") >= latest - CARRIED_NS).with_columns(fresh=pl.lit(value=False))


def _pairs(rows: pl.DataFrame, names: list[str]) -> Iterator[pl.DataFrame]:
    later = {"source": "source_second", "fresh": "fresh_second"} | {name: f"{name}_second" for name in names}
    for distance in range(1, min(MOST_AT_ONCE, rows.height - 1) + 1):
        second = rows.slice(distance).select(pl.col(name).alias(alias) for name, alias in later.items())
        first = rows.head(rows.height - distance).rename({name: f"{name}_first" for name in names})
        beside = pl.concat([first, second], how="horizontal").filter(
            pl.col("source") == pl.col("source_second"), pl.col("start_ns_second") < pl.col("end_ns_first")
        )
        if beside.is_empty():
            return
        yield beside.filter(
            pl.col("fresh") | pl.col("fresh_second"), pl.col("sender_first") != pl.col("sender_second")
        ).drop("source_second", "fresh", "fresh_second")
