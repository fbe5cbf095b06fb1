"""Rows of the `exchanges` table as uses of the medium: from when to when, at what cost, by what parameters.

Of senders, receivers and PHYs there are few combinations in a recording. What rests on them alone, above all the MAC
parameters, is worked out once per combination and handed to the rows by its number.
"""

from collections.abc import Iterable

import polars as pl

from winf_analyzer.estimators import survey, windows
from winf_analyzer.estimators.alike import alike
from winf_analyzer.estimators.mac import PARAMETERS, Known, nanoseconds, with_mac
from winf_analyzer.estimators.responses import rts_ns
from winf_analyzer.estimators.schema import EXCHANGES_SCHEMA
from winf_analyzer.estimators.settings import Settings

_ALIKE = (
    *("source", "observer", "sender", "receiver", "kind", "data_kind", "phy", "preamble"),
    *("channel_mhz", "tid"),
)
"""The columns that everything rests on which rows have in common."""

_DROPPED = ("source", "observer", "station", "phy", "preamble", "channel_mhz")
"""Of them, and of what follows from them, what is of no further use."""

_STAMPS = (
    *("start_ns", "rts_start_ns", "cts_start_ns", "data_start_ns", "ack_start_ns"),
    *("end_ns", "rts_ns", "cts_ns", "data_ns", "ack_ns"),
)
_TIMED = (*_ALIKE, *_STAMPS, "data_airtime_us", "ack_airtime_us", "hidden", "attempt", "idle_before_us")
"""The columns that :func:`timed` needs."""


def timed(exchanges: pl.LazyFrame, settings: Settings, known: Known) -> pl.LazyFrame:
    """Rows of the `exchanges` table of known end, as :func:`.survey.surveyed` takes them.

    Args:
        exchanges: rows of it that fit in memory, and `row`, their place in it.
        settings: windows and MAC parameters for all.
        known: what is known about senders and receivers.
    """
    rows = _read(exchanges, _TIMED).with_columns(exchanges.select("row").collect().to_series())
    kinds, number = _kinds(rows, settings, known)
    told = kinds.select(*survey.STATION, "station", "sees_it", *PARAMETERS)
    return _timed(pl.concat([rows.drop(_ALIKE), told[number]], how="horizontal").lazy(), settings)


def prepared(exchanges: pl.LazyFrame, settings: Settings, known: Known, stations: pl.DataFrame) -> pl.DataFrame:
    """Rows of the `exchanges` table of known end, with the columns of :attr:`.medium.Recording.uses`.

    Args:
        exchanges: rows of it that fit in memory.
        settings: windows and MAC parameters for all.
        known: what is known about senders and receivers.
        stations: what :func:`.survey.stations` returns.
    """
    rows = _read(exchanges, EXCHANGES_SCHEMA)
    kinds, number = _kinds(rows, settings, known)
    kinds = kinds.join(
        stations, on=["source", "observer", "sender"], how="left", nulls_equal=True, maintain_order="left"
    )
    kinds = kinds.drop(_DROPPED, strict=False)
    uses = _timed(pl.concat([rows.drop(_ALIKE), kinds[number]], how="horizontal").lazy(), settings).drop("sees_it")
    uses = uses.with_columns(access_ns=survey.access_ns(), sample=_counts(pl.col("carries")))
    return uses.drop("carries").collect(engine="in-memory")


def _read(exchanges: pl.LazyFrame, names: Iterable[str]) -> pl.DataFrame:
    columns = (pl.col(name).cast(EXCHANGES_SCHEMA[name], strict=False) for name in names)
    return exchanges.select(columns).rename({"access_ns": "service_ns"}, strict=False).collect(engine="in-memory")


def _kinds(rows: pl.DataFrame, settings: Settings, known: Known) -> tuple[pl.DataFrame, pl.Series]:
    """The combinations of :data:`_ALIKE`, with all that follows from them, and the number of that of each row.

    `station`: the number of the sender and who heard it; `sees_it`: that is itself, or hears all alike; `carries`: what
    is whole and has payload is a sample; `unicast`, `family` and the MAC parameters as :attr:`.medium.Recording.uses`
    has them.
    """
    number = alike(rows, _ALIKE)
    kinds = rows.select(_ALIKE).filter(number.is_first_distinct()).with_row_index("kind_no")
    kinds = kinds.with_columns(alike(kinds, survey.STATION).alias("station"), family=pl.col("phy"))
    told = with_mac(kinds.lazy(), settings.mac, known).with_columns(receiver=receiver())
    told = told.with_columns(
        unicast=unicast(),
        carries=_carries() & unicast(),
        sees_it=pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender")),
    )
    return told.sort("kind_no").drop("kind_no").collect(engine="in-memory"), number


def _timed(uses: pl.LazyFrame, settings: Settings) -> pl.LazyFrame:
    """With time on the air and window, without what has no known end."""
    uses = uses.with_columns(**_heard_airtimes(), own_gap_ns=_own_gap()).with_columns(end_ns=_end())
    uses = uses.filter(pl.col("end_ns").is_not_null())
    return uses.with_columns(window_start_ns=windows.part_start(pl.col("end_ns"), settings), air_start_ns=_air_start())


def _heard_airtimes() -> dict[str, pl.Expr]:
    """The airtime of RTS, CTS and ACK where it was measured, else the preset's; an RTS is also told by its CTS."""
    ack = nanoseconds("ack_airtime_us")
    cts = pl.col("cts_ns") - pl.col("cts_start_ns")
    return {
        "t_rts": pl.coalesce(pl.col("rts_ns") - pl.col("rts_start_ns"), rts_ns(cts), "t_rts"),
        "t_cts": pl.coalesce(cts, "t_cts"),
        "t_ack": pl.coalesce(ack, pl.col("ack_ns") - pl.col("ack_start_ns"), "t_ack"),
    }


def _own_gap() -> pl.Expr:
    """The idle time before the exchange is its sender's: the recorder is that sender, or hears all alike."""
    opened = ~pl.col("hidden").fill_null(False) & (pl.col("attempt") == 1)
    return pl.when(opened & pl.col("sees_it")).then(nanoseconds("idle_before_us"))


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


def receiver() -> pl.Expr:
    """The receiver, if it is one station: the Individual/Group bit is the lowest of the first octet (9.2.4.3.2)."""
    group = pl.col("receiver").str.contains(r"^[0-9a-f][13579bdf]:")
    return pl.when((pl.col("kind") != "broadcast") & ~group).then(pl.col("receiver"))


def unicast() -> pl.Expr:
    """An attempt to reach one station, by a known one."""
    attempts = pl.col("kind").is_in(["rts", "basic", "cts_self", "rts_failed"])
    return (attempts & pl.col("sender").is_not_null() & pl.col("receiver").is_not_null()).fill_null(False)


def sample() -> pl.Expr:
    """Whole, with payload: null functions, management and failed attempts use the medium but measure no capacity."""
    return _counts(_carries() & unicast())


def _carries() -> pl.Expr:
    """Of a kind that carries payload in data frames."""
    return pl.col("data_kind").is_in(["data", "qos_data"]).fill_null(True) & (pl.col("kind") != "rts_failed")


def _counts(carries: pl.Expr) -> pl.Expr:
    """Of such a kind, whole and with payload."""
    return (carries & pl.col("complete") & (pl.col("payload_bytes") > 0)).fill_null(value=False)
