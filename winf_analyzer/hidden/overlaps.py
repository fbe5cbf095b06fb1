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
        # Texts as numbers: in whichever order the sources come, each is one run.
        rows = rows.sort(pl.col("source").cast(pl.Categorical).to_physical(), "start_ns")
        yield from _pairs(rows, names)
        latest = pl.col("start_ns").max().over("source")
        carried = rows.filter(pl.col("start_ns") >= latest - CARRIED_NS).with_columns(fresh=pl.lit(value=False))


def _pairs(rows: pl.DataFrame, names: list[str]) -> Iterator[pl.DataFrame]:
    for distance in range(1, min(MOST_AT_ONCE, rows.height - 1) + 1):
        source, start = (pl.col(name).shift(-distance) for name in ("source", "start_ns"))
        overlaps = (pl.col("source") == source) & (start < pl.col("end_ns"))
        firsts = rows.select(overlaps.fill_null(value=False).arg_true()).to_series()
        if firsts.is_empty():
            return
        first = rows[firsts].select("source", "fresh", pl.col(names).name.suffix("_first"))
        second = rows[firsts + distance].select(pl.col("fresh", *names).name.suffix("_second"))
        yield (
            first.hstack(second)
            .filter(pl.col("fresh") | pl.col("fresh_second"), pl.col("sender_first") != pl.col("sender_second"))
            .drop("fresh", "fresh_second")
        )
