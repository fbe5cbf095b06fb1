"""Chunks of time: a long recording in pieces that fit in memory, the same for every aggregate.

An exchange belongs to the chunk in which it ends. State that crosses a chunk boundary is carried (:attr:`Chunk.state`),
and exchanges that end later than they began are announced (:attr:`Chunk.reaching_back`). So chunking never changes
results, and boundaries need not be those of windows.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, NamedTuple, TypeVar

import polars as pl
import polars.selectors as cs

from winf_analyzer import _core
from winf_analyzer._aggregate.settings import Settings
from winf_analyzer._aggregate.sort_keys import group_ids
from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer._util.memory import memory_limit

ROWS = 100_000
"""Most exchanges per chunk, some 500 octets each once they are prepared."""

BYTES_PER_ROW = 10_000
"""Of the memory limit: prepared rows, the chunk that is read ahead, and what two aggregates hold of it meanwhile."""

CELL_NS = 1_000_000_000
"""Chunk boundaries are multiples of this; what ends within it stays together, however much it is."""

ORDER = ("medium", "end_ns", "air_start_ns")
"""What the exchanges of a chunk are sorted by."""

HOPS = pl.Schema(
    {"path": pl.String(), "flow": pl.String(), "sender": pl.String(), "receiver": pl.String(), "hops": pl.Int64()}
)
"""A row for every hop of every path of every flow: `path` as `estimates` writes it; `hops`: how many it has."""

STAY_TIMES = ("from_ns", "to_ns", "first_ns", "last_ns")
"""When a recorder that does not always listen to a channel did, and its first and last record then."""

EMPTY_STAYS = pl.DataFrame(
    schema={"medium": pl.UInt32, **dict.fromkeys(STAY_TIMES, pl.Int64), "is_apart": pl.Boolean},
)

STAY, STAY_FIRST, STAY_LAST = "stay", "stay_first_ns", "stay_last_ns"
"""Columns of a chunk of recorders that do not always listen: the number of the stay, or of a medium that is listened to
always; and the first and last record of the stay."""

NUMBERS = "numbers"
"""Column of such a chunk: the stay since which sequence numbers were followed."""

_STAY_FROM = "stay_from_ns"
_TIMES_OF_STAY = {STAY_FIRST: pl.col("first_ns"), STAY_LAST: pl.col("last_ns"), _STAY_FROM: pl.col("from_ns")}

_GAPS = ("idle_before_us", "own_gap_ns", "backoff_us", "service_ns")
"""Columns of a chunk that tell of the time before an exchange."""

GROUP = "group"
"""The column of a chunk that numbers its windows' directed links: one number to group by, in place of two texts."""

Value = TypeVar("Value")


class Context(NamedTuple):
    """What is known of a recording besides its exchanges. Nothing in it changes."""

    settings: Settings
    media: pl.DataFrame
    """One row per medium: `medium`, :data:`.first_scan.MEDIUM`, and the span of its source, `first_ns` to `last_ns`.

    A medium is the air of one channel as one radio recorded it: one (source, observer), of a radio that hops each of
    its channels. The span belongs to the source: an observer that heard nothing for a while still listened. It begins
    with the access before the first exchange, so that exchange counts in full.
    """
    windows: pl.DataFrame
    """The windows in which something happened: `medium window_start_ns from_ns to_ns covered_ns` (:func:`.listed`)."""
    hops: pl.DataFrame
    """The paths that packets take, by hop: :data:`HOPS`; empty unless asked for (:func:`.paths.with_paths`)."""
    frames: pl.LazyFrame | None = None
    """The `frames` table, if it is at hand: read only where exchanges leave a question open."""
    stays: pl.DataFrame = EMPTY_STAYS
    """`medium from_ns to_ns first_ns last_ns is_apart`: when recorders listened to a medium that hop (:mod:`.hopping`),
    or pause (:mod:`.recorder_pauses`); others always do. `is_apart`: too much was sent before to follow its numbers."""

    @property
    def media_names(self) -> pl.DataFrame:
        """`medium source observer`, texts as categories."""
        return self.media.select("medium", pl.col("source", "observer").cast(pl.Categorical))

    @property
    def coverage(self) -> pl.DataFrame:
        """`medium window_start_ns covered_ns`: how much of each window its source covers."""
        return self.windows.select(*WINDOW, "covered_ns")


