"""Histograms of the idle gaps in which a station contended."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

from winf_analyzer._mac.sampling import Sample

K = TypeVar("K", int, tuple[int, str])


class Gaps(NamedTuple):
    """Histograms of a sender in one access category: count by gap in whole microseconds, shorter gaps first."""

    all_attempts: dict[int, int]
    first: dict[int, int]
    """Of these, gaps before first attempts."""
    own: dict[int, int]
    """Of those, gaps after an exchange of the same sender."""


def by_group(sample: Sample) -> dict[tuple[int, str], Gaps]:
    """The gaps of a sample by station number and access category."""
    found: dict[tuple[int, str], Gaps] = {}
    sifs_us = [station.sifs_us for station in sample.stations]
    for station, category, gap_us, is_first, is_own, count in sample.exchanges.gaps(sifs_us):
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
