"""A bounded sample of the `exchanges` table, sorted by medium and time, with properties of the gap before each."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import polars as pl

from winf_analyzer._mac.presets import PHY_ORDER, PRESETS, preset_name
from winf_analyzer._mac.schema import ACCESS_CATEGORIES, DCF

BLOCK_ROWS = 1 << 14
"""Consecutive exchanges per block: gaps are only known between consecutive exchanges."""

SAMPLE_ROWS = 1 << 17
"""Maximum number of exchanges per source; more would not improve the parameters."""

MIN_DSSS_RESPONSE_US = 106.0
"""Airtime of a CTS or ACK at 11 Mb/s with short preamble (16.2.2); an OFDM BlockAck at 6 Mb/s is at most 74 us."""

_CATEGORIES = pl.Enum(sorted([*ACCESS_CATEGORIES, DCF]))

MEDIUM = ("source", "observer")
"""Columns that identify a medium, which is the channel as one radio recorded it."""

COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("source", "observer", "sender", "bssid"), pl.Categorical()),
    **dict.fromkeys(("kind", "data_kind", "phy", "preamble"), pl.Categorical()),
    **dict.fromkeys(("start_ns", "rts_start_ns", "rts_ns", "cts_start_ns", "cts_ns"), pl.Int64()),
    **dict.fromkeys(("tid", "attempt", "channel_mhz", "mpdus", "length_bytes"), pl.Int64()),
    **dict.fromkeys(("idle_before_us", "ack_airtime_us"), pl.Float64()),
    **dict.fromkeys(("complete", "hidden", "direct"), pl.Boolean()),
}
"""The columns of `exchanges` that are read; a missing one is null."""


class Sample(NamedTuple):
    """A sample of the table."""

    exchanges: pl.DataFrame
    """Exchanges sorted by medium and time: :data:`COLUMNS` and

    `access_category` (:func:`access_category`), `clean` (the gap before it starts at the end of a complete exchange),
    `same_sender` (that exchange has the same sender), and `station`, `medium` and `sifs_us` of the sender.
    """

    stations: pl.DataFrame
    """One row per sender, by medium and address: `station medium source observer sender exchanges family sifs_us`.

    The first two are numbers from 0; `family` is the preset of the newest PHY it used, and `sifs_us` that of the
    preset. Exchanges of unknown senders have one row per medium.
    """


def draw_samples(exchanges: pl.LazyFrame) -> Iterator[Sample]:
    """:func:`draw_sample` of every source, independent of the others; small consecutive ones share a sample."""
    for first, rows in _batches(exchanges):
        yield draw_sample(exchanges.slice(first, rows))


def _batches(exchanges: pl.LazyFrame) -> Iterator[tuple[int, int]]:
    """First rows and lengths of runs of whole sources, of :data:`SAMPLE_ROWS` at most, or of one source.

    Sources between whose rows are those of others are one run.
    """
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
    """At most :data:`SAMPLE_ROWS` exchanges in blocks, evenly distributed over the table."""
    available = exchanges.collect_schema()
    columns = [
        (pl.col(name) if name in available else pl.lit(None)).cast(dtype, strict=False).alias(name)
        for name, dtype in COLUMNS.items()
    ]
    rows = exchanges.select(pl.len()).collect(engine="streaming").item()
    chosen = exchanges.select(columns)
    if rows <= SAMPLE_ROWS:
        return _numbered(chosen.with_columns(block=pl.lit(0)).collect(engine="streaming"))
    # Only these slices of the Parquet files are read.
    count = SAMPLE_ROWS // BLOCK_ROWS
    starts = [number * (rows - BLOCK_ROWS) // max(1, count - 1) for number in range(count)]
    blocks = [chosen.slice(start, BLOCK_ROWS).with_columns(block=pl.lit(start)).collect() for start in starts]
    return _numbered(pl.concat(blocks))


def access_category(dtype: pl.Enum | type[pl.String] = pl.String) -> pl.Expr:
    """The access category of an exchange as `dtype`: that of the TID's user priority (table 10-1), or DCF."""
    tid = pl.col("tid")
    category = pl.Series(["be", "bk", "bk", "be", "vi", "vi", "vo", "vo"])
    edca = tid.replace_strict(list(range(8)), category, default=None, return_dtype=dtype)
    # A Null frame signals power save; it is queued like a management frame and says nothing about data.
    return (
        pl.when(pl.col("data_kind") == "data")
        .then(pl.lit(DCF, dtype=dtype))
        .when(pl.col("data_kind").is_in(["qos_data", "qos_null"]))
        .then(edca)
    )


