"""Contending stations, with their usual network and access category."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from winf_analyzer._mac.observed import MAX_STATIONS
from winf_analyzer._mac.sampling import Sample
from winf_analyzer._mac.schema import DCF


class Contender(NamedTuple):
    """A contending station in one access category; `None` for its exchanges without one."""

    source: str | None
    observer: str | None
    station: str
    access_category: str | None
    family: str
    direct: bool
    bssid: str | None
    usual_category: str


def contenders(sample: Sample) -> list[Contender]:
    """The senders of data, per access category.

    A sender that was only heard through the responses to it gets the usual network and category of its medium.
    """
    heard_by_response = pl.col("data_kind").is_null() & (pl.col("kind") != "broadcast")
    kinds = (
        sample.exchanges.filter(pl.col("access_category").is_not_null() | heard_by_response)
        .group_by("station", "bssid", "access_category", pl.col("direct").fill_null(False), maintain_order=True)
        .len()
    )
    stations = sample.stations.rows(named=True)
    by_station: dict[int, _ExchangeCounts] = {}
    by_medium: dict[int, _ExchangeCounts] = {}
    for station, *kind in kinds.iter_rows():
        if stations[station]["sender"] is not None:
            by_station.setdefault(station, _ExchangeCounts()).add(*kind)
        by_medium.setdefault(stations[station]["medium"], _ExchangeCounts()).add(*kind)
    kept: Counter[int] = Counter()
    result = []
    for station in sorted(by_station, key=lambda station: -by_station[station].exchanges):
        station_row, own = stations[station], by_station[station]
        kept[station_row["medium"]] += 1
        if kept[station_row["medium"]] > MAX_STATIONS:
            continue
        direct, bssid, usual = (own if own.categories else by_medium[station_row["medium"]]).usual()
        names = station_row["source"], station_row["observer"], station_row["sender"]
        result += [
            Contender(*names, category, station_row["family"], direct, bssid, usual)
            for category in (*sorted(own.categories), None)
        ]
    return result


@dataclass
class _ExchangeCounts:
    """Counts of exchanges of a station or a medium."""

    exchanges: int = 0
    direct: bool | None = None
    networks: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)

    def add(self, bssid: str | None, category: str | None, direct: bool, exchanges: int) -> None:
        self.exchanges += exchanges
        if category is None:
            return
        self.direct = direct and self.direct is not False
        self.categories[category] += exchanges
        if bssid is not None:
            self.networks[bssid] += exchanges

    def usual(self) -> tuple[bool, str | None, str]:
        """Whether all data went directly between stations, and the most frequent network and access category."""
        return bool(self.direct), _most_frequent(self.networks), _most_frequent(self.categories) or DCF


def _most_frequent(counts: Counter[str]) -> str | None:
    return min(counts, key=lambda value: (-counts[value], value), default=None)
