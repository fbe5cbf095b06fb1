"""The slot time from a histogram of idle gaps, which is periodic because access starts on slot boundaries.

A contending station starts a whole number of slots after SIFS (10.3.2.3). Modulo the slot time such gaps are equal;
gaps of senders that were not backlogged are uniform. Fold the histogram at a period of s us, and let a window of w of
the s bins contain the share p of n gaps. The log likelihood ratio against uniform gaps is n times the Kullback-Leibler
divergence of p from w/s. It is largest at the slot time: at its divisors the window is a larger share of the period,
at its multiples the gaps are in several windows.
"""

from collections.abc import Mapping
from math import exp, log
from typing import NamedTuple

from winf_analyzer._mac.constants import whole

STANDARD_SLOTS_US = (whole("short_slot"), whole("ofdm_10_mhz_slot"), whole("long_slot"))
"""aSlotTime of OFDM PHYs at 20 and 10 MHz, and of DSSS PHYs (tables 15-6, 16-4, 17-21, 18-5)."""

NON_STANDARD_SLOTS_US = (*range(6, 9), *range(10, 13), *range(14, 20), *range(21, 31))
"""Longer slots for coverage classes (3 us each, 9.4.2.8), and other values that a simulation may use."""

NON_STANDARD_ODDS = 1e-4
"""Prior odds of a slot time that is not in the standard."""

MIN_NON_STANDARD_SHARE = 0.8
"""Minimum share of gaps on the grid of such a slot time: constant bit rate flows have beat periods."""

COVERAGE_SLOTS_US = tuple(
    slot + 3 * each
    for slot in (whole("short_slot"), whole("long_slot"))
    for each in range(1, 32)
    if slot + 3 * each <= 30
)
"""Slot times of long distances: 3 us more for each coverage class (9.4.2.8)."""

MIN_BACKOFFS, MIN_BACKOFF_SLOTS = 64, 12
"""Fewest gaps on the grid within the first contention window, and different slots of it, from which on one of these is
told in light traffic as well: what comes later is packets that found the medium idle, on no grid. Packets at equal
intervals are not in so many slots."""

FIRST_SLOTS = 18
"""DIFS and the longest backoff of a first attempt, in slots."""

WIDTHS_US = (1, 3, 5)
"""Widths of the window: time stamps are whole microseconds, sometimes of two clocks."""

MIN_SAMPLES = 8
"""Minimum number of gaps on the grid."""

MIN_DISTINCT_SLOTS = 3
"""Minimum number of different backoffs: repetitions of one gap do not determine a period."""

EVEN_RANK, MIN_EVEN = 5, 3
"""A gap counts at most as often as the one with so many-th most counts, and so often in any case: backoffs make many
gaps about as frequent, and packets at equal intervals a few by themselves, of which any period fits some."""


class SlotGrid(NamedTuple):
    """A fit: gaps are at `phase_us` + k `period_us`, within half of `width_us`."""

    period_us: int
    phase_us: float
    width_us: int
    samples: int
    """Gaps on the grid."""
    confidence: float
    """Posterior probability of the period, against all others and against no grid."""

    def slot_index(self, gap_us: float) -> int | None:
        """The slot k of a gap; None if the gap is off the grid."""
        k = round((gap_us - self.phase_us) / self.period_us)
        off = abs(gap_us - self.phase_us - k * self.period_us)
        return k if off <= (self.width_us + 1) / 2 else None


def fit(gaps: Mapping[int, int]) -> SlotGrid | None:
    """The most likely slot grid of a histogram (count by gap in whole microseconds); None if there is none.

    The mode of the histogram is left out: immediate access after AIFS, a beacon's PIFS or a constant bit rate make one
    gap frequent, which does not determine a period. Nor do a few others (:data:`EVEN_RANK`).
    """
    without_mode = _without_mode(gaps)
    evened = _evened(without_mode)
    scored = [
        candidate
        for period in (*STANDARD_SLOTS_US, *NON_STANDARD_SLOTS_US)
        for candidate in _best_grids(evened, period)
    ]
    top, grid = max(scored, key=lambda candidate: candidate[0])
    slots = {grid.slot_index(gap) for gap in evened} - {None}
    if top <= 0 or grid.samples < MIN_SAMPLES or len(slots) < MIN_DISTINCT_SLOTS:
        return None
    share = grid.samples >= MIN_NON_STANDARD_SHARE * sum(evened.values())
    if grid.period_us not in STANDARD_SLOTS_US and not share and not _backs_off(grid, evened):
        return None
    weights = [(exp(score - top), candidate.period_us) for score, candidate in scored]
    same_period = sum(weight for weight, period in weights if period == grid.period_us)
    no_grid = exp(-top)
    posterior = same_period / (no_grid + sum(weight for weight, _ in weights))
    return grid._replace(phase_us=_mean_phase(grid, gaps), samples=_inside(grid, without_mode), confidence=posterior)


