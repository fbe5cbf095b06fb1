"""How strongly two yes-or-no facts go together: odds ratio and Fisher's exact test of a 2x2 table.

Its counts are `a` (overlapped and failed), `b` (overlapped, answered), `c` (alone, failed) and `d` (alone, answered).
"""

from __future__ import annotations

import math

_NEGLIGIBLE = 1e-17
"""Terms of the tail below this share of its sum change nothing."""


def odds_ratio(a: int, b: int, c: int, d: int) -> float:
    """(a d)/(b c), with 1/2 added to each count so that an empty cell gives no infinity (Haldane, Anscombe)."""
    return (a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5))


def fisher(a: int, b: int, c: int, d: int) -> float:
    """Chance of `a` or more in the first cell if the two facts were independent: Fisher's exact test, one-sided.

    With both margins fixed the first cell is hypergeometric; the terms of its upper tail fall from its mode on.

    Raises:
        ValueError: a count below 0.
    """
    if min(a, b, c, d) < 0:
        raise ValueError(f"counts must not be negative: {a}, {b}, {c}, {d}")
    overlapped, failed, total = a + b, a + c, a + b + c + d
    if a <= max(0, overlapped + failed - total):
        return 1.0
    log_whole = _log_choose(total, failed)
    mode = (overlapped + 1) * (failed + 1) // (total + 2)
    tail = 0.0
    for count in range(a, min(overlapped, failed) + 1):
        log_ways = _log_choose(overlapped, count) + _log_choose(total - overlapped, failed - count)
        term = math.exp(log_ways - log_whole)
        tail += term
        if count > mode and term <= tail * _NEGLIGIBLE:
            break
    return min(1.0, tail)


def wilson_lower(successes: int, trials: int, z: float = 1.645) -> float:
    """Lower end of Wilson's score interval of a share, 0 without trials; z = 1.645: 95 % from one side."""
    if trials <= 0:
        return 0.0
    share, spread = successes / trials, z * z / trials
    margin = z * math.sqrt(share * (1 - share) / trials + spread / (4 * trials))
    return max(0.0, (share + spread / 2 - margin) / (1 + spread))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
