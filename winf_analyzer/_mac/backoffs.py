"""Backoffs of the attempts at a packet: after each that failed the window doubles, up to CWmax (10.23.2.2).

Expressions over a column `window`: CWmin + 1.
"""

import polars as pl

from winf_analyzer._mac.constants import HIGH_BAND, whole
from winf_analyzer._util.float_sums import sum_in_order

ATTEMPTS = whole("dot11ShortRetryLimit")
"""Attempts per packet: dot11ShortRetryLimit."""

WINDOW_MAX = whole("aCWmax", "ofdm", HIGH_BAND) + 1
"""CWmax+1 (9.4.2.28, 17.4.4)."""

PRIORITY_WINDOW = 12.0
"""CWmin + 1 below which a category is voice or video, whose CWmax is the next window."""


def backoffs() -> list[pl.Expr]:
    """Mean backoff in slots of each attempt at a packet."""
    most = pl.when(pl.col("window") < PRIORITY_WINDOW).then(2 * pl.col("window")).otherwise(float(WINDOW_MAX))
    widths = (pl.min_horizontal(pl.col("window") * 2**stage, most) for stage in range(ATTEMPTS))
    return [(width - 1) / 2 for width in widths]


def mean_attempts(failing: pl.Expr) -> pl.Expr:
    """Mean attempts at a packet, of which this share fails."""
    return sum_in_order(failing**attempt for attempt in range(ATTEMPTS))


def mean_backoff(failing: pl.Expr) -> pl.Expr:
    """Mean backoff in slots over the attempts at a packet, of which this share fails."""
    slots = [failing**stage * backoff for stage, backoff in enumerate(backoffs())]
    return sum_in_order(slots) / mean_attempts(failing)
