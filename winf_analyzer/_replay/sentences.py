"""What the sentences about the flows of a replay have in common."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl


def by_run(found: pl.DataFrame, one: str, other: str) -> Iterator[tuple[str, str, pl.DataFrame, str]]:
    """Per controller and mode its rows, and its flows in words, each with two of its throughputs.

    Args:
        found: ``controller mode flow``, and throughputs in bit/s.
        one: the column of the throughput that is named first.
        other: that of the second.
    """
    for (controller, mode), rows in found.group_by("controller", "mode", maintain_order=True):
        flows = (
            f"{row['flow']} {row[one] / 1e6:.2f} to {row[other] / 1e6:.2f} Mbit/s" for row in rows.iter_rows(named=True)
        )
        yield str(controller), str(mode), rows, ", ".join(flows)
