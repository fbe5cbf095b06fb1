"""Histograms of the idle gaps before which somebody contended."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

import polars as pl

K = TypeVar("K", int, tuple[int, str])

LONGEST_GAP_US = 1000.0
"""Beyond the longest backoff of a first attempt (31 slots of 20 us) a sender had nothing to send."""


class Gaps(NamedTuple):
    """Those of a sender in one access category: gap in whole microseconds, count; shorter gaps first."""

    every: dict[int, int]
    first: dict[int, int]
    """Of these, before first attempts."""
    own: dict[int, int]
    """Of those, after an exchange of the sender's own."""


def by_group(exchanges: pl.DataFrame) -> dict[tuple[int, str], Gaps]:
    """The gaps of a :class:`.sampling.Sample` by number of the station and access category."""
    groups = ("station", "access_category", "gap_us", "is_first", "same_sender")
    counts = (
        exchanges.select(
            "station",
            "access_category",
            "same_sender",
            gap_us=pl.col("idle_before_us").round().cast(pl.Int64, strict=False),
            is_first=(pl.col("attempt") == 1).fill_null(False),
            contended=_contended(),
        )
        .filter("contended")
        .group_by(groups)
        .len()
        .sort("gap_us")
    )
    found: dict[tuple[int, str], Gaps] = {}
    for station, category, gap_us, is_first, is_own, count in counts.iter_rows():
        every, first, own = found.setdefault((station, category), Gaps({}, {}, {}))
        for histogram in (every, *([first] if is_first else []), *([own] if is_first and is_own else [])):
            histogram[gap_us] = histogram.get(gap_us, 0) + count
    return found


def together(histograms: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """The sum of histograms, in the order of what they count."""
    total: dict[int, int] = {}
    for histogram in histograms:
        for value, count in histogram.items():
            total[value] = total.get(value, 0) + count
    return dict(sorted(total.items()))


def largest(histograms: Mapping[K, Mapping[int, int]], least: int, most: int) -> dict[K, Mapping[int, int]]:
    """The `most` histograms that count most, none of them less than `least`; of equal ones the lower keys."""
    sizes = {key: size for key, histogram in histograms.items() if (size := sum(histogram.values())) >= least}
    order = sorted(sorted(sizes), key=lambda key: -sizes[key])
    return {key: histograms[key] for key in order[:most]}


def _contended() -> pl.Expr:
    """A gap after which somebody contended; before PIFS nobody does (10.23.2.8).

    Group addressed frames are left aside: an access point sends them in a row after a beacon (11.2.3.6).
    """
    in_txop = pl.col("idle_before_us") < pl.col("sifs_us") + 5
    carries_data = (
        pl.col("sender").is_not_null() & pl.col("access_category").is_not_null() & (pl.col("kind") != "broadcast")
    )
    return pl.col("clean") & carries_data & ~in_txop & (pl.col("idle_before_us") <= LONGEST_GAP_US)