def _numbered(rows: pl.DataFrame) -> Sample:
    rows = rows.filter(pl.col("start_ns").is_not_null())
    # Most recordings are of one medium, and sorting by one key is much faster than by three.
    is_single_medium = max(rows.select(pl.col(MEDIUM).n_unique()).row(0)) == 1
    rows = rows.sort(["start_ns"] if is_single_medium else [*MEDIUM, "start_ns"], nulls_last=True, maintain_order=True)
    stations = _stations(rows)
    keys = [*MEDIUM, "sender"]
    numbers = rows.select(keys).join(stations, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return Sample(_with_predecessors(rows.hstack(numbers.select("station", "medium", "sifs_us"))), stations)


def _with_predecessors(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the properties of the gaps.

    A gap is clean if it is known when the medium became idle, for all stations alike. After a frame with errors,
    contenders wait EIFS or DIFS depending on what they received (10.3.2.3.7).
    """
    whole = pl.col("complete") | (pl.col("kind") == "broadcast")
    same_medium = _equals_previous("medium")
    known_gap = pl.col("idle_before_us").is_between(0, 1e6) & same_medium & _equals_previous("block")
    heard_first_frame = ~pl.col("hidden").fill_null(False) & (
        (pl.col("kind") != "rts") | pl.col("rts_start_ns").is_not_null()
    )
    return rows.with_columns(
        access_category=access_category(_CATEGORIES),
        clean=(known_gap & whole.shift(1) & heard_first_frame).fill_null(False),
        same_sender=(same_medium & _equals_previous("sender")).fill_null(False),
    )


def _equals_previous(name: str) -> pl.Expr:
    return pl.col(name) == pl.col(name).shift(1)


def _stations(rows: pl.DataFrame) -> pl.DataFrame:
    """The `stations` of a :class:`Sample`.

    A station has one slot time and one aCWmin for all rates. A station without recorded frames, known only by the
    responses to it, has the newest PHY of its medium, unless the responses are DSSS: a response has the modulation
    class of the frame that it responds to (10.6.6.5.2).
    """
    without_phy = pl.col("phy").is_null()
    response_us = pl.coalesce("ack_airtime_us", (pl.col("cts_ns") - pl.col("cts_start_ns")) / 1e3)
    rank = pl.col("phy").cast(pl.Enum(PHY_ORDER), strict=False).to_physical().cast(pl.Int8).fill_null(-1)
    stations = (
        rows.with_columns(rank=rank, row=pl.int_range(pl.len()))
        .group_by(*MEDIUM, "sender")
        .agg(
            pl.col("row", "phy", "channel_mhz", "rank").get(pl.col("rank").arg_max()),
            exchanges=pl.len(),
            guessed=without_phy.all()
            & (response_us.filter(without_phy).median() < MIN_DSSS_RESPONSE_US).fill_null(True),
        )
        .sort(*MEDIUM, "sender", nulls_last=True)
        .with_columns(pl.col("phy").cast(pl.String()))
        .with_columns(latest=preset_name(), medium=pl.struct(MEDIUM).rle_id())
    )
    of_medium = pl.col("latest").sort_by("rank", "row", descending=[True, False]).first().over("medium")
    family = pl.when("guessed").then(of_medium).otherwise("latest")
    sifs = pl.Series([preset.sifs_us for preset in PRESETS.values()])
    return (
        stations.with_row_index("station")
        .with_columns(family=family)
        .with_columns(sifs_us=pl.col("family").replace_strict(list(PRESETS), sifs, return_dtype=pl.Float64()))
        .select("station", "medium", *MEDIUM, "sender", "exchanges", "family", "sifs_us")
    )
