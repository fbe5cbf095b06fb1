"""What repetitions add to the time of a packet: attempts that failed, and backoffs that double with each of them.

A capacity is that of packets which arrive at once. Where many are sent again, a packet takes longer, and what comes
besides it, the ACKs of a TCP flow, is a smaller part of the time.
"""

import polars as pl

from winf_analyzer._mac.constants import HIGH_BAND, whole
from winf_analyzer._recommended.evidence import LINK

ATTEMPTS = whole("dot11ShortRetryLimit")
"""Attempts per packet."""

WINDOW_MAX = whole("aCWmax", "ofdm", HIGH_BAND) + 1
"""CWmax + 1 (9.4.2.28)."""

MOST_FAILING = 0.95
"""Share of attempts that fail, at most."""


def failing(links: pl.DataFrame) -> pl.DataFrame:
    """:data:`.evidence.LINK` and `failing`: the share of the attempts of each that failed, over the recording.

    What failed is repeated: that shows collisions that nobody heard as well, and no answer counts that the recorder
    alone missed.

    Args:
        links: :func:`.evidence.whole`.
    """
    return links.select(*LINK, failing=pl.col("retries") / pl.col("attempts").clip(1))


def attempts() -> pl.Expr:
    """Mean attempts at a packet, of which the share `failing` fails."""
    return pl.sum_horizontal(_share() ** attempt for attempt in range(ATTEMPTS))


def backoffs() -> pl.Expr:
    """Mean backoff of all attempts at a packet over that of the first (column `window`: CWmin + 1)."""
    widths = (pl.min_horizontal(pl.col("window") * 2**attempt, float(WINDOW_MAX)) for attempt in range(ATTEMPTS))
    waits = ((width - 1) / (pl.col("window") - 1) for width in widths)
    return pl.sum_horizontal(_share() ** attempt * wait for attempt, wait in enumerate(waits))


def _share() -> pl.Expr:
    return pl.col("failing").fill_null(0.0).fill_nan(0.0).clip(0, MOST_FAILING)