@dataclass(frozen=True)
class Chunk:
    """The exchanges that end from `from_ns` up to, not including, `to_ns`; None: since ever, for ever."""

    rows: pl.DataFrame
    """One row per exchange with a time stamp, in the order of :data:`ORDER`.

    Besides the columns of `exchanges`: `medium`; `window_start_ns` (of the window, or the step of a sliding one, in
    which it ends); :data:`GROUP`; the MAC parameters of :func:`.with_mac`, where `t_rts t_cts t_ack` are the frames'
    own airtimes if they were heard; `family` (the PHY, or `ofdm_10mhz`); `access_category`; `air_start_ns`, `end_ns`
    (its time on the air); `access_ns` (what the access to the medium cost before; the column of that name in
    `exchanges` is `service_ns` here); `unicast`; `sample` (it carried payload and was acknowledged). Receivers of
    group-addressed frames are null. Kinds, PHYs and access categories are categories.
    """
    context: Context
    frames: pl.LazyFrame | None
    """The `frames` table, if it is at hand; of it what begins while the data of these exchanges does."""
    edges: pl.DataFrame
    """`medium edge_ns`, sorted: where windows begin or end, after `from_ns` up to `to_ns`."""
    reaching_back: pl.DataFrame
    """`medium air_from_ns access_from_ns`: since when any exchange that ends later is on the air, and contends."""
    from_ns: int | None
    to_ns: int | None
    state: dict[Hashable, Any]
    """What aggregates hand on to the next chunk, each under a key of its own."""
    _made: dict[Hashable, Any] = field(default_factory=dict)
    _making: RLock = field(default_factory=RLock)

    @property
    def settings(self) -> Settings:
        """What the user set."""
        return self.context.settings

    @property
    def uses(self) -> pl.LazyFrame:
        """The exchanges: uses of the medium."""
        return self.rows.lazy()

    def once(self, function: Callable[..., Value], *arguments: Hashable) -> Value:
        """What the function returns for this chunk: whoever asks first computes it, others wait."""
        with self._making:
            key = (function, *arguments)
            if key not in self._made:
                self._made[key] = function(self, *arguments)
            found: Value = self._made[key]
            return found

    def per_link(self, rows: pl.LazyFrame, *sums: pl.Expr, **named: pl.Expr) -> pl.DataFrame:
        """What aggregations make of the rows (with :data:`GROUP`) of each window and directed link, named by these."""
        found = rows.group_by(GROUP).agg(*sums, **named).collect(engine="in-memory")
        links = self.once(_links)
        return pl.concat([links[found[GROUP]], found.drop(GROUP)], how="horizontal")

    def link_sums(
        self,
        rows: pl.LazyFrame,
        names: Sequence[str],
        named: Callable[[pl.DataFrame, pl.Series], pl.DataFrame] | None = None,
    ) -> pl.DataFrame:
        """Sums of columns of the rows (with :data:`GROUP`) of each window and directed link, named by these.

        Flags are counted; all but floats make 64-bit whole numbers. `named`: called with all windows and links, and the
        numbers in place of :data:`GROUP` if they are others; returns the names of each.
        """
        others = cs.integer() - cs.by_name(GROUP)
        read = rows.select(GROUP, *names).with_columns(others.cast(pl.Int64)).collect(engine="in-memory")
        found = pl.DataFrame(_core.group_sums(read))
        links = self.once(_links)
        keys = links[found[GROUP]] if named is None else named(links, found[GROUP])
        return pl.concat([keys, found.drop(GROUP)], how="horizontal")

    def is_over(self, instant_ns: pl.Expr) -> pl.Expr:
        """Nothing that ends before the instant lies after this chunk."""
        return pl.lit(value=True) if self.to_ns is None else instant_ns <= self.to_ns

    def was_over(self, instant_ns: pl.Expr) -> pl.Expr:
        """:meth:`is_over` of the chunk before."""
        return pl.lit(value=False) if self.from_ns is None else instant_ns <= self.from_ns


def _links(chunk: Chunk) -> pl.DataFrame:
    """The windows and directed links in the order of their :data:`GROUP`."""
    firsts = chunk.rows.select(*WINDOW, *LINK).filter(chunk.rows[GROUP].is_first_distinct())
    return firsts.with_columns(pl.col(pl.String).cast(pl.Categorical))


def arranged(rows: pl.DataFrame) -> pl.DataFrame:
    """Prepared exchanges as :attr:`Chunk.rows`."""
    # Taking rows by position is quicker than sorting all columns by the three.
    rows = rows[rows.select(pl.arg_sort_by(ORDER, maintain_order=True)).to_series()]
    return rows.with_columns(group_ids(rows, (*WINDOW, *LINK)).alias(GROUP))


def with_stays(rows: pl.DataFrame, context: Context) -> pl.DataFrame:
    """:attr:`Chunk.rows` of recorders that hop or pause, with :data:`STAY` and its times; others as they are."""
    if context.stays.is_empty():
        return rows
    stays = context.stays.sort("from_ns").with_row_index(STAY, context.media.height)
    followed = pl.when("is_apart").then(STAY).forward_fill().over("medium")
    stays = stays.with_columns(followed.alias(NUMBERS))
    found = rows.select("medium", "end_ns").join_asof(
        stays.select("medium", "from_ns", STAY, NUMBERS, **_TIMES_OF_STAY),
        left_on="end_ns",
        right_on="from_ns",
        by="medium",
        check_sortedness=False,
    )
    numbered = (pl.coalesce(name, "medium").cast(pl.UInt32).alias(name) for name in (STAY, NUMBERS))
    rows = rows.hstack(found.select(*numbered, *_TIMES_OF_STAY))
    # What was sent before a stay, and when, is not known.
    idle_from_ns = pl.col("air_start_ns") - pl.col("idle_before_us") * 1000
    reaches_back = (idle_from_ns < pl.col(_STAY_FROM)).fill_null(value=False)
    return rows.with_columns(pl.when(~reaches_back).then(name).alias(name) for name in _GAPS).drop(_STAY_FROM)


def rows_per_chunk() -> int:
    """:data:`ROWS`, or less where the memory limit is low; results are the same."""
    return max(1, min(ROWS, memory_limit() // BYTES_PER_ROW))


def boundaries(cells: pl.DataFrame) -> list[int]:
    """Chunk boundaries, ns: at most :func:`rows_per_chunk` exchanges lie between two, or one cell.

    Args:
        cells: `cell_ns`, `rows` that end in the cell.
    """
    found: list[int] = []
    held, most = 0, rows_per_chunk()
    for cell_ns, rows in cells.group_by("cell_ns").agg(pl.col("rows").sum()).sort("cell_ns").iter_rows():
        if held and held + rows > most:
            found.append(cell_ns)
            held = 0
        held += rows
    return found
