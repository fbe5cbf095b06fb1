"""The lag between the clocks of a log and a recording, by cross-correlation of throughput."""

import math
from dataclasses import dataclass

import polars as pl

from winf_analyzer import _core
from winf_analyzer._evaluate.series import median_window_ns

STEPS_PER_INTERVAL = 4
"""Steps of the coarse search per interval of the log; the fine search tries every bin around the highest peaks."""

MAX_STEPS = 20_000
"""Maximum number of coarse steps; in recordings of hours they are longer than an interval."""

MAX_INTERVALS = 4_000
"""Longer logs are downsampled to this many intervals, so that the search takes seconds."""

REFINED_PEAKS = 3

MIN_DIP = 0.05
"""Minimum depth of the dip between a second peak and the first."""

PLATEAU_TOLERANCE = 0.001
"""A point this close to the height of the first peak, and more than an interval away, is a second peak as well."""

MIN_OVERLAP = 0.5
"""Minimum share of the shorter of log and recording that overlaps the other."""


@dataclass(frozen=True)
class Peak:
    """The maximum of the cross-correlation of log and recording."""

    lag_ns: int
    """Offset to add to the log's times."""
    height: float
    """Normalized cross-correlation at the peak, 0 to 1."""
    second: float
    """Height of the second highest peak, 0 if there is none; the lag is reliable if it is much lower."""
    scale: float
    """Volume in the recording divided by the volume in the log, over the log's windows."""
    is_inside: bool
    """Lags on both sides of it were tried; else the correlation may rise on beyond."""


@dataclass(frozen=True)
class BinnedVolume:
    """Traffic of a recording: bits per bin."""

    origin_ns: int
    bin_ns: int
    bits: pl.Series


