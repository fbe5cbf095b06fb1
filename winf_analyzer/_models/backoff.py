"""The backoff of a packet over its attempts, and what the access to the medium costs: K.

Source: L. Barreto, "Advanced Wireless Congestion Control Techniques: XCP-Winf and RCP-Winf", sec. 4.3, after
C. Sarr, C. Chaudet, G. Chelius, I. Guerin Lassous, "Bandwidth estimation for IEEE 802.11-based ad hoc networks" (ABE),
IEEE Trans. Mobile Computing 7(10), 2008. Nothing but arithmetic: each function takes numbers, or Polars expressions.

The paper's K counts DIFS twice, three SIFS and no ACK, and calls 1-K a collision probability. It is the share of a
cycle that is not access: it grows when the backoff shrinks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from winf_analyzer._mac.constants import HIGH_BAND, whole

if TYPE_CHECKING:
    import polars as pl

Value = TypeVar("Value", float, "pl.Expr")

RETRIES = whole("dot11ShortRetryLimit") - 1
"""R: further attempts after the first, the short retry limit of 7 less one (dot11ShortRetryLimit)."""

CW_MAX = whole("aCWmax", "ofdm", HIGH_BAND)
"""aCWmax of every PHY (clauses 15 to 21)."""


def paper_cycle(difs: Value, sifs: Value, backoff: Value, rts: Value, cts: Value, data: Value) -> tuple[Value, Value]:
    """Access and cycle, DIFS + backoff and T(m) = 2 DIFS + 3 SIFS + backoff + CTS + RTS + DATA, as printed.

    K is the first over the second.
    """
    return difs + backoff, 2 * difs + 3 * sifs + backoff + cts + rts + data


def share_left(failed: Value, cycle: Value, wait: Value) -> Value:
    """What is left of a bandwidth if the share `failed` of all attempts fails and each `cycle` is longer by a `wait`.

    (1 - p) cycle / (cycle + wait). With the exchange as the cycle and DIFS + BO as the wait that is (1 - p) (1 - K).
    """
    return (1 - failed) * cycle / (cycle + wait)


def expected_slots(p: Value, cw_min: Value, retries: int = RETRIES, cw_max: int = CW_MAX) -> Value:
    """E[BO|p]: slots that a packet counts down over all its attempts, each failing with probability `p`.

    sum(p^i (W_i - 1)/2, i <= R), W_i = min(2^i W_0, CWmax+1): attempt i happens if i attempts failed, and draws
    uniformly from [0, W_i - 1] (10.3.3).
    """
    slots, reached = 0 * p, 1 + 0 * p
    for retry in range(retries + 1):
        slots = slots + reached * (_capped(2**retry * (cw_min + 1), cw_max + 1) - 1) / 2
        reached = reached * p
    return slots


def _capped(window: Value, limit: int) -> Value:
    return min(window, limit) if isinstance(window, (int, float)) else window.clip(upper_bound=limit)
