"""95 % confidence intervals of means, by Student's t."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, stdev

# The 97.5 % quantile for 1 to 10 degrees of freedom.
_FEW = (12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216, 2.22814)
_NORMAL = NormalDist().inv_cdf(0.975)


def half_width(values: Sequence[float]) -> float | None:
    """Half the width of the 95 % confidence interval of the mean; None for fewer than two values."""
    if len(values) < 2:
        return None
    return t_975(len(values) - 1) * stdev(values) / sqrt(len(values))


def t_975(freedom: int) -> float:
    """The 97.5 % quantile of Student's t with so many degrees of freedom, to four digits.

    Beyond ten, Fisher's expansion around the normal quantile (Abramowitz and Stegun, 26.7.5).
    """
    if freedom <= len(_FEW):
        return _FEW[freedom - 1]
    z = _NORMAL
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / float(freedom**power) for power, term in enumerate(terms, start=1))
