"""Reads the `exchanges` table chunk by chunk, prepared, in one pass for all aggregates."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import polars as pl

from winf_analyzer._aggregate import chunks, first_scan, hopping, preparation, recorder_pauses, windows
from winf_analyzer._aggregate.aggregate import Aggregate, Partials
from winf_analyzer._aggregate.chunks import HOPS, Chunk, Context, arranged
from winf_analyzer._aggregate.mac_profiles import MacProfiles
from winf_analyzer._aggregate.settings import Settings
from winf_analyzer._mac import infer
from winf_analyzer._mac.exchange_parameters import what_is_known
from winf_analyzer._schema import complete
from winf_analyzer._util.plugins import FAILURES
from winf_analyzer._util.prefetch import prefetched
from winf_analyzer._util.progress import advance

WORKERS = 2
"""Aggregates computed of a chunk at a time; each holds columns of its own meanwhile."""

COMPRESS_FROM = 16
"""Number of chunks from which on partial results are compressed until they are wanted."""


@dataclass(frozen=True)
class ExchangeReader:
    """What :func:`open_exchanges` returns. A pass reads and prepares the exchanges anew, one chunk at a time."""

    context: Context
    exchanges: pl.LazyFrame
    """The `exchanges` table."""
    frames: pl.LazyFrame | None
    profiles: MacProfiles
    cells: pl.DataFrame
    """What :func:`.first_scan.cells` returns."""
    whole: pl.DataFrame | None
    """The exchanges prepared, of a recording that is one chunk."""

    def aggregate(self, aggregates: Sequence[Aggregate], stage: str = "estimating") -> Partials:
        """The results of the aggregates for each chunk, in one pass; a display of progress calls it by ``stage``."""
        settings = self.context.settings
        bounds = [None, *chunks.boundaries(self.cells), None] if self.whole is None else [None, None]
        whole = settings.per_exchange or chunks.CELL_NS % (settings.step_ns or settings.window_ns) == 0
        partials = Partials(compress=len(bounds) > COMPRESS_FROM, windows_whole=whole)
        done, total = 0, int(self.cells["rows"].sum())
        with ThreadPoolExecutor(max_workers=WORKERS) as workers:
            for chunk in self._chunks(list(pairwise(bounds))):
                wanted = [aggregate for aggregate in aggregates if not partials.failed(aggregate)]
                found = workers.map(lambda aggregate, chunk=chunk: _partial(aggregate, chunk), wanted)
                for aggregate, rows in zip(wanted, found, strict=True):
                    partials.add(aggregate, rows)
                done += chunk.rows.height
                advance(stage, done, total, "exchanges")
        return partials

    def in_windows(self, settings: Settings) -> Context:
        """What is known of the recording, with other windows, of which each holds some of these as a whole.

        Without :attr:`.Context.hops`.
        """
        start = windows.part_start(pl.col("window_start_ns"), settings)
        media = self.context.media
        stays = self.context.stays
        listed = windows.listed(self.cells.select("medium", window_start_ns=start), media, settings, stays)
        return Context(settings, media, listed, pl.DataFrame(schema=HOPS), self.frames, stays)

    def _chunks(self, spans: Sequence[tuple[int | None, int | None]]) -> Iterator[Chunk]:
        edges = [self.context.windows.select("medium", edge_ns=name) for name in ("from_ns", "to_ns")]
        all_edges = pl.concat(edges).unique().sort("medium", "edge_ns")
        state: dict[Any, Any] = {}
        read = prefetched(self._read(*span) for span in spans) if self.whole is None else [self.whole]
        for (from_ns, to_ns), rows in zip(spans, read, strict=True):
            later = self.cells.clear() if to_ns is None else self.cells.filter(pl.col("cell_ns") >= to_ns)
            edge = pl.col("edge_ns")
            yield Chunk(
                rows=rows,
                context=self.context,
                frames=_beginning_with(rows, self.frames),
                edges=all_edges.filter(_bound(from_ns, edge.gt), _bound(to_ns, edge.le)),
                reaching_back=later.group_by("medium").agg(pl.col("air_from_ns", "access_from_ns").min()),
                from_ns=from_ns,
                to_ns=to_ns,
                state=state,
            )

    def _read(self, from_ns: int | None, to_ns: int | None) -> pl.DataFrame:
        """The exchanges that end in a span: of every source the run of rows among which they lie, filtered."""
        cell, end = pl.col("cell_ns"), pl.col("end_ns")
        cells = self.cells.filter(_bound(from_ns, cell.ge), _bound(to_ns, cell.lt))
        runs = (
            cells.join(self.context.media.select("medium", "source"), on="medium")
            .group_by("source")
            .agg(pl.col("first_row").min(), pl.col("last_row").max())
            .sort("first_row", "last_row")
        )
        inside = _bound(from_ns, end.ge), _bound(to_ns, end.lt)
        found = [
            preparation.prepared(self.exchanges.slice(first, count), self.profiles, self.context.settings).filter(
                *inside
            )
            for first, count in _blocks(runs.select("first_row", "last_row").iter_rows())
        ]
        return chunks.with_stays(arranged(pl.concat(found)), self.context)


def open_exchanges(
    exchanges: pl.LazyFrame,
    settings: Settings,
    frames: pl.LazyFrame | None = None,
    parameters: pl.DataFrame | None = None,
    pauses: pl.DataFrame | None = None,
) -> ExchangeReader:
    """Scans the `exchanges` table once, for the senders' mean backoffs and for which rows lie where.

    Args:
        exchanges: the table; rows must come in the same order whenever it is collected.
        settings: the kind of windows, and MAC parameters for all.
        frames: the `frames` table, for what `exchanges` does not tell; read only where it is needed.
        parameters: the `mac_parameters` table; inferred from the exchanges where it is not given.
        pauses: when the recorders recorded nothing though stations sent: of :func:`.recorder_pauses.found`.
    """
    exchanges = complete(exchanges, "exchanges")
    if parameters is None and settings.mac is None:
        parameters = infer(exchanges)
    known = what_is_known(parameters)
    rows = exchanges.select(pl.len()).collect(engine="streaming").item()
    most = chunks.rows_per_chunk()
    short = rows <= most
    exchanges = exchanges.collect(engine="in-memory").lazy() if short else exchanges
    profiles = MacProfiles(settings, known)
    timed = prefetched(
        preparation.timed(exchanges.slice(start, most), start, profiles, settings)
        for start in range(0, max(rows, 1), most)
    )
    scanned = pl.concat(first_scan.scan(block) for block in timed)
    first = first_scan.first_channels(scanned)
    hops = hopping.found(exchanges, first["source"].to_list())
    senders = first_scan.senders(scanned, settings, first)
    cells = first_scan.cells(scanned, senders, first)
    del scanned
    media = _with_spans(senders.select("medium", *first_scan.MEDIUM).unique().sort("medium"), cells)
    profiles = MacProfiles(settings, known, senders, first, hops)
    stays = (
        media.drop("first_ns", "last_ns")
        .join(hops.stays, on=["source", "channel_mhz"])
        .select("medium", *chunks.STAY_TIMES, is_apart=pl.lit(value=True))
    )
    if pauses is not None and pauses.height:
        stays = pl.concat([stays, recorder_pauses.stays_between(pauses, media, cells)])
    stays = stays.sort("from_ns")
    listed = windows.listed(cells, media, settings, stays)
    context = Context(settings, media, listed, pl.DataFrame(schema=HOPS), frames, stays)
    whole = preparation.prepared(exchanges, profiles, settings) if short else None
    return ExchangeReader(
        context=context,
        exchanges=exchanges,
        frames=frames,
        profiles=profiles,
        cells=cells,
        whole=whole if whole is None else chunks.with_stays(arranged(whole), context),
    )


def _with_spans(media: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    spans = cells.group_by("medium").agg(first_ns=pl.col("access_from_ns").min(), last_ns=pl.col("last_ns").max())
    return media.join(spans, on="medium").with_columns(
        pl.col("first_ns").min().over("source"), pl.col("last_ns").max().over("source")
    )


def _bound(instant_ns: int | None, compare: Callable[[int], pl.Expr]) -> pl.Expr:
    return pl.lit(value=True) if instant_ns is None else compare(instant_ns)


def _partial(aggregate: Aggregate, chunk: Chunk) -> pl.DataFrame | BaseException:
    try:
        rows = aggregate.function(chunk, *aggregate.arguments)
        if not isinstance(rows, pl.DataFrame):
            raise TypeError(f"{aggregate.function.__name__} returned {type(rows).__name__}, not a polars.DataFrame")
    except FAILURES as error:  # raised again where the table is wanted: one estimator's fault is not another's
        return error
    return rows


def _blocks(runs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """First rows and lengths of blocks that hold the runs (first and last row, sorted).

    A block has :func:`.chunks.rows_per_chunk` rows at most. Runs that touch or overlap are one; without runs there
    is an empty block.
    """
    most = chunks.rows_per_chunk()
    joined: list[tuple[int, int]] = []
    for first, last in runs:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    for first, last in joined:
        for begin in range(first, last + 1, most):
            yield begin, min(most, last + 1 - begin)
    if not joined:
        yield 0, 0


def _beginning_with(rows: pl.DataFrame, frames: pl.LazyFrame | None) -> pl.LazyFrame | None:
    first, last = rows["data_start_ns"].min(), rows["data_start_ns"].max()
    return frames if frames is None else frames.filter(pl.col("start_ns").is_between(first, last))
