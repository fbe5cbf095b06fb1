"""AIFSN and CWmin from where the gaps fall on the comb of slots.

A backlogged sender waits AIFS and a backoff of k slots, k uniform from 0 to CWmin at a first attempt (10.3.3). Against
c other contenders it goes first with a backoff of k only where theirs are longer, about (1 - k/(CWmin+1))^c of
the time: the plateau slopes, its edge stays. A backoff of 0 slots is drawn, never left over after another's
exchange, so only the last sender of c + 1 shows it. Senders that had nothing to send fall on any tooth.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from math import exp, log
from operator import mul
from typing import NamedTuple

CW_MIN = tuple((1 << bits) - 1 for bits in range(1, 9))
"""Contention windows are powers of two less one (9.4.2.28): 1 to 255."""

RIVALS = (0, 1, 2, 3, 5, 8)
"""Other contenders presumed for the slope of the plateau."""

BACKLOGGED = (0.0, 0.1, 0.3, 0.6, 0.9, 0.98, 0.999)
"""Shares of the gaps that come from a backlogged sender. None at all is among them: then no plateau is likelier."""

LONGEST = 1024
"""Slots over which gaps are spread that are no backoff: nothing to send, or an exchange nobody heard."""

MOST_WITHIN = (32, 128, 512)
"""Slots within which nine in ten of those lie."""


class Contention(NamedTuple):
    """What a sender's backoffs tell, each with its posterior probability."""

    first: int
    """The tooth of backoff 0."""
    first_confidence: float
    cw_min: int
    cw_min_confidence: float
    samples: int
    """Gaps within the plateau."""
    upper_share: float
    """Share of those in its upper half: one half where all backoffs of a lone sender were drawn for their gap."""


def fit(
    teeth: Mapping[int, int], firsts: Mapping[int, float], windows: Mapping[int, float], *, fresh: bool
) -> Contention | None:
    """The most likely plateau of a histogram of teeth.

    Args:
        teeth: how many gaps fell on each tooth.
        firsts: candidates for the tooth of backoff 0 with their prior weights.
        windows: prior weights of values of CWmin; those of :data:`CW_MIN` that are not named weigh 1.
        fresh: all backoffs were drawn for their gap, none was left over from an earlier one.

    Returns:
        None where there is nothing to fit.
    """
    teeth = {tooth: count for tooth, count in teeth.items() if min(firsts) <= tooth < LONGEST}
    if not teeth:
        return None
    scores = {
        (first, cw_min): log(weight * windows.get(cw_min, 1.0)) + _log_evidence(teeth, first, cw_min, fresh)
        for (first, weight), cw_min in product(firsts.items(), CW_MIN)
    }
    top = max(scores.values())
    posterior = {pair: exp(score - top) for pair, score in scores.items()}
    total = sum(posterior.values())
    first, cw_min = max(posterior, key=lambda pair: posterior[pair])
    plateau = {tooth - first: count for tooth, count in teeth.items() if first <= tooth <= first + cw_min}
    samples = sum(plateau.values())
    upper = sum(count for backoff, count in plateau.items() if 2 * backoff > cw_min)
    return Contention(
        first,
        sum(weight for pair, weight in posterior.items() if pair[0] == first) / total,
        cw_min,
        sum(weight for pair, weight in posterior.items() if pair[1] == cw_min) / total,
        samples,
        upper / samples if samples else 0.0,
    )


def _log_evidence(teeth: Mapping[int, int], first: int, cw_min: int, fresh: bool) -> float:
    """Log likelihood of a plateau from `first` to `first + cw_min`, averaged over what else is not known."""
    inside = [teeth.get(first + backoff, 0) for backoff in range(cw_min + 1)]
    outside = [(tooth, count) for tooth, count in teeth.items() if not first <= tooth <= first + cw_min]
    scores = []
    for share, within in product(BACKLOGGED, MOST_WITHIN):
        near = sum(count for tooth, count in outside if tooth < within)
        far = sum(count for tooth, count in outside if tooth >= within)
        elsewhere = near * log((1 - share) * _spread(0, within)) + far * log((1 - share) * _spread(within, within))
        for rivals in RIVALS:
            densities = _log_plateau(cw_min, 0 if fresh else rivals, rivals, share, within)
            scores.append(elsewhere + sum(map(mul, inside, densities)))
    top: float = max(scores)
    return top + log(sum(exp(score - top) for score in scores) / len(scores))


def _spread(slot: int, within: int) -> float:
    """Probability of one slot for gaps that are no backoff."""
    return 0.1 / LONGEST + (0.9 / within if slot < within else 0.0)


@lru_cache(maxsize=2048)
def _log_plateau(cw_min: int, ahead: int, rivals: int, share: float, within: int) -> tuple[float, ...]:
    """Log probabilities of the backoffs 0 to CWmin, `share` of which come from a sender that went first.

    One sender in `ahead` + 1 may have drawn its backoff for this gap, and so show 0.
    """
    weights = [(1 - backoff / (cw_min + 1)) ** rivals for backoff in range(cw_min + 1)]
    weights[0] /= ahead + 1
    total = sum(weights)
    return tuple(
        log(share * weight / total + (1 - share) * _spread(backoff, within)) for backoff, weight in enumerate(weights)
    )
