"""Rows of the `exchanges` table with their window, their time on the air, the cost of access and MAC parameters."""

from collections.abc import Iterable
from functools import cache

import polars as pl

from winf_analyzer._aggregate import first_scan, windows
from winf_analyzer._aggregate.exchange_columns import EXCHANGES_SCHEMA, delivered, nanoseconds
from winf_analyzer._aggregate.mac_profiles import PROFILE, MacProfiles
from winf_analyzer._aggregate.settings import Settings
from winf_analyzer._mac.control_airtime import rts_ns
from winf_analyzer._mac.exchange_parameters import PARAMETERS

_DROPPED = ("source", "observer", "station", "phy", "preamble", "channel_mhz", "heard_mhz")
"""Columns of a profile that are of no further use once its exchanges have the rest."""

_STAMPS = (
    *("start_ns", "rts_start_ns", "cts_start_ns", "data_start_ns", "ack_start_ns"),
    *("end_ns", "rts_ns", "cts_ns", "data_ns", "ack_ns"),
)
_TIMED = (*PROFILE, *_STAMPS, "data_airtime_us", "ack_airtime_us", "hidden", "attempt", "idle_before_us")
"""The columns that :func:`timed` needs."""


def timed(exchanges: pl.LazyFrame, first_row: int, profiles: MacProfiles, settings: Settings) -> pl.LazyFrame:
    """Rows of the `exchanges` table of known end, for :func:`.first_scan.scan`.

    Args:
        exchanges: rows of it that fit in memory.
        first_row: the position of the first of them in the table; the result has those of all as `row`.
        profiles: of the exchanges so far.
        settings: the kind of windows.
    """
    rows = _read(exchanges, _TIMED).with_row_index("row", first_row)
    table, number = profiles.of(rows)
    table = table.select(*first_scan.STATION, "heard_mhz", "station", "data_kind", "sees_it", *PARAMETERS)
    return _timed(pl.concat([rows.drop(PROFILE), table[number]], how="horizontal").lazy(), settings)


def prepared(exchanges: pl.LazyFrame, profiles: MacProfiles, settings: Settings) -> pl.DataFrame:
    """Rows of the `exchanges` table of known end, with the columns of :attr:`.chunks.Chunk.rows`.

    Args:
        exchanges: rows of it that fit in memory.
        profiles: of the exchanges so far, with what the first scan found out about senders.
        settings: the kind of windows.
    """
    rows = _read(exchanges, EXCHANGES_SCHEMA)
    table, number = profiles.of(rows)
    table = table.drop(_DROPPED, strict=False)
    uses = _timed(pl.concat([rows.drop(PROFILE), table[number]], how="horizontal").lazy(), settings).drop("sees_it")
    uses = uses.with_columns(access_ns=first_scan.access_ns(), sample=delivered(pl.col("carries")))
    return uses.drop("carries").collect(engine="in-memory")


def _read(exchanges: pl.LazyFrame, names: Iterable[str]) -> pl.DataFrame:
    columns = (pl.col(name).cast(EXCHANGES_SCHEMA[name], strict=False) for name in names)
    return exchanges.select(columns).rename({"access_ns": "service_ns"}, strict=False).collect(engine="in-memory")


def _timed(uses: pl.LazyFrame, settings: Settings) -> pl.LazyFrame:
    """With time on the air and window, without what has no known end."""
    uses = uses.with_columns(**_heard_airtimes(), own_gap_ns=_own_gap()).with_columns(end_ns=_end())
    uses = uses.filter(pl.col("end_ns").is_not_null())
    return uses.with_columns(window_start_ns=windows.part_start(pl.col("end_ns"), settings), air_start_ns=_air_start())


@cache
def _heard_airtimes() -> dict[str, pl.Expr]:
    """The airtime of RTS, CTS and ACK where it was measured, else the preset's; an RTS's also from its CTS."""
    ack = nanoseconds("ack_airtime_us")
    cts = pl.col("cts_ns") - pl.col("cts_start_ns")
    return {
        "t_rts": pl.coalesce(pl.col("rts_ns") - pl.col("rts_start_ns"), rts_ns(cts), "t_rts"),
        "t_cts": pl.coalesce(cts, "t_cts"),
        "t_ack": pl.coalesce(ack, pl.col("ack_ns") - pl.col("ack_start_ns"), "t_ack"),
    }


@cache
def _own_gap() -> pl.Expr:
    """The idle time before the exchange is its sender's: the recorder is that sender, or hears all alike."""
    opened = ~pl.col("hidden").fill_null(False) & (pl.col("attempt") == 1)
    return pl.when(opened & pl.col("sees_it")).then(nanoseconds("idle_before_us"))


@cache
def _end() -> pl.Expr:
    """End of the last frame heard, from its start and airtime where only that is known."""
    return pl.coalesce(
        "end_ns",
        "ack_ns",
        pl.col("ack_start_ns") + pl.col("t_ack"),
        "data_ns",
        pl.col("data_start_ns") + nanoseconds("data_airtime_us"),
        "cts_ns",
        pl.col("cts_start_ns") + pl.col("t_cts"),
        "rts_ns",
        pl.col("rts_start_ns") + pl.col("t_rts"),
        "start_ns",
    )


@cache
def _air_start() -> pl.Expr:
    """Start of the first frame, from its end and airtime where only that is known.

    Where the CTS came without its RTS, the sender is hidden from the observer but had the medium since its RTS began.
    """
    heard = pl.coalesce(
        "start_ns",
        "rts_start_ns",
        pl.col("rts_ns") - pl.col("t_rts"),
        "cts_start_ns",
        pl.col("cts_ns") - pl.col("t_cts"),
        "data_start_ns",
        pl.col("data_ns") - nanoseconds("data_airtime_us"),
        "ack_start_ns",
        "end_ns",
    )
    unheard_rts = pl.when(pl.col("hidden")).then(pl.col("t_rts") + pl.col("t_sifs")).otherwise(0)
    return pl.min_horizontal(heard - unheard_rts, "end_ns")
