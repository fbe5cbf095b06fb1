"""The stations that contend, and what is usual of them and around them."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from winf_analyzer._mac.observed import MAX_STATIONS
from winf_analyzer._mac.sampling import Sample
from winf_analyzer._mac.schema import DCF


class Contender(NamedTuple):
    """A station in one access category; of `None` are its exchanges that name none."""

    source: str | None
    observer: str | None
    station: str
    access_category: str | None
    family: str
    direct: bool
    bssid: str | None
    usual_category: str


def contenders(taken: Sample) -> list[Contender]:
    """The senders of data; one that was heard only through the answers it got is taken for one of its medium's."""
    unheard = pl.col("data_kind").is_null() & (pl.col("kind") != "broadcast")
    kinds = (
        taken.exchanges.filter(pl.col("access_category").is_not_null() | unheard)
        .group_by("station", "bssid", "access_category", pl.col("direct").fill_null(False), maintain_order=True)
        .len()
    )
    stations = taken.stations.rows(named=True)
    seen: dict[int, _Seen] = {}
    around: dict[int, _Seen] = {}
    for station, *kind in kinds.iter_rows():
        if stations[station]["sender"] is not None:
            seen.setdefault(station, _Seen()).add(*kind)
        around.setdefault(stations[station]["medium"], _Seen()).add(*kind)
    largest = sorted(seen, key=lambda station: -seen[station].exchanges)[:MAX_STATIONS]
    found = []
    for who, own in ((stations[station], seen[station]) for station in largest):
        about = (own if own.categories else around[who["medium"]]).about()
        names = who["source"], who["observer"], who["sender"]
        for category in (*sorted(own.categories), None):
            direct, bssid, usual = about
            found.append(Contender(*names, category, who["family"], direct, bssid, usual))
    return found


@dataclass
class _Seen:
    """Exchanges of a station, or of a whole medium."""

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

    def about(self) -> tuple[bool, str | None, str]:
        """Whether all of its data went direct, its usual network and access category."""
        return bool(self.direct), _most(self.networks), _most(self.categories) or DCF


def _most(counts: Counter[str]) -> str | None:
    return min(counts, key=lambda value: (-counts[value], value), default=None)
