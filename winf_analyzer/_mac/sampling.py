"""A bounded part of the `exchanges` table, in the order of the air, with what preceded each exchange."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import polars as pl

from winf_analyzer._mac.presets import PHY_ORDER, PRESETS, preset_name
from winf_analyzer._mac.schema import ACCESS_CATEGORIES, DCF

BLOCK_ROWS = 1 << 14
"""Consecutive exchanges that are taken together: gaps are only known between neighbours."""

SAMPLE_ROWS = 1 << 17
"""Exchanges of a source looked at, however long it is; more would not make the parameters any surer."""

SHORTEST_DSSS_ANSWER_US = 106.0
"""A CTS or ACK at 11 Mb/s with short preamble (16.2.2); an OFDM BlockAck at 6 Mb/s takes 74 us at most."""

_CATEGORIES = pl.Enum(sorted([*ACCESS_CATEGORIES, DCF]))

MEDIUM = ("source", "observer")
"""What identifies a medium: the air as one radio recorded it."""

COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("source", "observer", "sender", "bssid"), pl.Categorical()),
    **dict.fromkeys(("kind", "data_kind", "phy", "preamble"), pl.Categorical()),
    **dict.fromkeys(("start_ns", "rts_start_ns", "rts_ns", "cts_start_ns", "cts_ns"), pl.Int64()),
    **dict.fromkeys(("tid", "attempt", "channel_mhz", "mpdus", "length_bytes"), pl.Int64()),
    **dict.fromkeys(("idle_before_us", "ack_airtime_us"), pl.Float64()),
    **dict.fromkeys(("complete", "hidden", "direct"), pl.Boolean()),
}
"""The columns of `exchanges` that are read; one that is not there is unknown everywhere."""


class Sample(NamedTuple):
    """What is looked at of a table."""

    exchanges: pl.DataFrame
    """In the order of media and time: :data:`COLUMNS` and more.

    `access_category` (:func:`access_category`), `clean` (the gap before it began with the end of a whole exchange),
    `same_sender` (its own sender's), and `station`, `medium` and `sifs_us` of the sender.
    """

    stations: pl.DataFrame
    """A row per sender, by medium and address: `station medium source observer sender exchanges family sifs_us`.

    The first two are numbers from 0; `family` is the preset of the latest PHY it used, and `sifs_us` of that. What came
    from unknown senders has a row in each medium.
    """


def samples(exchanges: pl.LazyFrame) -> Iterator[Sample]:
    """:func:`sample` of every source, so that none depends on the others; small ones that follow are taken together."""
    for first, rows in _batches(exchanges):
        yield sample(exchanges.slice(first, rows))


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


def sample(exchanges: pl.LazyFrame) -> Sample:
    """At most :data:`SAMPLE_ROWS` exchanges in blocks spread evenly over the table."""
    present = exchanges.collect_schema()
    columns = [
        (pl.col(name) if name in present else pl.lit(None)).cast(dtype, strict=False).alias(name)
        for name, dtype in COLUMNS.items()
    ]
    rows = exchanges.select(pl.len()).collect(engine="streaming").item()
    chosen = exchanges.select(columns)
    if rows <= SAMPLE_ROWS:
        return _numbered(chosen.with_columns(block=pl.lit(0)).collect(engine="streaming"))
    # A slice is all that is read of a Parquet file.
    count = SAMPLE_ROWS // BLOCK_ROWS
    starts = [number * (rows - BLOCK_ROWS) // max(1, count - 1) for number in range(count)]
    blocks = [chosen.slice(start, BLOCK_ROWS).with_columns(block=pl.lit(start)).collect() for start in starts]
    return _numbered(pl.concat(blocks))


def access_category(dtype: pl.Enum | type[pl.String] = pl.String) -> pl.Expr:
    """The access category of an exchange: of its TID by the user priority (table 10-1), or the DCF; a `dtype`."""
    tid = pl.col("tid")
    category = pl.Series(["be", "bk", "bk", "be", "vi", "vi", "vo", "vo"])
    edca = tid.replace_strict(list(range(8)), category, default=None, return_dtype=dtype)
    # A null frame says that a station sleeps or wakes; it goes out as management does, and tells nothing about data.
    return (
        pl.when(pl.col("data_kind") == "data")
        .then(pl.lit(DCF, dtype=dtype))
        .when(pl.col("data_kind").is_in(["qos_data", "qos_null"]))
        .then(edca)
    )


def _numbered(rows: pl.DataFrame) -> Sample:
    rows = rows.filter(pl.col("start_ns").is_not_null())
    # Most recordings are of one medium; one key is sorted by much faster than three.
    alike = max(rows.select(pl.col(MEDIUM).n_unique()).row(0)) == 1
    rows = rows.sort(["start_ns"] if alike else [*MEDIUM, "start_ns"], nulls_last=True, maintain_order=True)
    stations = _stations(rows)
    keys = [*MEDIUM, "sender"]
    numbers = rows.select(keys).join(stations, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return Sample(_with_predecessors(rows.hstack(numbers.select("station", "medium", "sifs_us"))), stations)


def _with_predecessors(rows: pl.DataFrame) -> pl.DataFrame:
    """A gap is clean where it is known when the medium became idle, and for everyone alike.

    After something that was not received well, contenders wait EIFS or DIFS, each as it heard it (10.3.2.3.7).
    """
    whole = pl.col("complete") | (pl.col("kind") == "broadcast")
    follows = _is_that_before("medium")
    known = pl.col("idle_before_us").is_between(0, 1e6) & follows & _is_that_before("block")
    heard_opening = ~pl.col("hidden").fill_null(False) & (
        (pl.col("kind") != "rts") | pl.col("rts_start_ns").is_not_null()
    )
    return rows.with_columns(
        access_category=access_category(_CATEGORIES),
        clean=(known & whole.shift(1) & heard_opening).fill_null(False),
        same_sender=(follows & _is_that_before("sender")).fill_null(False),
    )


def _is_that_before(name: str) -> pl.Expr:
    return pl.col(name) == pl.col(name).shift(1)


def _stations(rows: pl.DataFrame) -> pl.DataFrame:
    """The columns of `stations` and `medium`, a number.

    A station has one slot time and one aCWmin, whatever the rate of a frame. One of which no frame was heard, only
    the answers to it, has the latest PHY of its medium, unless it is answered as DSSS: an answer is of the modulation
    class of what it answers (10.6.6.5.2).
    """
    unheard = pl.col("phy").is_null()
    answer_us = pl.coalesce("ack_airtime_us", (pl.col("cts_ns") - pl.col("cts_start_ns")) / 1e3)
    rank = pl.col("phy").cast(pl.Enum(PHY_ORDER), strict=False).to_physical().cast(pl.Int8).fill_null(-1)
    found = (
        rows.with_columns(rank=rank, row=pl.int_range(pl.len()))
        .group_by(*MEDIUM, "sender")
        .agg(
            pl.col("row", "phy", "channel_mhz", "rank").get(pl.col("rank").arg_max()),
            exchanges=pl.len(),
            guessed=unheard.all() & (answer_us.filter(unheard).median() < SHORTEST_DSSS_ANSWER_US).fill_null(True),
        )
        .sort(*MEDIUM, "sender", nulls_last=True)
        .with_columns(pl.col("phy").cast(pl.String()))
        .with_columns(latest=preset_name(), medium=pl.struct(MEDIUM).rle_id())
    )
    of_medium = pl.col("latest").sort_by("rank", "row", descending=[True, False]).first().over("medium")
    family = pl.when("guessed").then(of_medium).otherwise("latest")
    sifs = pl.Series([preset.sifs_us for preset in PRESETS.values()])
    return (
        found.with_row_index("station")
        .with_columns(family=family)
        .with_columns(sifs_us=pl.col("family").replace_strict(list(PRESETS), sifs, return_dtype=pl.Float64()))
        .select("station", "medium", *MEDIUM, "sender", "exchanges", "family", "sifs_us")
    )
