"""Contending stations, with their usual network and access category."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

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
    stations = sample.stations
    by_station: dict[int, _ExchangeCounts] = {}
    by_medium: dict[int, _ExchangeCounts] = {}
    senders: dict[int, str] = {}
    for number, bssid, category, direct, count in sample.exchanges.traffic():
        kind = bssid, category, direct, count
        if (sender := stations[number].sender) is not None:
            senders[number] = sender
            by_station.setdefault(number, _ExchangeCounts()).add(*kind)
        by_medium.setdefault(stations[number].medium, _ExchangeCounts()).add(*kind)
    kept: Counter[int] = Counter()
    result = []
    for number in sorted(by_station, key=lambda number: -by_station[number].exchanges):
        station, own = stations[number], by_station[number]
        kept[station.medium] += 1
        if kept[station.medium] > MAX_STATIONS:
            continue
        direct, bssid, usual = (own if own.categories else by_medium[station.medium]).usual()
        names = station.source, station.observer, senders[number]
        result += [
            Contender(*names, category, station.family, direct, bssid, usual)
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
