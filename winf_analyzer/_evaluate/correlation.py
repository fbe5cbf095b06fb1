"""Cross-correlation of throughput: by how much a log's clock lies behind that of a recording."""

import math
from dataclasses import dataclass

import polars as pl

from winf_analyzer._evaluate.series import median_window_ns

STEPS_PER_INTERVAL = 4
"""Coarse steps of the search per interval of the log; then every bin around the highest peaks."""

MAX_STEPS = 20_000
"""Coarse steps at most: beside a recording of hours they are longer than an interval."""

MAX_INTERVALS = 4_000
"""Longer logs are thinned to this many intervals, so that the search takes seconds."""

REFINED_PEAKS = 3

DIP = 0.05
"""A second peak is divided from the first by a fall of so much, or is a plateau:"""

LEVEL = 0.001
"""as high as the first within so much, and more than an interval away."""

MIN_OVERLAP = 0.5
"""Share of the shorter of log and recording that lies inside the other."""


@dataclass(frozen=True)
class Peak:
    """Where log and recording agree best."""

    lag_ns: int
    """What to add to the log's times."""
    height: float
    """Normalized cross-correlation there, 0 to 1."""
    second: float
    """The highest other peak, 0 where there is none: the lag is sure where this is much lower."""
    scale: float
    """What the recording carried over what the log says, in the log's windows."""


@dataclass(frozen=True)
class Volume:
    """What a recording carried: bits per bin."""

    origin_ns: int
    bin_ns: int
    bits: pl.Series


