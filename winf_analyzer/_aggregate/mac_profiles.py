"""MAC profiles: what exchanges have in common whose sender, receiver, PHY and so on are the same.

There are few such combinations in a recording. What follows from them alone, above all the MAC parameters, is worked
out once per combination and looked up by its number.
"""

from threading import Lock

import polars as pl

from winf_analyzer import _core
from winf_analyzer._aggregate import first_scan
from winf_analyzer._aggregate.exchange_columns import EXCHANGES_SCHEMA, carries, receiver, unicast
from winf_analyzer._aggregate.hopping import LINK, NONE, Hopping
from winf_analyzer._aggregate.settings import Settings
from winf_analyzer._aggregate.sort_keys import group_ids
from winf_analyzer._mac.exchange_parameters import Known, with_mac
from winf_analyzer._mac.presets import phy_family
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

    `settings`, `known`: MAC parameters; once they are known, `senders`: what :func:`.first_scan.senders` returns,
    `first`: what :func:`.first_scan.first_channels` returns, and when radios listened where.
    """

    _profiles: pl.DataFrame
    _table: pl.DataFrame | None
    """What is worked out of them; None: nothing yet."""

    def __init__(
        self,
        settings: Settings,
        known: Known,
        senders: pl.DataFrame | None = None,
        first: pl.DataFrame | None = None,
        hopping: Hopping = NONE,
    ) -> None:
        self._settings, self._known = settings, known
        self._senders, self._first, self._hopping = senders, first, hopping
        self._lock = Lock()
        self._forget()

    def of(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
        """The profiles, and the number of the profile of each row.

        Returns :data:`PROFILE`, without group-addressed receivers, the channel as `heard_mhz`, and `station`: a number
        for the sender, who heard it and on which channel; `sees_it`: that is the sender itself, or an anonymous
        recorder; `carries`: acknowledged and with payload it is a sample; `unicast`, `family`, `access_category` and
        the MAC parameters as :attr:`.chunks.Chunk.rows` has them; `medium` and the mean backoff, once they are known.
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
        heard = (*first_scan.STATION, "channel_mhz")
        rows = self._profiles.with_columns(
            group_ids(self._profiles, heard).alias("station"), family=phy_family(), heard_mhz=pl.col("channel_mhz")
        )
        if self._senders is not None and self._first is not None:
            rows = rows.join(self._media_of(rows, self._senders, self._first), on="station", maintain_order="left")
            rows = self._without_others(rows)
        table = with_mac(rows.with_row_index("profile_no").lazy(), self._settings.mac, self._known)
        table = table.with_columns(receiver=receiver()).with_columns(
            unicast=unicast(),
            access_category=access_category(),
            carries=carries() & unicast(),
            sees_it=pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender")),
        )
        table = table.sort("profile_no").drop("profile_no").with_columns(pl.col(_COMPARED).cast(pl.Categorical))
        return table.collect(engine="in-memory")

    @staticmethod
    def _media_of(rows: pl.DataFrame, senders: pl.DataFrame, first: pl.DataFrame) -> pl.DataFrame:
        """`station medium measured_backoff_ns` of the stations of the profiles."""
        stations = rows.select("station", *first_scan.STATION, "heard_mhz").unique("station")
        on = [*first_scan.STATION, "channel_mhz"]
        found = first_scan.on_channels(stations, first).join(senders, on=on, how="left", nulls_equal=True)
        return found.select("station", "medium", "measured_backoff_ns")

    def _without_others(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The profiles, those of links that belong to another channel as of frames that were not understood."""
        if self._hopping.homes.is_empty():
            return rows
        homes = self._hopping.homes.rename({"channel_mhz": "home_mhz"})
        rows = rows.join(homes, on=list(LINK), how="left", nulls_equal=True, maintain_order="left")
        elsewhere = (pl.col("heard_mhz") != pl.col("home_mhz")).fill_null(value=False)
        kept = (pl.when(~elsewhere).then(name).alias(name) for name in ("sender", "receiver", "data_kind", "tid"))
        unknown = pl.when(elsewhere).then(pl.lit("unknown")).otherwise("kind").alias("kind")
        return rows.with_columns(*kept, unknown).drop("home_mhz")
