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
"""What :func:`with_failed_share` takes."""


def with_failed_share(rows: pl.DataFrame, context: Context, failures: pl.DataFrame) -> pl.DataFrame:
    """Rows of links and windows with `failed_ewma`, p at the end of each window.

    Attempts alone change it: where a window ends with a link silent, that of an earlier part stays.
    """
    # A part with exchanges in several chunks has the value of the last.
    parts = failures.unique([*WINDOW, *LINK], keep="last", maintain_order=True).sort("window_start_ns")
    settings = context.settings
    before_last = 0 if settings.step_ns is None else settings.window_ns - settings.step_ns
    return (
        rows.with_row_index("row")
        .with_columns(last_part_ns=pl.col("window_start_ns") + before_last)
        .sort("last_part_ns")
        .join_asof(
            parts.rename({"window_start_ns": "part_ns"}),
            left_on="last_part_ns",
            right_on="part_ns",
            by=["medium", *LINK],
            check_sortedness=False,
        )
        .sort("row")
        .drop("row", "last_part_ns", "part_ns", strict=False)
    )
