"""Stretches of time: a long recording in pieces that fit in memory, the same for every estimator.

An exchange belongs to the stretch in which it ends. What an estimator needs of the exchanges themselves it takes from
one stretch after the other: a :data:`Part` turns the exchanges of a stretch into few rows, mostly sums per window. What
reaches over a cut is handed on: state by :attr:`Stretch.carried`, exchanges that began in an earlier stretch than they
end in by :attr:`Stretch.reaching_back`. So cuts change nothing and need not lie at the edges of windows; sums of a
window that was cut are added up afterwards (:func:`.windows.resummed`).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from itertools import pairwise
from threading import RLock
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._util.prefetch import ahead
from winf_analyzer.estimators.alike import alike
from winf_analyzer.estimators.settings import Settings
from winf_analyzer.estimators.windows import LINK, WINDOW

ROWS = 100_000
"""Exchanges of a stretch, some 500 octets each once they are prepared."""

WORKERS = 2
"""Parts that work on a stretch at a time; each holds columns of its own meanwhile."""

PACKED_FROM = 16
"""Stretches from which on what was gathered of each is compressed until it is wanted."""

CELL_NS = 1_000_000_000
"""Cuts lie at multiples of this; what ends within it stays together, however much it is."""

Part = Callable[..., pl.DataFrame]
"""A function of a :class:`Stretch`, the :class:`.Settings` and further arguments. Empty in, empty out."""

Request = tuple[Part, *tuple[Hashable, ...]]
"""A part and its further arguments."""

ORDER = ("medium", "end_ns", "air_start_ns")
"""What the exchanges of a stretch are sorted by."""

SHARE = "share"
"""The column of a stretch that numbers its windows' directed links: one number to group by, in place of two texts."""


class Stretch(NamedTuple):
    """The exchanges that end from `from_ns` up to, not including, `to_ns`; None: since ever, for ever."""

    rows: pl.DataFrame
    """As :attr:`.Recording.uses`, in the order of :data:`ORDER`, and :data:`SHARE`."""
    media: pl.DataFrame
    """As :attr:`.Recording.media`."""
    hops: pl.DataFrame
    """As :attr:`.Recording.hops`."""
    frames: pl.LazyFrame | None
    """As :attr:`.Recording.frames`; of them those that the exchanges hold."""
    edges: pl.DataFrame
    """`medium edge_ns`, sorted: where windows of the recording begin or end, those after `from_ns` up to `to_ns`."""
    reaching_back: pl.DataFrame
    """`medium air_from_ns access_from_ns`: since when any exchange that ends later is on the air, and contends."""
    from_ns: int | None
    to_ns: int | None
    shared: "Shared"
    """What several parts need of the stretch."""
    carried: dict[Hashable, Any]
    """What parts hand on from stretch to stretch, by keys of their own."""

    @property
    def uses(self) -> pl.LazyFrame:
        """The exchanges."""
        return self.rows.lazy()

    @property
    def links(self) -> pl.DataFrame:
        """The windows and directed links in the order of their :data:`SHARE`, texts as categories."""
        return self.shared.once("links", lambda: _links(self.rows))

    def is_over(self, instant_ns: pl.Expr) -> pl.Expr:
        """Nothing that ends before the instant lies after this stretch."""
        return pl.lit(value=True) if self.to_ns is None else instant_ns <= self.to_ns

    def was_over(self, instant_ns: pl.Expr) -> pl.Expr:
        """:meth:`is_over` of the stretch before."""
        return pl.lit(value=False) if self.from_ns is None else instant_ns <= self.from_ns


class Shared:
    """Tables that several parts need, by name; whoever needs one first makes it, others wait."""

    def __init__(self) -> None:
        self._made: dict[str, pl.DataFrame] = {}
        self._making = RLock()

    def once(self, name: str, make: Callable[[], pl.DataFrame]) -> pl.DataFrame:
        """What `make` returned to the first who asked."""
        with self._making:
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]


