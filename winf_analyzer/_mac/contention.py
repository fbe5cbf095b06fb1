"""AIFSN and CWmin from where the gaps fall on the comb of slots.

A backlogged sender waits AIFS and a backoff of k slots, k uniform from 0 to CWmin at a first attempt (10.3.3). Against
c other contenders it goes first with a backoff of k only where theirs are longer, about (1 - k/(CWmin+1))^c of
the time: the plateau slopes, its edge stays. A backoff of 0 slots is drawn, never left over after another's
exchange, so only the last sender of c + 1 shows it. Senders that had nothing to send fall on any tooth.
"""

from collections.abc import Mapping
from math import exp, log
from typing import NamedTuple

from winf_analyzer import _core

CW_MIN = tuple((1 << bits) - 1 for bits in range(1, 9))
"""Contention windows are powers of two less one (9.4.2.28): 1 to 255."""

LONGEST = 1024
"""Slots over which gaps are spread that are no backoff: nothing to send, or an exchange nobody heard."""


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
    evidence = _core.plateau_evidence(list(teeth.items()), list(firsts), CW_MIN, LONGEST, fresh)
    scores = {
        (first, cw_min): log(weight * windows.get(cw_min, 1.0)) + likelihood
        for (first, weight), likelihoods in zip(firsts.items(), evidence, strict=True)
        for cw_min, likelihood in zip(CW_MIN, likelihoods, strict=True)
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
