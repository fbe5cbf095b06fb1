"""Senders whose data is never sent again where nobody answers it.

A sender repeats what was lost, so that data without an answer which was not repeated had one, and only the recorder
missed it (:mod:`.completeness`). A sender with a retry limit of one repeats nothing, and of its data that which nobody
answers is lost. The two look alike where not one attempt is repeated.
"""

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._models.saturation.recorded import completeness

MIN_SILENT = 16
"""Data without an answer from which it is told whether a sender repeats."""

REPEATED = 0.05
"""Share of it that is repeated at most: one collision in twenty leaves no doubt that the sender repeats."""

MISSED_ALIKE = 2.0
"""How many times as many answers may be missed as frames of the sender, before anything else is presumed."""

MIN_UNREPEATED = 0.02
"""Share of data without an answer, beyond that, from which it matters."""


def share(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver unrepeated`: the share of such links' data that was lost, or whose answer was missed.

    Of other links there is no row. `links`: sums per window and link, with :data:`.completeness.SHARES`.
    """
    counts = pl.col("silent_numbered", "retries", "heard").sum()
    sums = links.group_by("medium", *windows.LINK).agg(counts, pl.col("heard_share").first())
    missed = MISSED_ALIKE * (1 - pl.col("heard_share"))
    rows = sums.with_columns(unrepeated=completeness.answers_missed())
    return rows.filter(
        pl.col("silent_numbered") >= MIN_SILENT,
        pl.col("retries") <= REPEATED * pl.col("silent_numbered"),
        pl.col("unrepeated") > MIN_UNREPEATED + missed,
    ).select("medium", *windows.LINK, "unrepeated")
