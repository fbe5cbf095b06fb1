"""What to compute of the chunks of a recording, as data."""

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._aggregate.chunks import Context
from winf_analyzer._aggregate.settings import Settings
from winf_analyzer._aggregate.windows import LINK, WINDOW, part_start

PER_LINK = (*WINDOW, *LINK)
"""Keys of sums per window and directed link."""


@dataclass(frozen=True)
class Aggregate:
    """A function of a chunk, and how its results for several chunks combine. Equal ones are computed once."""

    function: Callable[..., pl.DataFrame]
    """Called with a :class:`.Chunk` and the arguments. Without exchanges it returns no rows, but all columns."""
    arguments: tuple[Hashable, ...] = ()
    keys: tuple[str, ...] | None = PER_LINK
    """The columns that identify a row; all others are whole numbers, or sums of such, and are added where chunks share
    a key. None: the rows of all chunks follow one another."""


@dataclass(frozen=True, eq=False)
class Derived:
    """A table, or several, worked out of other inputs once for everyone who names it."""

    function: Callable[..., Any]
    """Called with the :class:`.Context` and the inputs by name."""
    inputs: Mapping[str, "Input"] = field(default_factory=dict)


Input = Aggregate | Derived


LARGE_BYTES = 8 << 20
"""Size of a partial result from which it is compressed until it is wanted: there are two dozen at a time."""


class Partials:
    """What aggregates made of each chunk so far, texts as categories; compressed where that is much."""

    def __init__(self, *, compress: bool, windows_whole: bool) -> None:
        """`windows_whole`: no window has exchanges in several chunks."""
        self._compress, self._windows_whole = compress, windows_whole
        self._tables: dict[Aggregate, list[pl.DataFrame | bytes]] = {}
        self._errors: dict[Aggregate, BaseException] = {}
        self._heights: dict[Aggregate, int] = {}

    def add(self, aggregate: Aggregate, found: pl.DataFrame | BaseException) -> None:
        """The result for the next chunk, or why there is none."""
        if isinstance(found, BaseException):
            self._errors.setdefault(aggregate, found)
            return
        # Texts as numbers: none of them keeps the column alive that it was taken from.
        rows = found.with_columns(pl.col(pl.String).cast(pl.Categorical))
        packed = self._compress or rows.estimated_size() > LARGE_BYTES
        self._tables.setdefault(aggregate, []).append(compressed(rows) if packed else rows)
        self._heights[aggregate] = self._heights.get(aggregate, 0) + rows.height

    @property
    def links(self) -> int:
        """Rows of the longest sums per window and link so far: about as many as there are links in all windows."""
        return max((rows for aggregate, rows in self._heights.items() if aggregate.keys == PER_LINK), default=0)

    def keep(self, wanted: Collection[Hashable]) -> None:
        """Drop what is not wanted."""
        for aggregate in self._tables.keys() - wanted:
            del self._tables[aggregate]

    def failed(self, aggregate: Aggregate) -> bool:
        """Whether its function raised an exception."""
        return aggregate in self._errors

    def combined(self, aggregate: Aggregate, *, drop: bool = False) -> pl.DataFrame:
        """One table for all chunks; raises what the function of the aggregate raised. `drop` frees the partial ones."""
        if aggregate in self._errors:
            raise self._errors[aggregate]
        tables = self._tables.pop(aggregate) if drop else self._tables[aggregate]
        # Taking rows out of several chunks of memory looks up the chunk of every value.
        rows = pl.concat(pl.read_ipc(table) if isinstance(table, bytes) else table for table in tables).rechunk()
        if aggregate.keys is None or len(tables) == 1 or (self._windows_whole and set(WINDOW) <= set(aggregate.keys)):
            return rows
        return rows.group_by(aggregate.keys, maintain_order=True).agg(pl.all().sum())


class InWindows:
    """The same in longer windows, of sums per window and link."""

    def __init__(self, partials: Partials, settings: Settings) -> None:
        """`settings`: with windows of which each holds some of those of the partial results as a whole."""
        self._partials, self._settings = partials, settings

    def combined(self, aggregate: Aggregate, *, drop: bool = False) -> pl.DataFrame:
        """As :meth:`Partials.combined`, of which nothing is dropped; what no window is a key of is the same in all."""
        if aggregate.keys is not None and not set(WINDOW) <= set(aggregate.keys):
            return self._partials.combined(aggregate)
        if aggregate.keys != PER_LINK:
            raise ValueError(f"{aggregate.function.__name__} is not summed per window and link")
        rows = self._partials.combined(aggregate)
        rows = rows.with_columns(part_start(pl.col("window_start_ns"), self._settings).alias("window_start_ns"))
        return rows.group_by(PER_LINK, maintain_order=True).agg(pl.all().sum())


class Both(NamedTuple):
    """The inputs of a recording in its windows, and of the whole of it as one window of further media.

    What an estimator works out of one medium does not depend on others. So both are found together, by as many
    operations on tables as one of them takes, which on a short recording are most of the work.
    """

    partials: Partials
    whole: InWindows
    media: int
    """How many the recording has."""

    def combined(self, aggregate: Aggregate, *, drop: bool = False) -> pl.DataFrame:
        """As :meth:`.Partials.combined`, of which nothing is dropped."""
        found = self.partials.combined(aggregate), self.whole.combined(aggregate)
        return pl.concat([found[0], _numbered_on(found[1], self.media)])


def with_whole(context: Context, whole: Context) -> Context:
    """What is known of the recording, with `whole`, that of one window per medium, as further media."""
    count = context.media.height
    # Of the window counts what the recording covers.
    windows = whole.windows.with_columns(to_ns=pl.col("from_ns") + pl.col("covered_ns"))
    return context._replace(
        media=pl.concat([context.media, _numbered_on(whole.media, count)]),
        windows=pl.concat([context.windows, _numbered_on(windows, count)]),
        stays=pl.concat([context.stays, _numbered_on(whole.stays, count)]),
    )


def parted(rows: pl.DataFrame, media: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of the windows, and those of the whole with their own medium again."""
    further = pl.col("medium") >= media
    whole = rows.filter(further).with_columns((pl.col("medium") - media).cast(rows.schema["medium"]))
    return rows.filter(~further), whole


def _numbered_on(rows: pl.DataFrame, media: int) -> pl.DataFrame:
    return rows.with_columns((pl.col("medium") + media).cast(rows.schema["medium"]))


def compressed(rows: pl.DataFrame) -> bytes:
    """A table that is wanted later, for `polars.read_ipc`."""
    packed = BytesIO()
    rows.write_ipc(packed, compression="zstd")
    return packed.getvalue()
