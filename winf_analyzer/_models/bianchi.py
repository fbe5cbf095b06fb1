"""Bianchi's model of the saturated DCF: how often stations that always have a frame to send collide.

Source: G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC 18(3), 2000,
eq. 7, 9 and 13 to 17. n stations hear one another, the channel loses nothing, and a retry never ends (no retry limit):

    tau = 2 (1-2p) / ((1-2p)(W+1) + p W (1 - (2p)^m))        p = 1 - (1-tau)^(n-1)

with W = CWmin+1 and CWmax+1 = 2^m W. tau is the chance that a station sends in a given slot, p that its attempt
collides. Plain floats, no tables: the module is for whoever needs a prior, a check or the cost of contention.
"""

from __future__ import annotations

import math
from typing import NamedTuple

WINDOW = 32
"""W = CWmin + 1 of 802.11b (17.3.3); OFDM PHYs have 16."""

STAGES = 5
"""m: how often the window doubles, from 32 to 1024; from 16 to 1024 it is 6."""

_HALVINGS = 60
"""Bisections of [0, 1]: more than a double resolves."""


class Saturation(NamedTuple):
    """The fixed point of the model."""

    tau: float
    """Chance that a station transmits in a given slot."""
    p: float
    """Chance that an attempt collides."""


class Cycle(NamedTuple):
    """What a busy slot costs, microseconds."""

    slot_us: float
    """An empty slot."""
    success_us: float
    """T_s: an exchange and the DIFS after it."""
    collision_us: float
    """T_c: what a collision occupies, with the DIFS after it."""


def transmission_probability(p: float, window: float = WINDOW, stages: int = STAGES) -> float:
    """The tau of a station whose attempts collide with probability `p` (eq. 7).

    Written as 2 / (1 + W + p W sum((2p)^k, k < m)), the same without the removable singularity at p = 1/2.
    """
    _check_shape(window, stages)
    if not 0 <= p <= 1:
        raise ValueError(f"p must lie in [0, 1], not {p}")
    return 2 / (1 + window + p * window * sum((2 * p) ** k for k in range(stages)))


def saturation(contenders: float, window: float = WINDOW, stages: int = STAGES) -> Saturation:
    """The tau and p of `contenders` saturated stations, which need not be a whole number.

    tau falls with p and 1 - (1-tau)^(n-1) rises with tau, so there is one solution; it is bisected.

    Raises:
        ValueError: fewer than one contender, a window below one slot, or negative stages.
    """
    _check_shape(window, stages)
    if not 1 <= contenders < math.inf:
        raise ValueError(f"contenders must be at least 1, not {contenders}")
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        p = (low + high) / 2
        tau = transmission_probability(p, window, stages)
        if p < 1 - (1 - tau) ** (contenders - 1):
            low = p
        else:
            high = p
    p = (low + high) / 2 if contenders > 1 else 0.0
    return Saturation(transmission_probability(p, window, stages), p)


def contenders(p: float, window: float = WINDOW, stages: int = STAGES) -> float:
    """How many saturated stations make attempts collide with probability `p`: the model backwards.

    n = 1 + log(1-p) / log(1-tau(p)), not rounded: 1 where nothing collides. Stations that are not saturated count for
    what they contend, so the value is a number of equivalent saturated ones.

    Raises:
        ValueError: p outside [0, 1).
    """
    if not 0 <= p < 1:
        raise ValueError(f"p must lie in [0, 1), not {p}")
    tau = transmission_probability(p, window, stages)
    if tau >= 1:
        raise ValueError("a window of one slot always transmits: the number of contenders cannot be told")
    return 1 + math.log1p(-p) / math.log1p(-tau)


def throughput_bps(
    contenders: float, payload_bytes: float, cycle: Cycle, window: float = WINDOW, stages: int = STAGES
) -> float:
    """Payload that `contenders` saturated stations carry together, bit/s (eq. 13).

        S = P_s P_tr 8L / ((1-P_tr) slot + P_tr P_s T_s + P_tr (1-P_s) T_c)

    with P_tr = 1 - (1-tau)^n, some station sends, and P_s P_tr = n tau (1-tau)^(n-1), exactly one does;
    1-p is (1-tau)^(n-1).
    """
    tau, p = saturation(contenders, window, stages)
    some = 1 - (1 - tau) * (1 - p)
    alone = contenders * tau * (1 - p)
    mean_us = (1 - some) * cycle.slot_us + alone * cycle.success_us + max(0.0, some - alone) * cycle.collision_us
    return alone * 8 * payload_bytes * 1e6 / mean_us


def _check_shape(window: float, stages: int) -> None:
    if not window >= 1 or not 0 <= stages <= 16:
        raise ValueError(f"window must be at least 1 slot and stages lie in [0, 16], not {window} and {stages}")