def _best_grids(gaps: Mapping[int, int], period: int) -> list[tuple[float, SlotGrid]]:
    """The best grid of this period for each width, with its log posterior (no grid: 0)."""
    prior = log(1.0 if period in STANDARD_SLOTS_US else NON_STANDARD_ODDS)
    folded = [0] * period
    for gap, count in gaps.items():
        folded[gap % period] += count
    total, grids = sum(folded), []
    around = folded + folded[: max(WIDTHS_US)]
    for width in WIDTHS_US:
        if 2 * width > period + 1:
            continue
        windows = [sum(around[start : start + width]) for start in range(period)]
        inside = max(windows)
        start = windows.index(inside)
        # The maximum is over all phases and widths.
        score = prior - log(period * len(WIDTHS_US)) + _log_likelihood_ratio(inside, total, width / period)
        grids.append((score, SlotGrid(period, start + (width - 1) / 2, width, inside, 0.0)))
    return grids


def _backs_off(grid: SlotGrid, gaps: Mapping[int, int]) -> bool:
    """The gaps within the first contention window are on the grid of a long slot time, and in most of its slots."""
    first = {gap: count for gap, count in gaps.items() if gap <= grid.phase_us + FIRST_SLOTS * grid.period_us}
    slots = {gap: slot for gap in first if (slot := grid.slot_index(gap)) is not None}
    on = sum(first[gap] for gap in slots)
    enough = on >= max(MIN_BACKOFFS, MIN_NON_STANDARD_SHARE * sum(first.values()))
    return grid.period_us in COVERAGE_SLOTS_US and enough and len(set(slots.values())) >= MIN_BACKOFF_SLOTS


def _inside(grid: SlotGrid, gaps: Mapping[int, int]) -> int:
    """How many gaps are in the window."""
    start = round(grid.phase_us - (grid.width_us - 1) / 2)
    return sum(count for gap, count in gaps.items() if (gap - start) % grid.period_us < grid.width_us)


def _log_likelihood_ratio(inside: int, total: int, chance: float) -> float:
    """The divergence D(p || chance) times n, of a share p = inside/n above chance; 0 below."""
    share = inside / total if total else 0.0
    if share <= chance:
        return 0.0
    outside = (1 - share) * log((1 - share) / (1 - chance)) if share < 1 else 0.0
    return total * (share * log(share / chance) + outside)


def _without_mode(gaps: Mapping[int, int]) -> dict[int, int]:
    if not gaps:
        return {}
    mode = max(gaps, key=lambda gap: sum(gaps.get(gap + off, 0) for off in (-1, 0, 1)))
    return {gap: count for gap, count in gaps.items() if abs(gap - mode) > 1}


def _evened(gaps: dict[int, int]) -> dict[int, int]:
    most = max([MIN_EVEN, *sorted(gaps.values(), reverse=True)[EVEN_RANK - 1 : EVEN_RANK]])
    return {gap: min(count, most) for gap, count in gaps.items()}


def _mean_phase(grid: SlotGrid, gaps: Mapping[int, int]) -> float:
    """The mean phase of the gaps on the grid, 0 to the period."""
    on = [(gap, count, slot_index) for gap, count in gaps.items() if (slot_index := grid.slot_index(gap)) is not None]
    total = sum(count for _, count, _ in on)
    return (
        sum((gap - slot_index * grid.period_us) * count for gap, count, slot_index in on) / total
        if total
        else grid.phase_us
    )
