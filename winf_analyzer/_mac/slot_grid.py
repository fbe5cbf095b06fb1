"""The slot time from a histogram of idle gaps: access on slot boundaries makes it a comb.

Whoever contends starts a whole number of slots after the medium became idle and SIFS passed (10.3.2.3). Modulo the
slot such gaps are all alike; those before which the sender had nothing to send fall anywhere. Folded at a period
s, let a window of w of the s bins hold the share p of n gaps. Against gaps that fall anywhere, its log likelihood
ratio is n times the Kullback-Leibler divergence of p from w/s, which is largest at the slot itself: a
period that divides the slot makes the window a larger share of it, a multiple of the slot spreads the comb.
"""

from collections.abc import Mapping
from math import exp, log
from typing import NamedTuple

STANDARD_SLOTS_US = (9, 13, 20)
"""aSlotTime of OFDM PHYs at 20 and 10 MHz, and of DSSS PHYs (tables 15-5, 16-3, 17-21, 18-5)."""

OTHER_SLOTS_US = (*range(6, 9), *range(10, 13), *range(14, 20), *range(21, 31))
"""Longer slots for coverage classes (3 us each, 9.4.2.8), and what a simulation may have been given."""

ODDS_OF_OTHER = 1e-4
"""Prior odds of a slot that is not the standard's."""

SHARE_OF_OTHER = 0.8
"""Share of the gaps that must lie on the comb of such a slot: constant bit rates beat with one another."""

WIDTHS_US = (1, 3, 5)
"""Stamps are whole microseconds, of two clocks at times: a tooth of the comb is that wide."""

MIN_SAMPLES = 8
"""Gaps on the comb below which there is none."""

MIN_TEETH = 3
"""Different backoffs that must have been seen; the same gap again and again tells no period."""


class Comb(NamedTuple):
    """A fit: gaps lie at `phase_us` + k `period_us`, give or take half of `width_us`."""

    period_us: int
    phase_us: float
    width_us: int
    samples: int
    """Gaps on the comb."""
    confidence: float
    """Posterior probability of the period, against all others and against no comb."""

    def tooth(self, gap_us: float) -> int | None:
        """Which tooth of the comb a gap falls on, k; None where it falls on none."""
        k = round((gap_us - self.phase_us) / self.period_us)
        off = abs(gap_us - self.phase_us - k * self.period_us)
        return k if off <= (self.width_us + 1) / 2 else None


def fit(gaps: Mapping[int, int]) -> Comb | None:
    """The most likely comb of a histogram (gap in whole microseconds, count); None where there is none.

    The fullest tooth is left aside: immediate access after AIFS, a beacon's PIFS or a constant bit rate make one gap
    frequent without telling a period.
    """
    spread = _without_fullest(gaps)
    scored = [candidate for period in (*STANDARD_SLOTS_US, *OTHER_SLOTS_US) for candidate in _folded(spread, period)]
    top, comb = max(scored, key=lambda candidate: candidate[0])
    teeth = {comb.tooth(gap) for gap in spread} - {None}
    if top <= 0 or comb.samples < MIN_SAMPLES or len(teeth) < MIN_TEETH:
        return None
    if comb.period_us not in STANDARD_SLOTS_US and comb.samples < SHARE_OF_OTHER * sum(spread.values()):
        return None
    weights = [(exp(score - top), candidate.period_us) for score, candidate in scored]
    same = sum(weight for weight, period in weights if period == comb.period_us)
    nothing = exp(-top)
    posterior = same / (nothing + sum(weight for weight, _ in weights))
    return comb._replace(phase_us=_centre(comb, gaps), confidence=posterior)


def _folded(gaps: Mapping[int, int], period: int) -> list[tuple[float, Comb]]:
    """The best comb of this period for each width, with its log posterior (no comb at all: 0)."""
    prior = log(1.0 if period in STANDARD_SLOTS_US else ODDS_OF_OTHER)
    folded = [0] * period
    for gap, count in gaps.items():
        folded[gap % period] += count
    total, combs = sum(folded), []
    for width in WIDTHS_US:
        if 2 * width > period + 1:
            continue
        windows = [sum(folded[(start + bin_) % period] for bin_ in range(width)) for start in range(period)]
        inside = max(windows)
        start = windows.index(inside)
        # Any phase and width could have been the best one.
        score = prior - log(period * len(WIDTHS_US)) + _log_likelihood_ratio(inside, total, width / period)
        combs.append((score, Comb(period, start + (width - 1) / 2, width, inside, 0.0)))
    return combs


def _log_likelihood_ratio(inside: int, total: int, chance: float) -> float:
    """The divergence D(p || chance) of a share p = inside/n above chance, times n; 0 below."""
    share = inside / total if total else 0.0
    if share <= chance:
        return 0.0
    outside = (1 - share) * log((1 - share) / (1 - chance)) if share < 1 else 0.0
    return total * (share * log(share / chance) + outside)


def _without_fullest(gaps: Mapping[int, int]) -> dict[int, int]:
    if not gaps:
        return {}
    fullest = max(gaps, key=lambda gap: sum(gaps.get(gap + off, 0) for off in (-1, 0, 1)))
    return {gap: count for gap, count in gaps.items() if abs(gap - fullest) > 1}


def _centre(comb: Comb, gaps: Mapping[int, int]) -> float:
    """The mean phase of the gaps on the comb, 0 to the period."""
    on = [(gap, count, tooth) for gap, count in gaps.items() if (tooth := comb.tooth(gap)) is not None]
    total = sum(count for _, count, _ in on)
    return sum((gap - tooth * comb.period_us) * count for gap, count, tooth in on) / total if total else comb.phase_us
