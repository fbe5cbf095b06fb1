"""Confidence intervals of means, by Student's t; `_sql.macros` makes functions of SQL from the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, stdev

TABLES = {
    0.975: (12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216, 2.22814),
    0.95: (6.31375, 2.91999, 2.35336, 2.13185, 2.01505, 1.94318, 1.89458, 1.85955, 1.83311, 1.81246),
}
"""By share of the distribution below it, the quantile for 1 to 10 degrees of freedom."""

NORMAL_90 = 1.645
"""Standard deviations to either side of the mean of a normal distribution that hold 90 %."""


def half_width(values: Sequence[float]) -> float | None:
    """Half-width of the 95 % confidence interval of the mean; None for fewer than two values."""
    if len(values) < 2:
        return None
    return quantile(0.975, len(values) - 1) * stdev(values) / sqrt(len(values))


def quantile(share: float, degrees_of_freedom: int) -> float:
    """A quantile of Student's t distribution, to four digits; `share` is one of :data:`TABLES`."""
    if degrees_of_freedom <= len(TABLES[share]):
        return TABLES[share][degrees_of_freedom - 1]
    return sum(term / float(degrees_of_freedom**power) for power, term in enumerate(expansion(share)))


def expansion(share: float) -> tuple[float, ...]:
    """Fisher's expansion of a quantile beyond ten degrees of freedom: coefficients of the powers of their reciprocal.

    Source: Abramowitz and Stegun, 26.7.5, up to the third power.
    """
    z = NormalDist().inv_cdf(share)
    return (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
