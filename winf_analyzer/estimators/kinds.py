"""Kinds of exchanges: what those have in common whose sender, receiver, PHY and so on are the same.

Of these there are few combinations in a recording. What rests on them alone, above all the MAC parameters, is worked
out once per combination and handed to the exchanges by its number.
"""

from threading import Lock

import polars as pl

from winf_analyzer import _core
from winf_analyzer.estimators import survey
from winf_analyzer.estimators.alike import alike
from winf_analyzer.estimators.mac import Known, with_mac
from winf_analyzer.estimators.schema import EXCHANGES_SCHEMA
from winf_analyzer.estimators.settings import Settings

ALIKE = (
    *("source", "observer", "sender", "receiver", "kind", "data_kind", "phy", "preamble"),
    *("channel_mhz", "tid"),
)
"""The columns of `exchanges` whose values make a kind."""

MOST = 100_000
"""Kinds from which on all are forgotten: a damaged recording may have as many as exchanges."""


class Kinds:
    """The kinds of the exchanges so far.

    `settings`, `known`: MAC parameters; `stations`: what :func:`.survey.stations` returns, where it is known yet.
    """

    _kinds: pl.DataFrame
    _told: pl.DataFrame

    def __init__(self, settings: Settings, known: Known, stations: pl.DataFrame | None = None) -> None:
        self._settings, self._known, self._stations = settings, known, stations
        self._asking = Lock()
        self._forget()

    def of(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
        """The kinds, and the number of the kind of each row.

        Returns :data:`ALIKE`, without group-addressed receivers, and `station`: the number of the sender and who heard
        it; `sees_it`: that is itself, or hears all alike; `carries`: what is whole and has payload is a sample;
        `unicast`, `family` and the MAC parameters as :attr:`.medium.Recording.uses` has them; the columns of the
        stations.
        """
        with self._asking:
            if self._kinds.height > MOST:
                self._forget()
            met = rows.select(ALIKE)
            number = pl.DataFrame(self._numbers.number(met)).to_series()
            new = number.is_first_distinct() & (number >= self._kinds.height)
            if new.any():
                self._kinds = pl.concat([self._kinds, met.filter(new)])
                self._told = self._follows()
            return self._told, number

    def _forget(self) -> None:
        self._numbers = _core.Alike()
        self._kinds = pl.DataFrame(schema={name: EXCHANGES_SCHEMA[name] for name in ALIKE})
        self._told = self._follows()

    def _follows(self) -> pl.DataFrame:
        kinds = self._kinds.with_columns(alike(self._kinds, survey.STATION).alias("station"), family=pl.col("phy"))
        told = with_mac(kinds.with_row_index("kind_no").lazy(), self._settings.mac, self._known)
        told = told.with_columns(receiver=receiver()).with_columns(
            unicast=unicast(),
            carries=carries() & unicast(),
            sees_it=pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender")),
        )
        if self._stations is not None:
            told = told.join(self._stations.lazy(), on=survey.STATION, how="left", nulls_equal=True)
        return told.sort("kind_no").drop("kind_no").collect(engine="in-memory")


def receiver() -> pl.Expr:
    """The receiver, if it is one station: the Individual/Group bit is the lowest of the first octet (9.2.4.3.2)."""
    group = pl.col("receiver").str.contains(r"^[0-9a-f][13579bdf]:")
    return pl.when((pl.col("kind") != "broadcast") & ~group).then(pl.col("receiver"))


def unicast() -> pl.Expr:
    """An attempt to reach one station, by a known one."""
    attempts = pl.col("kind").is_in(["rts", "basic", "cts_self", "rts_failed"])
    return (attempts & pl.col("sender").is_not_null() & pl.col("receiver").is_not_null()).fill_null(False)


def carries() -> pl.Expr:
    """Of a kind that carries payload in data frames: null functions and management use the medium, no more."""
    return pl.col("data_kind").is_in(["data", "qos_data"]).fill_null(True) & (pl.col("kind") != "rts_failed")