def find_lag(log: pl.DataFrame, recorded: BinnedVolume, lags_ns: tuple[int, int] | None = None) -> Peak | None:
    """Find the lag of maximum cross-correlation.

    Args:
        log: `t_ns`, `window_ns`, `value` of one flow, sorted, with disjoint windows.
        recorded: the same flow, or a link that may have carried it.
        lags_ns: lowest and highest lag; by default all with an overlap of at least :data:`MIN_OVERLAP`.

    Returns:
        The peak, its lag interpolated between bins by a parabola; None if nothing correlates.

    With x the recording and y the log, the correlation is sum(xy) / sqrt(sum(x^2) sum(y^2)) over the recording. Means
    are not subtracted, because both are rates of the same traffic. The log is zero outside its windows, since a test
    carries nothing before its start and after its end. A constant rate is therefore aligned by its start and end, and a
    recording of only part of a test by its variations.
    """
    if log.is_empty() or recorded.bits.is_empty():
        return None
    search = _Search(_downsampled(log), recorded)
    start_bins = search.start_bins(lags_ns)
    step = max(1, search.interval // STEPS_PER_INTERVAL, len(start_bins) // MAX_STEPS)
    correlations = search.correlations(range(start_bins.start, start_bins.stop, step))
    for start_bin in _maxima(correlations)[:REFINED_PEAKS]:
        around = range(max(start_bins.start, start_bin - step), min(start_bins.stop, start_bin + step + 1))
        correlations |= search.correlations(around)
    best = max(correlations, key=lambda start_bin: correlations[start_bin], default=None)
    if best is None or correlations[best] <= 0:
        return None
    fraction = _vertex(correlations.get(best - 1), correlations[best], correlations.get(best + 1))
    second = _second(correlations, best, search.interval)
    is_inside = start_bins.start < best < start_bins.stop - 1
    return Peak(search.lag_ns(best + fraction), correlations[best], second, search.scale(best), is_inside)


class _Search:
    """The correlation as a function of the bin in which the log starts."""

    def __init__(self, log: pl.DataFrame, recorded: BinnedVolume) -> None:
        width, first = recorded.bin_ns, log["t_ns"][0]
        self._shift_ns, self._bin_ns = recorded.origin_ns - first, width
        self._starts = ((log["t_ns"] - first) / width).round().cast(pl.Int64)
        self._ends = ((log["t_ns"] + log["window_ns"] - first) / width).round().cast(pl.Int64)
        self._values = log["value"]
        self._length = int(self._ends[-1])
        self.interval = max(1, round(median_window_ns(log) / width))
        bits = recorded.bits.cast(pl.Float64)
        self._bins = bits.len()
        self._sums = _cumulative(bits)
        # Outside the log's windows the recording is smoothed over intervals of the log's length.
        smooth = bits.rolling_mean(min(self.interval, self._bins), min_samples=1, center=True)
        edges = self._starts.to_list(), self._ends.to_list(), self._values.cast(pl.Float64).to_list()
        self._correlation = _core.Correlation(*edges, self._sums.to_list(), _cumulative(smooth * smooth).to_list())

    def start_bins(self, lags_ns: tuple[int, int] | None) -> range:
        """The bins in which the log may start."""
        if lags_ns is not None:
            low, high = (round((lag - self._shift_ns) / self._bin_ns) for lag in lags_ns)
            return range(low, high + 1)
        overlap = max(1, math.ceil(MIN_OVERLAP * min(self._length, self._bins)))
        return range(overlap - self._length, self._bins - overlap + 1)

    def lag_ns(self, start_bin: float) -> int:
        """The lag if the log starts in this bin."""
        return int(self._shift_ns + round(start_bin * self._bin_ns))

    def correlations(self, start_bins: range) -> dict[int, float]:
        """Normalized cross-correlation over the recording if the log starts in each of these bins, in one pass."""
        return dict(zip(start_bins, self._correlation.at(list(start_bins)), strict=True))

    def scale(self, start_bin: int) -> float:
        """Volume in the recording divided by the volume in the log if the log starts in this bin."""
        lengths, values, carried = self._inside(start_bin)
        seconds = self._bin_ns / 1e9
        logged = float((values * lengths).sum()) * seconds
        return float(carried.sum()) / logged if logged > 0 else 0.0

    def _inside(self, start_bin: int) -> tuple[pl.Series, pl.Series, pl.Series]:
        """Length in bins, value, and recorded volume of the part of each interval that is in the recording."""
        starts = (self._starts + start_bin).clip(0, self._bins)
        ends = (self._ends + start_bin).clip(0, self._bins)
        inside = ends > starts
        starts, ends = starts.filter(inside), ends.filter(inside)
        carried = self._sums.gather(ends) - self._sums.gather(starts)
        return (ends - starts).cast(pl.Float64), self._values.filter(inside), carried


def _cumulative(values: pl.Series) -> pl.Series:
    """Cumulative sums, starting with 0."""
    return pl.concat([pl.Series([0.0]), values.cum_sum().rename("")])


def _downsampled(log: pl.DataFrame) -> pl.DataFrame:
    """The log with at most :data:`MAX_INTERVALS` intervals; neighbours are averaged, weighted by length."""
    group_size = math.ceil(log.height / MAX_INTERVALS)
    if group_size <= 1:
        return log
    end = pl.col("t_ns") + pl.col("window_ns")
    return (
        log.with_columns(group=pl.int_range(pl.len()) // group_size, end_ns=end)
        .group_by("group", maintain_order=True)
        .agg(
            pl.col("t_ns").first(),
            window_ns=pl.col("end_ns").last() - pl.col("t_ns").first(),
            value=(pl.col("value") * pl.col("window_ns")).sum() / pl.col("window_ns").sum(),
        )
        .drop("group")
    )


def _maxima(correlations: dict[int, float]) -> list[int]:
    """Local maxima, highest first."""
    start_bins = sorted(correlations)
    heights = [-math.inf, *(correlations[start_bin] for start_bin in start_bins), -math.inf]
    maxima = [
        start_bin
        for at, start_bin in enumerate(start_bins, start=1)
        if heights[at] >= max(heights[at - 1], heights[at + 1])
    ]
    return sorted(maxima, key=lambda start_bin: -correlations[start_bin])


def _second(correlations: dict[int, float], best: int, interval: int) -> float:
    """Height of the highest point that is separated from the peak by a dip, or level with it and far away."""
    start_bins = sorted(correlations)
    at = start_bins.index(best)
    second = 0.0
    for direction in (start_bins[at + 1 :], start_bins[:at][::-1]):
        minimum = correlations[best]
        for start_bin in direction:
            minimum = min(minimum, correlations[start_bin])
            is_level = (
                abs(start_bin - best) > interval and correlations[start_bin] > correlations[best] - PLATEAU_TOLERANCE
            )
            if is_level or correlations[start_bin] - minimum > MIN_DIP:
                second = max(second, correlations[start_bin])
    return second


def _vertex(before: float | None, peak: float, after: float | None) -> float:
    """Offset of the vertex of a parabola through three neighbouring points, -0.5 to 0.5."""
    if before is None or after is None:
        return 0.0
    curvature = before - 2 * peak + after
    return max(-0.5, min(0.5, (before - after) / (2 * curvature))) if curvature < 0 else 0.0
