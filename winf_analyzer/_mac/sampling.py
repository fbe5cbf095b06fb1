"""A bounded sample of the `exchanges` table: what the values of MAC parameters are inferred from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from winf_analyzer import _core
from winf_analyzer._mac.presets import PHY_ORDER, PRESETS, preset_of
from winf_analyzer._mac.schema import DCF

if TYPE_CHECKING:
    import polars as pl

BLOCK_ROWS = 1 << 14
"""Consecutive exchanges per block: gaps are only known between consecutive exchanges."""

SAMPLE_ROWS = 1 << 17
"""Maximum number of exchanges per source; more would not improve the parameters."""

MEDIUM = ("source", "observer")
"""Columns that identify a medium, which is the channel as one radio recorded it."""

_TEXTS = ("source", "observer", "sender", "bssid", "kind", "data_kind", "phy", "preamble")
_INTEGERS = (
    *("start_ns", "rts_start_ns", "rts_ns", "cts_start_ns", "cts_ns"),
    *("tid", "attempt", "channel_mhz", "mpdus", "length_bytes"),
)
_FLOATS = ("idle_before_us", "ack_airtime_us")
_TRUTHS = ("complete", "hidden", "direct")


class Station(NamedTuple):
    """A sender of a medium; exchanges of unknown senders are those of one station per medium."""

    medium: int
    """Number of the medium, from 0."""
    source: str | None
    observer: str | None
    sender: str | None
    exchanges: int
    family: str
    """The preset of the newest PHY it used."""
    sifs_us: float
    """SIFS of that preset."""


class Sample(NamedTuple):
    """A sample of the table, sorted by medium and time."""

    exchanges: _core.ExchangeSample
    stations: list[Station]
    """The senders by number; those of a medium are together."""


def draw_samples(exchanges: pl.LazyFrame) -> Iterator[Sample]:
    """:func:`draw_sample` of every source, independent of the others; small consecutive ones share a sample."""
    for first, rows in _batches(exchanges):
        yield draw_sample(exchanges.slice(first, rows))


def _batches(exchanges: pl.LazyFrame) -> Iterator[tuple[int, int]]:
    """First rows and lengths of runs of whole sources, of :data:`SAMPLE_ROWS` at most, or of one source.

    Sources between whose rows are those of others are one run.
    """
    import polars as pl

    rows = exchanges.select(pl.len()).collect(engine="streaming").item()
    if rows <= SAMPLE_ROWS or "source" not in exchanges.collect_schema():
        yield 0, rows
        return
    row = pl.col("row")
    runs = exchanges.select("source").with_row_index("row").group_by("source").agg(first=row.min(), last=row.max())
    sources: list[tuple[int, int]] = []
    for _, first, last in runs.collect(engine="streaming").sort("first").iter_rows():
        if sources and first <= sources[-1][1]:
            sources[-1] = sources[-1][0], max(sources[-1][1], last)
        else:
            sources.append((first, last))
    begin = 0
    for (_, last), (_, next_last) in pairwise([*sources, (rows, rows + SAMPLE_ROWS)]):
        if next_last + 1 - begin > SAMPLE_ROWS:
            yield begin, last + 1 - begin
            begin = last + 1


def draw_sample(exchanges: pl.LazyFrame) -> Sample:
    """At most :data:`SAMPLE_ROWS` exchanges in blocks, evenly distributed over the table; missing columns are null."""
    import polars as pl

    types: dict[str, pl.DataType] = {
        **dict.fromkeys(_TEXTS, pl.String()),
        **dict.fromkeys(_INTEGERS, pl.Int64()),
        **dict.fromkeys(_FLOATS, pl.Float64()),
        **dict.fromkeys(_TRUTHS, pl.Boolean()),
    }
    available = exchanges.collect_schema()
    columns = [
        (pl.col(name) if name in available else pl.lit(None)).cast(dtype, strict=False).alias(name)
        for name, dtype in types.items()
    ]
    rows = exchanges.select(pl.len()).collect(engine="streaming").item()
    chosen = exchanges.select(columns)
    if rows <= SAMPLE_ROWS:
        return sample_of(chosen.collect(engine="streaming"))
    # Only these slices of the Parquet files are read.
    count = SAMPLE_ROWS // BLOCK_ROWS
    starts = [number * (rows - BLOCK_ROWS) // max(1, count - 1) for number in range(count)]
    blocks = [chosen.slice(start, BLOCK_ROWS).with_columns(block=pl.lit(start, pl.Int64)).collect() for start in starts]
    return sample_of(pl.concat(blocks))


def sample_of(exchanges: Any) -> Sample:
    """The sample that a table of the Arrow PyCapsule interface is."""
    sample = _core.ExchangeSample(exchanges)
    rows = sample.stations()
    newest: dict[int, tuple[int, int]] = {}
    presets: list[str] = []
    usual: dict[int, str] = {}
    for medium, *_, phy, channel_mhz, row, _ in rows:
        presets.append(preset_of(phy, channel_mhz))
        rank = PHY_ORDER.index(phy) if phy else -1, -row
        if medium not in newest or rank > newest[medium]:
            newest[medium], usual[medium] = rank, presets[-1]
    stations = []
    for (medium, source, observer, sender, count, *_, guessed), own in zip(rows, presets, strict=True):
        # A station without recorded frames is taken to have the newest PHY of its medium.
        family = usual[medium] if guessed else own
        stations.append(Station(medium, source, observer, sender, count, family, PRESETS[family].sifs_us))
    return Sample(sample, stations)


def access_category() -> pl.Expr:
    """The access category of an exchange: that of the TID's user priority (table 10-1), or DCF."""
    import polars as pl

    tid = pl.col("tid")
    category = pl.Series(["be", "bk", "bk", "be", "vi", "vi", "vo", "vo"])
    edca = tid.replace_strict(list(range(8)), category, default=None, return_dtype=pl.String)
    # A Null frame signals power save; it is queued like a management frame and says nothing about data.
    return (
        pl.when(pl.col("data_kind") == "data")
        .then(pl.lit(DCF))
        .when(pl.col("data_kind").is_in(["qos_data", "qos_null"]))
        .then(edca)
    )
