"""Histograms of the idle gaps in which a station contended."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

import polars as pl

K = TypeVar("K", int, tuple[int, str])

MAX_GAP_US = 1000.0
"""Longer than the longest backoff of a first attempt (31 slots of 20 us): the sender had nothing to send."""


class Gaps(NamedTuple):
    """Histograms of a sender in one access category: count by gap in whole microseconds, shorter gaps first."""

    all_attempts: dict[int, int]
    first: dict[int, int]
    """Of these, gaps before first attempts."""
    own: dict[int, int]
    """Of those, gaps after an exchange of the same sender."""


def by_group(exchanges: pl.DataFrame) -> dict[tuple[int, str], Gaps]:
    """The gaps of a :class:`.sampling.Sample` by station number and access category."""
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
        all_attempts, first, own = found.setdefault((station, category), Gaps({}, {}, {}))
        for histogram in (all_attempts, *([first] if is_first else []), *([own] if is_first and is_own else [])):
            histogram[gap_us] = histogram.get(gap_us, 0) + count
    return found


def summed(histograms: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """The sum of histograms, sorted by value."""
    total: dict[int, int] = {}
    for histogram in histograms:
        for value, count in histogram.items():
            total[value] = total.get(value, 0) + count
    return dict(sorted(total.items()))


def largest(histograms: Mapping[K, Mapping[int, int]], min_count: int, max_groups: int) -> dict[K, Mapping[int, int]]:
    """The `max_groups` histograms with the largest totals of at least `min_count`; of equal ones the lower keys."""
    sizes = {key: size for key, histogram in histograms.items() if (size := sum(histogram.values())) >= min_count}
    order = sorted(sorted(sizes), key=lambda key: -sizes[key])
    return {key: histograms[key] for key in order[:max_groups]}


def _contended() -> pl.Expr:
    """True for gaps in which a station contended, which are longer than PIFS (10.23.2.8).

    Gaps before group addressed frames do not count: an access point sends them in sequence after a beacon (11.2.3.6).
    """
    in_txop = pl.col("idle_before_us") < pl.col("sifs_us") + 5
    carries_data = (
        pl.col("sender").is_not_null() & pl.col("access_category").is_not_null() & (pl.col("kind") != "broadcast")
    )
    return pl.col("clean") & carries_data & ~in_txop & (pl.col("idle_before_us") <= MAX_GAP_US)