class Gathered(NamedTuple):
    """The rows of a part, of one stretch after the other; of many stretches compressed until they are wanted."""

    pieces: list[pl.DataFrame | bytes]

    def add(self, rows: pl.DataFrame, *, pack: bool) -> None:
        """The rows of one more stretch."""
        # Texts as numbers: none of them keeps the column alive that it was taken from.
        rows = rows.with_columns(pl.col(pl.String).cast(pl.Categorical))
        if not pack:
            self.pieces.append(rows)
            return
        packed = BytesIO()
        rows.write_ipc(packed, compression="zstd")
        self.pieces.append(packed.getvalue())

    def rows(self) -> pl.DataFrame:
        """All of them, texts as categories."""
        return pl.concat(pl.read_ipc(piece) if isinstance(piece, bytes) else piece for piece in self.pieces)


@dataclass(frozen=True)
class Stretches:
    """The stretches of a recording: read and prepared anew with every pass, one at a time."""

    exchanges: pl.LazyFrame
    """The `exchanges` table."""
    prepare: Callable[[pl.LazyFrame], pl.DataFrame]
    """Makes :attr:`.Recording.uses` of rows of the table that fit in memory."""
    planned: pl.DataFrame
    """What :func:`.survey.plan` returns."""
    held: pl.DataFrame | None
    """All exchanges prepared, of a recording that is one stretch."""

    def together(self) -> pl.LazyFrame:
        """All exchanges prepared; of a recording of several stretches anew with every collection."""
        return self._prepared(self.exchanges) if self.held is None else self.held.lazy()

    def parts(
        self, requests: Sequence[Request], settings: Settings, media: pl.DataFrame, hops: pl.DataFrame,
        frames: pl.LazyFrame | None, windows: pl.DataFrame,
    ) -> list["Gathered"]:  # fmt: skip
        """What the parts make of the stretches, in one pass, in the order asked."""
        found: list[Gathered] = [Gathered([]) for _ in requests]
        edges = _edges(windows)
        carried: dict[Hashable, Any] = {}
        bounds = [None, *cuts(self.planned), None] if self.held is None else [None, None]
        with ThreadPoolExecutor(max_workers=WORKERS) as workers:
            spans = list(pairwise(bounds))
            read = ahead(self._read(media, *span) for span in spans) if self.held is None else [self.held]
            for (from_ns, to_ns), rows in zip(spans, read, strict=True):
                stretch = Stretch(
                    rows=rows,
                    media=media,
                    hops=hops,
                    frames=_beginning_in(frames, rows),
                    edges=edges.filter(_after(from_ns, "edge_ns"), _up_to(to_ns, "edge_ns")),
                    reaching_back=self._reaching_back(to_ns),
                    from_ns=from_ns,
                    to_ns=to_ns,
                    shared=Shared(),
                    carried=carried,
                )
                made = workers.map(partial(_made, stretch, settings), requests)
                for gathered, rows_of_part in zip(found, made, strict=True):
                    gathered.add(rows_of_part, pack=len(bounds) > PACKED_FROM)
        return found

    def _read(self, media: pl.DataFrame, from_ns: int | None, to_ns: int | None) -> pl.DataFrame:
        """Of every source, the run of rows among which those of the stretch are, and of these those that end in it."""
        cells = self.planned.filter(_from(from_ns, "cell_ns"), _before(to_ns, "cell_ns"))
        runs = (
            cells.join(media.select("medium", "source"), on="medium")
            .group_by("source")
            .agg(pl.col("first_row").min(), pl.col("last_row").max())
            .sort("first_row")
        )
        apart = list(_apart(runs.select("first_row", "last_row").iter_rows()))
        # Tables in the order of time are read a little faster so; of others a run holds far more than is wanted.
        in_order = sum(count for _, count in apart) <= 2 * cells["rows"].sum()
        inside = _from(from_ns, "end_ns") & _before(to_ns, "end_ns")
        wanted = [self.exchanges.slice(first, count) for first, count in apart or [(0, 0)]]
        if in_order:
            return arranged(pl.concat(self.prepare(run).filter(inside) for run in wanted))
        return arranged(pl.concat(self._prepared(run).filter(inside).collect(engine="streaming") for run in wanted))

    def _prepared(self, exchanges: pl.LazyFrame) -> pl.LazyFrame:
        """Prepared as they are read, some at a time."""
        schema = self.prepare(exchanges.limit(0)).schema
        return exchanges.map_batches(
            lambda rows: self.prepare(rows.lazy()),
            schema=schema,
            streamable=True,
            predicate_pushdown=False,
            projection_pushdown=False,
        )

    def _reaching_back(self, to_ns: int | None) -> pl.DataFrame:
        later = self.planned.clear() if to_ns is None else self.planned.filter(pl.col("cell_ns") >= to_ns)
        return later.group_by("medium").agg(pl.col("air_from_ns", "access_from_ns").min())


