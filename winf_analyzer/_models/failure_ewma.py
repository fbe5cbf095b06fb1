"""The running failure share of a link, as a sender in the field keeps it.

p <- p + (x - p)/8,  x = 1 for an attempt that failed, 0 for one that was answered; p = 0 before the first
"""

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunk_state import smoothed
from winf_analyzer._aggregate.chunks import GROUP, Chunk, Context
from winf_analyzer._aggregate.head_of_line import with_head_of_line
from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer._models.attempts import unanswered

WEIGHT = 1 / 8
"""Of the newest attempt."""


def _ewma(chunk: Chunk) -> pl.DataFrame:
    """P after the last attempt of each window."""
    attempts = chunk.once(with_head_of_line).lazy().filter("unicast")
    failures = attempts.select(GROUP, "link", failed_ewma=unanswered().cast(pl.Float64)).collect(engine="in-memory")
    rows = smoothed(chunk, _ewma, failures, ("failed_ewma",), ("link",), weight=WEIGHT, start=0.0)
    return chunk.per_link(rows.lazy(), pl.col("failed_ewma").last())


FAILURES = Aggregate(_ewma, keys=None)
"""What :func:`failed_share` takes."""


def failed_share(context: Context, failures: pl.DataFrame) -> pl.DataFrame:
    """`medium window_start_ns sender receiver failed_ewma`: p after the last attempt of each window.

    Of sliding windows, those whose last step has an attempt.
    """
    # A window with exchanges in several chunks has the value of the last.
    shares = failures.unique([*WINDOW, *LINK], keep="last", maintain_order=True)
    settings = context.settings
    earlier = 0 if settings.step_ns is None else settings.window_ns - settings.step_ns
    return shares.with_columns(pl.col("window_start_ns") - earlier)
