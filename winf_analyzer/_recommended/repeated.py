"""What repetitions add to the time of a packet: attempts that failed, and backoffs that double with each of them.

A capacity is that of packets which arrive at once. Where many are sent again, a packet takes longer, and what comes
besides it, the ACKs of a TCP flow, is a smaller part of the time.
"""

import polars as pl

from winf_analyzer._mac.backoffs import backoffs as backoffs_of_attempts
from winf_analyzer._mac.backoffs import mean_attempts, mean_backoff
from winf_analyzer._recommended.evidence import LINK

MAX_FAILING = 0.95
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
    return mean_attempts(_share())


def backoffs() -> pl.Expr:
    """Mean backoff of all attempts at a packet over that of the first (column `window`: CWmin + 1)."""
    return mean_backoff(_share()) * attempts() / backoffs_of_attempts()[0]


def _share() -> pl.Expr:
    return pl.col("failing").fill_null(0.0).fill_nan(0.0).clip(0, MAX_FAILING)