def _made(stretch: Stretch, settings: Settings, request: Request) -> pl.DataFrame:
    part, *arguments = request
    return part(stretch, settings, *arguments)


def _links(rows: pl.DataFrame) -> pl.DataFrame:
    firsts = rows.select(*WINDOW, *LINK).filter(rows[SHARE].is_first_distinct())
    return firsts.with_columns(pl.col(pl.String).cast(pl.Categorical))


def arranged(rows: pl.DataFrame) -> pl.DataFrame:
    """Prepared exchanges as :attr:`Stretch.rows`."""
    rows = rows.sort(ORDER, maintain_order=True)
    return rows.with_columns(alike(rows, (*WINDOW, *LINK)).alias(SHARE))


def per_link(stretch: Stretch, rows: pl.LazyFrame, *sums: pl.Expr, **named: pl.Expr) -> pl.DataFrame:
    """What `sums` make of the rows of each window and directed link, behind the columns that name these.

    Args:
        stretch: what the rows are of.
        rows: with :data:`SHARE`.
        sums: aggregations.
        named: the same.
    """
    found = rows.group_by(SHARE).agg(*sums, **named).collect(engine="in-memory")
    return pl.concat([stretch.links[found[SHARE]], found.drop(SHARE)], how="horizontal")


def cuts(planned: pl.DataFrame) -> list[int]:
    """Where to cut, ns: at most :data:`ROWS` exchanges come to lie between two, or one cell."""
    found: list[int] = []
    held = 0
    cells = planned.group_by("cell_ns").agg(pl.col("rows").sum()).sort("cell_ns")
    for cell_ns, rows in cells.iter_rows():
        if held and held + rows > ROWS:
            found.append(cell_ns)
            held = 0
        held += rows
    return found


def _apart(runs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """First rows and lengths of runs (first and last row, sorted) without what several of them hold."""
    reached = 0
    for first, last in runs:
        begin = max(first, reached)
        if last >= begin:
            yield begin, last - begin + 1
        reached = max(reached, last + 1)


def _beginning_in(frames: pl.LazyFrame | None, rows: pl.DataFrame) -> pl.LazyFrame | None:
    first, last = rows["data_start_ns"].min(), rows["data_start_ns"].max()
    return frames if frames is None else frames.filter(pl.col("start_ns").is_between(first, last))


def _edges(windows: pl.DataFrame) -> pl.DataFrame:
    edges = [windows.select("medium", edge_ns=name) for name in ("from_ns", "to_ns")]
    return pl.concat(edges).unique().sort("medium", "edge_ns")


def _from(instant_ns: int | None, name: str) -> pl.Expr:
    return pl.lit(value=True) if instant_ns is None else pl.col(name) >= instant_ns


def _before(instant_ns: int | None, name: str) -> pl.Expr:
    return pl.lit(value=True) if instant_ns is None else pl.col(name) < instant_ns


def _after(instant_ns: int | None, name: str) -> pl.Expr:
    return pl.lit(value=True) if instant_ns is None else pl.col(name) > instant_ns


def _up_to(instant_ns: int | None, name: str) -> pl.Expr:
    return pl.lit(value=True) if instant_ns is None else pl.col(name) <= instant_ns
