"""MAC profiles: what exchanges have in common whose sender, receiver, PHY and so on are the same.

There are few such combinations in a recording. What follows from them alone, above all the MAC parameters, is worked
out once per combination and looked up by its number.
"""

from threading import Lock

import polars as pl

from winf_analyzer import _core
from winf_analyzer._aggregate.exchange_columns import EXCHANGES_SCHEMA, carries, receiver, unicast
from winf_analyzer._aggregate.first_scan import STATION
from winf_analyzer._aggregate.settings import Settings
from winf_analyzer._aggregate.sort_keys import group_ids
from winf_analyzer._mac.exchange_parameters import Known, with_mac
from winf_analyzer._mac.sampling import access_category

PROFILE = (
    *("source", "observer", "sender", "receiver", "is_group", "kind", "data_kind", "phy", "preamble"),
    *("channel_mhz", "tid"),
)
"""The columns of `exchanges` that identify a profile."""

_COMPARED = ("kind", "data_kind", "family", "access_category")
"""Columns that expressions compare with texts, row by row; as categories they compare numbers."""

MAX_PROFILES = 100_000
"""Number of profiles from which on all are forgotten: a damaged recording may have as many as exchanges."""


class MacProfiles:
    """The profiles of the exchanges so far.

    `settings`, `known`: MAC parameters; `senders`: what :func:`.first_scan.senders` returns, once it is known.
    """

    _profiles: pl.DataFrame
    _table: pl.DataFrame | None
    """What is worked out of them; None: nothing yet."""

    def __init__(self, settings: Settings, known: Known, senders: pl.DataFrame | None = None) -> None:
        self._settings, self._known, self._senders = settings, known, senders
        self._lock = Lock()
        self._forget()

    def of(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
        """The profiles, and the number of the profile of each row.

        Returns :data:`PROFILE`, without group-addressed receivers, and `station`: a number for the sender and who heard
        it; `sees_it`: that is the sender itself, or an anonymous recorder; `carries`: acknowledged and with payload it
        is a sample; `unicast`, `family`, `access_category` and the MAC parameters as :attr:`.chunks.Chunk.rows` has
        them; the columns of the senders.
        """
        with self._lock:
            if self._profiles.height > MAX_PROFILES:
                self._forget()
            met = rows.select(PROFILE)
            number = pl.DataFrame(self._numbers.number(met)).to_series()
            new = number.is_first_distinct() & (number >= self._profiles.height)
            if self._table is None or new.any():
                self._profiles = pl.concat([self._profiles, met.filter(new)])
                self._table = self._worked_out()
            return self._table, number

    def _forget(self) -> None:
        self._numbers = _core.GroupIds()
        self._profiles = pl.DataFrame(schema={name: EXCHANGES_SCHEMA[name] for name in PROFILE})
        self._table = None

    def _worked_out(self) -> pl.DataFrame:
        rows = self._profiles.with_columns(group_ids(self._profiles, STATION).alias("station"), family=pl.col("phy"))
        table = with_mac(rows.with_row_index("profile_no").lazy(), self._settings.mac, self._known)
        table = table.with_columns(receiver=receiver()).with_columns(
            unicast=unicast(),
            access_category=access_category(),
            carries=carries() & unicast(),
            sees_it=pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender")),
        )
        if self._senders is not None:
            table = table.join(self._senders.lazy(), on=STATION, how="left", nulls_equal=True)
        table = table.sort("profile_no").drop("profile_no").with_columns(pl.col(_COMPARED).cast(pl.Categorical))
        return table.collect(engine="in-memory")
