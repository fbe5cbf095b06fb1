"""Bianchi's model of the saturated DCF: how often stations that always have a frame to send collide.

Source: G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC 18(3), 2000,
eq. 7 and 9. n stations hear one another, the channel loses nothing, and a retry never ends (no retry limit):

    tau = 2 (1-2p) / ((1-2p)(W+1) + p W (1 - (2p)^m))        p = 1 - (1-tau)^(n-1)

with W = CWmin+1 and CWmax+1 = 2^m W. tau is the chance that a station sends in a given slot, p that its attempt
collides.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeVar

import polars as pl

Value = TypeVar("Value", float, pl.Expr)

WINDOW = 32
"""W = CWmin + 1 of 802.11b (17.3.3); OFDM PHYs have 16."""

STAGES = 5
"""m: how often the window doubles, from 32 to 1024; from 16 to 1024 it is 6."""

MAX_STAGES = 9
"""m of a window of two slots, the smallest that is no constant."""

_HALVINGS = 60
"""Bisections of [0, 1]: more than a double resolves."""


class Saturation(NamedTuple):
    """The fixed point of the model."""

    tau: float
    """Chance that a station transmits in a given slot."""
    p: float
    """Chance that an attempt collides."""


def transmission_probability(p: Value, window: Value, stages: Value) -> Value:
    """The tau of a station whose attempts collide with probability `p` (eq. 7).

    Written as 2 / (1 + W + p W sum((2p)^k, k < m)), the same without the removable singularity at p = 1/2.
    """
    growth = 0 * p
    for stage in range(MAX_STAGES):
        growth = growth + (stages > stage) * (2 * p) ** stage
    return 2 / (1 + window + p * window * growth)


def contenders(p: pl.Expr, window: pl.Expr, stages: pl.Expr) -> pl.Expr:
    """How many saturated stations make attempts collide with probability `p`, below 1: the model backwards.

    n = 1 + log(1-p) / log(1-tau(p)), not rounded: 1 where nothing collides. Stations that are not saturated count for
    what they contend, so the value is a number of equivalent saturated ones.
    """
    tau = transmission_probability(p, window, stages)
    return 1 + (-p).log1p() / (-tau).log1p()


def saturation(contenders: float, window: float = WINDOW, stages: float = STAGES) -> Saturation:
    """The tau and p of `contenders` saturated stations, which need not be a whole number.

    tau falls with p and 1 - (1-tau)^(n-1) rises with tau, so there is one solution; it is bisected.

    Raises:
        ValueError: fewer than one contender.
    """
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
