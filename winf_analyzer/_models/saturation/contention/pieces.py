"""Links and the stations around them in pieces, so that memory does not grow with the recording."""

from collections.abc import Iterator
from math import ceil

import polars as pl

from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer._models.saturation.contention import carry_over, contention_domain
from winf_analyzer._util.memory import memory_limit

ROWS = 100_000
"""Most rows for links and the stations around them, in all windows, that are solved for at a time. As many are kept for
the other mode."""

BYTES_PER_ROW = 5_000
"""Of the memory limit: a row takes some 1.2 kB while it is solved for, and those that are kept lie beside it."""

LINK_ROWS = 2
"""Stations whose rows together are as wide as that of a link."""


def are_one(links: pl.DataFrame) -> bool:
    """Whether the links of all windows are one piece."""
    return int(links.join(_rows_taken(links), on=WINDOW)["rows_taken"].sum()) <= _rows()


def of_links(links: pl.DataFrame, length_ns: int | None) -> Iterator[pl.DataFrame]:
    """The links in the order of time, at most about :func:`_rows` at a time, each with all its windows of a block.

    As many in each piece: Polars divides in a frame of one row by another rule, which a short last piece could be.

    Args:
        links: sums per window and link.
        length_ns: of tumbling windows; of others nothing is carried from one to the next.
    """
    together = ["window_start_ns"] if length_ns is None else [carry_over.block(length_ns), "medium", *LINK]
    ordered = links.join(_rows_taken(links), on=WINDOW).sort(*together, maintain_order=True)
    # A step of its own: within `over` the sum would begin anew with each group.
    ordered = ordered.with_columns(before=pl.col("rows_taken").cast(pl.Int64).cum_sum() - pl.col("rows_taken"))
    before = pl.col("before") if length_ns is None else pl.col("before").first().over(together)
    total = int(ordered["rows_taken"].sum())
    sizes = (
        ordered.select(piece=before * ceil(total / _rows()) // max(total, 1))
        .group_by("piece", maintain_order=True)
        .len()["len"]
    )
    ordered, begin = ordered.drop("rows_taken", "before"), 0
    for size in sizes:
        yield ordered[begin : begin + size]
        begin += size


def _rows() -> int:
    """:data:`ROWS`, or less where the memory limit is low; results are the same."""
    return max(1, min(ROWS, memory_limit() // BYTES_PER_ROW))


def _rows_taken(links: pl.DataFrame) -> pl.DataFrame:
    """`medium window_start_ns rows_taken`: how many rows each link of a window takes, with the stations around it."""
    around = links.group_by(WINDOW).agg(rows_taken=pl.col("sender").n_unique().clip(upper_bound=contention_domain.NEAR))
    return around.with_columns(pl.col("rows_taken") + LINK_ROWS)
