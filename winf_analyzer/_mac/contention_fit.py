"""AIFSN and CWmin from the histogram of idle gaps on the slot grid.

A backlogged sender waits AIFS and a backoff of k slots, k uniform from 0 to CWmin at a first attempt (10.3.3): the
histogram is a plateau. Against c other contenders it wins with a backoff of k only if theirs are longer, in about
(1 - k/(CWmin+1))^c of the cases: the plateau slopes, but its edges stay. A backoff of 0 slots is always newly drawn,
never the remainder of an earlier one, so of c + 1 contenders only the last sender can have it. The gaps of senders that
were not backlogged may be in any slot.
"""

from collections.abc import Mapping
from math import exp, log
from typing import NamedTuple

from winf_analyzer import _core

CW_MIN = tuple((1 << bits) - 1 for bits in range(1, 9))
"""Contention windows are powers of two minus one (9.4.2.28): 1 to 255."""

MAX_SLOTS = 1024
"""Slots over which gaps that are not backoffs are distributed: idle senders, and missed exchanges."""


class ContentionFit(NamedTuple):
    """The most likely plateau, with posterior probabilities."""

    zero_slot: int
    """The slot of backoff 0."""
    zero_slot_confidence: float
    cw_min: int
    cw_min_confidence: float
    samples: int
    """Gaps within the plateau."""
    upper_share: float
    """Share of those in its upper half: 1/2 for a single sender with newly drawn backoffs."""
    middle_share: float
    """Share of those in its two middle quarters: 1/2 likewise, 3/4 where every gap is the sum of two backoffs."""


def fit(
    slots: Mapping[int, int], zero_slots: Mapping[int, float], windows: Mapping[int, float], *, all_drawn: bool
) -> ContentionFit | None:
    """The most likely plateau of a histogram of slots.

    Args:
        slots: number of gaps by slot.
        zero_slots: prior weights of candidates for the slot of backoff 0.
        windows: prior weights of values of CWmin; 1 for those of :data:`CW_MIN` that are not given.
        all_drawn: all backoffs were newly drawn, none is the remainder of an earlier one.

    Returns:
        None if no gap is in the range of the fit.
    """
    slots = {slot: count for slot, count in slots.items() if min(zero_slots) <= slot < MAX_SLOTS}
    if not slots:
        return None
    evidence = _core.plateau_evidence(list(slots.items()), list(zero_slots), CW_MIN, MAX_SLOTS, all_drawn)
    scores = {
        (zero_slot, cw_min): log(weight * windows.get(cw_min, 1.0)) + likelihood
        for (zero_slot, weight), likelihoods in zip(zero_slots.items(), evidence, strict=True)
        for cw_min, likelihood in zip(CW_MIN, likelihoods, strict=True)
    }
    best = max(scores.values())
    posterior = {pair: exp(score - best) for pair, score in scores.items()}
    total = sum(posterior.values())
    zero_slot, cw_min = max(posterior, key=lambda pair: posterior[pair])
    plateau = {slot - zero_slot: count for slot, count in slots.items() if zero_slot <= slot <= zero_slot + cw_min}
    samples = sum(plateau.values())
    upper_half = sum(count for backoff, count in plateau.items() if 2 * backoff > cw_min)
    middle = sum(count for backoff, count in plateau.items() if cw_min + 1 <= 4 * backoff < 3 * (cw_min + 1))
    return ContentionFit(
        zero_slot,
        sum(weight for pair, weight in posterior.items() if pair[0] == zero_slot) / total,
        cw_min,
        sum(weight for pair, weight in posterior.items() if pair[1] == cw_min) / total,
        samples,
        upper_half / samples if samples else 0.0,
        middle / samples if samples else 0.0,
    )