def best_lag(log: pl.DataFrame, recorded: Volume, lags_ns: tuple[int, int] | None = None) -> Peak | None:
    """Slide a log along a recording.

    Args:
        log: `t_ns`, `window_ns`, `value` of one flow, in order; windows that do not overlap.
        recorded: the same flow, or the link that may have carried it.
        lags_ns: the lags to consider, lowest and highest; by default all at which enough of the shorter one lies
            inside the other.

    Returns:
        The peak, its lag between bins by a parabola through its neighbours; None where nothing correlates.

    With x the recording and y the log, sum(xy) / sqrt(sum(x^2) sum(y^2)) over the recording, means not subtracted: both
    are rates of the same traffic. The log counts as zero outside its windows, as a test carries nothing before it
    starts and after it ends. So a constant rate is aligned by its beginning and its end, and a recording that holds
    only part of a test by what varied in it.
    """
    if log.is_empty() or recorded.bits.is_empty():
        return None
    search = _Search(_thinned(log), recorded)
    places = search.places(lags_ns)
    step = max(1, search.interval // STEPS_PER_INTERVAL, len(places) // MAX_STEPS)
    found = {place: search.correlation(place) for place in range(places.start, places.stop, step)}
    for place in _maxima(found)[:REFINED_PEAKS]:
        for near in range(max(places.start, place - step), min(places.stop, place + step + 1)):
            if near not in found:
                found[near] = search.correlation(near)
    best = max(found, key=lambda place: found[place], default=None)
    if best is None or found[best] <= 0:
        return None
    between = _vertex(found.get(best - 1), found[best], found.get(best + 1))
    second = _second(found, best, search.interval)
    return Peak(search.lag_ns(best + between), found[best], second, search.scale(best))


class _Search:
    """The correlation as a function of the bin at which the log begins."""

    def __init__(self, log: pl.DataFrame, recorded: Volume) -> None:
        width, first = recorded.bin_ns, log["t_ns"][0]
        self._shift_ns, self._bin_ns = recorded.origin_ns - first, width
        self._starts = ((log["t_ns"] - first) / width).round().cast(pl.Int64)
        self._ends = ((log["t_ns"] + log["window_ns"] - first) / width).round().cast(pl.Int64)
        self._values = log["value"]
        self._length = int(self._ends[-1])
        self.interval = max(1, round(median_window_ns(log) / width))
        bits = recorded.bits.cast(pl.Float64)
        self._bins = bits.len()
        self._sums = _cumulated(bits)
        # Outside the log's windows the recording varies as it does over intervals of the log's length.
        smooth = bits.rolling_mean(min(self.interval, self._bins), min_samples=1, center=True)
        self._squares = _cumulated(smooth * smooth)

    def places(self, lags_ns: tuple[int, int] | None) -> range:
        """Where the log may begin."""
        if lags_ns is not None:
            low, high = (round((lag - self._shift_ns) / self._bin_ns) for lag in lags_ns)
            return range(low, high + 1)
        overlap = max(1, math.ceil(MIN_OVERLAP * min(self._length, self._bins)))
        return range(overlap - self._length, self._bins - overlap + 1)

    def lag_ns(self, place: float) -> int:
        """What begins there is so much later on the recording's clock."""
        return int(self._shift_ns + round(place * self._bin_ns))

    def correlation(self, place: int) -> float:
        """Normalized cross-correlation over the recording, the log beginning in bin `place`."""
        lengths, values, carried = self._inside(place)
        if lengths.is_empty():
            return 0.0
        begin, end = (min(max(edge, 0), self._bins) for edge in (place, place + self._length))
        outside = self._squares[begin] + self._squares[self._bins] - self._squares[end]
        power = (float((carried * carried / lengths).sum()) + outside) * float((values * values * lengths).sum())
        return min(1.0, float((values * carried).sum()) / math.sqrt(power)) if power > 0 else 0.0

    def scale(self, place: int) -> float:
        """What was carried over what the log says, the log beginning in bin `place`."""
        lengths, values, carried = self._inside(place)
        seconds = self._bin_ns / 1e9
        logged = float((values * lengths).sum()) * seconds
        return float(carried.sum()) / logged if logged > 0 else 0.0

    def _inside(self, place: int) -> tuple[pl.Series, pl.Series, pl.Series]:
        """Length (bins), value, and volume carried of each interval, as far as it lies in the recording."""
        starts = (self._starts + place).clip(0, self._bins)
        ends = (self._ends + place).clip(0, self._bins)
        inside = ends > starts
        starts, ends = starts.filter(inside), ends.filter(inside)
        carried = self._sums.gather(ends) - self._sums.gather(starts)
        return (ends - starts).cast(pl.Float64), self._values.filter(inside), carried


def _cumulated(values: pl.Series) -> pl.Series:
    """Sums of the first 0, 1, 2 ... values."""
    return pl.concat([pl.Series([0.0]), values.cum_sum().rename("")])


def _thinned(log: pl.DataFrame) -> pl.DataFrame:
    """At most so many intervals; neighbours are joined, their means weighted with their lengths."""
    together = math.ceil(log.height / MAX_INTERVALS)
    if together <= 1:
        return log
    end = pl.col("t_ns") + pl.col("window_ns")
    return (
        log.with_columns(group=pl.int_range(pl.len()) // together, end_ns=end)
        .group_by("group", maintain_order=True)
        .agg(
            pl.col("t_ns").first(),
            window_ns=pl.col("end_ns").last() - pl.col("t_ns").first(),
            value=(pl.col("value") * pl.col("window_ns")).sum() / pl.col("window_ns").sum(),
        )
        .drop("group")
    )


def _maxima(found: dict[int, float]) -> list[int]:
    """Places no lower than their neighbours, highest first."""
    places = sorted(found)
    heights = [-math.inf, *(found[place] for place in places), -math.inf]
    tops = [place for at, place in enumerate(places, start=1) if heights[at] >= max(heights[at - 1], heights[at + 1])]
    return sorted(tops, key=lambda place: -found[place])


def _second(found: dict[int, float], best: int, interval: int) -> float:
    """The highest place that is divided from the best one by a dip, or level with it and far away."""
    places = sorted(found)
    at = places.index(best)
    second = 0.0
    for side in (places[at + 1 :], places[:at][::-1]):
        lowest = found[best]
        for place in side:
            lowest = min(lowest, found[place])
            is_level = abs(place - best) > interval and found[place] > found[best] - LEVEL
            if is_level or found[place] - lowest > DIP:
                second = max(second, found[place])
    return second


def _vertex(before: float | None, peak: float, after: float | None) -> float:
    """Where between two bins a parabola through three neighbours is highest, -0.5 to 0.5."""
    if before is None or after is None:
        return 0.0
    curvature = before - 2 * peak + after
    return max(-0.5, min(0.5, (before - after) / (2 * curvature))) if curvature < 0 else 0.0
