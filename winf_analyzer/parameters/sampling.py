"""A bounded part of the `exchanges` table, in the order of the air, with what preceded each exchange."""

import polars as pl

from winf_analyzer.parameters.presets import PHY_ORDER, PRESETS, preset_name
from winf_analyzer.parameters.schema import DCF

BLOCK_ROWS = 1 << 14
"""Consecutive exchanges that are taken together: gaps are only known between neighbours."""

SAMPLE_ROWS = 1 << 17
"""Exchanges looked at, however long the recording is; more would not make the parameters any surer."""

SHORTEST_DSSS_ANSWER_US = 106.0
"""A CTS or ACK at 11 Mb/s with short preamble (16.2.2); an OFDM BlockAck at 6 Mb/s takes 74 us at most."""

MEDIUM = ("source", "observer")
"""What identifies a medium: the air as one radio recorded it."""

COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("source", "observer", "sender", "bssid"), pl.String()),
    **dict.fromkeys(("kind", "data_kind", "phy", "preamble"), pl.String()),
    **dict.fromkeys(("start_ns", "rts_start_ns", "rts_ns", "cts_start_ns", "cts_ns"), pl.Int64()),
    **dict.fromkeys(("tid", "attempt", "channel_mhz", "mpdus", "length_bytes"), pl.Int64()),
    **dict.fromkeys(("idle_before_us", "ack_airtime_us"), pl.Float64()),
    **dict.fromkeys(("complete", "hidden", "direct"), pl.Boolean()),
}
"""The columns of `exchanges` that are read; one that is not there is unknown everywhere."""


def sample(exchanges: pl.LazyFrame) -> pl.DataFrame:
    """At most :data:`SAMPLE_ROWS` exchanges in blocks spread evenly over the table, by medium and time.

    Adds `access_category` (:func:`access_category`), `family` (the preset of the latest PHY its sender used), `sifs_us`
    of that, `clean` (the gap before it began with the end of a whole exchange) and `same_sender` (its own sender's).
    """
    present = exchanges.collect_schema()
    columns = [
        (pl.col(name) if name in present else pl.lit(None)).cast(dtype, strict=False).alias(name)
        for name, dtype in COLUMNS.items()
    ]
    rows = exchanges.select(pl.len()).collect(engine="streaming").item()
    chosen = exchanges.select(columns)
    if rows <= SAMPLE_ROWS:
        return _with_predecessors(chosen.with_columns(block=pl.lit(0)).collect(engine="streaming"))
    # A slice is all that is read of a Parquet file.
    count = SAMPLE_ROWS // BLOCK_ROWS
    starts = [number * (rows - BLOCK_ROWS) // max(1, count - 1) for number in range(count)]
    blocks = [chosen.slice(start, BLOCK_ROWS).with_columns(block=pl.lit(start)).collect() for start in starts]
    return _with_predecessors(pl.concat(blocks))


def access_category() -> pl.Expr:
    """The access category of an exchange: of its TID by the user priority (table 10-1), or the DCF."""
    tid = pl.col("tid")
    category = pl.Series(["be", "bk", "bk", "be", "vi", "vi", "vo", "vo"])
    edca = tid.replace_strict(list(range(8)), category, default=None, return_dtype=pl.String())
    # A null frame says that a station sleeps or wakes; it goes out as management does, and tells nothing about data.
    return (
        pl.when(pl.col("data_kind") == "data")
        .then(pl.lit(DCF))
        .when(pl.col("data_kind").is_in(["qos_data", "qos_null"]))
        .then(edca)
    )


def _with_predecessors(rows: pl.DataFrame) -> pl.DataFrame:
    """A gap is clean where it is known when the medium became idle, and for everyone alike.

    After something that was not received well, contenders wait EIFS or DIFS, each as it heard it (10.3.2.3.7).
    """
    order = [*MEDIUM, "start_ns"]
    rows = rows.filter(pl.col("start_ns").is_not_null()).sort(order, nulls_last=True, maintain_order=True)
    whole = pl.col("complete") | (pl.col("kind") == "broadcast")
    known = pl.col("idle_before_us").is_between(0, 1e6) & (pl.col("block") == pl.col("block").shift(1).over(MEDIUM))
    heard_opening = ~pl.col("hidden").fill_null(False) & (
        (pl.col("kind") != "rts") | pl.col("rts_start_ns").is_not_null()
    )
    return rows.with_columns(
        access_category=access_category(),
        clean=(known & whole.shift(1).over(MEDIUM) & heard_opening).fill_null(False),
        same_sender=(pl.col("sender") == pl.col("sender").shift(1).over(MEDIUM)).fill_null(False),
        family=_family(),
    ).with_columns(sifs_us=_sifs_us())


def _family() -> pl.Expr:
    """The preset of the latest PHY that the sender used.

    A station has one slot time and one aCWmin, whatever the rate of a frame. One of which no frame was heard, only
    the answers to it, has the latest PHY of its medium, unless it is answered as DSSS: an answer is of the modulation
    class of what it answers (10.6.6.5.2).
    """
    rank = pl.col("phy").replace_strict(PHY_ORDER, list(range(len(PHY_ORDER))), default=-1, return_dtype=pl.Int8())
    latest = preset_name().get(rank.arg_max())
    answer_us = pl.coalesce("ack_airtime_us", (pl.col("cts_ns") - pl.col("cts_start_ns")) / 1e3)
    guessed = pl.col("phy").is_null().all() & (answer_us.median() < SHORTEST_DSSS_ANSWER_US).fill_null(True)
    of_sender, of_medium = latest.over(*MEDIUM, "sender"), latest.over(*MEDIUM)
    return pl.when(guessed.over(*MEDIUM, "sender")).then(of_medium).otherwise(of_sender)


def _sifs_us() -> pl.Expr:
    sifs = pl.Series([preset.sifs_us for preset in PRESETS.values()])
    return pl.col("family").replace_strict(list(PRESETS), sifs, return_dtype=pl.Float64())
