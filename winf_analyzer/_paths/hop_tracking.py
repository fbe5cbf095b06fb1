"""The same packet on the hops of its path: which exchanges carried it.

Numbers come again: a trace that is run twice, sequence numbers that wrap. Sightings of one number that lie more than
:data:`APART_NS` apart are different packets.
"""

from collections.abc import Hashable, Sequence

import polars as pl

from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.windows import LINK

APART_NS = 10_000_000_000
"""Longer than a packet waits between two hops, shorter than any counter takes to wrap."""


def tracked(chunk: Chunk, key: Hashable, seen: pl.DataFrame, number: Sequence[str]) -> pl.DataFrame:
    """The sightings of packets that will not be seen again, one per packet and link; those of others are carried.

    Args:
        chunk: where they were seen.
        key: of the state that is carried.
        seen: `end_ns`, `rank`, `sender`, `receiver`, the columns of `number` and any others. Of several sightings on a
            link the one of the lowest rank counts, of these the earliest.
        number: columns that tell packets apart.

    Returns:
        The columns of `seen` and `passing` (counts the packets of one number) and `until_ns` (when the packet was last
        seen), in the order of that.
    """
    rows = seen.with_columns(until_ns="end_ns")
    if key in chunk.state:
        rows = pl.concat([chunk.state[key], rows], how="diagonal")
    rows = rows.sort("until_ns", "end_ns", maintain_order=True)
    pause = pl.col("until_ns").diff().over(number)
    rows = rows.with_columns(passing=(pause > APART_NS).fill_null(value=False).cum_sum().over(number))
    rows = rows.with_columns(pl.col("until_ns").max().over(*number, "passing"))
    rows = rows.sort("until_ns", "rank", "end_ns", maintain_order=True)
    rows = rows.unique([*number, "passing", *LINK], keep="first", maintain_order=True)
    over = chunk.is_over(pl.col("until_ns") + APART_NS + 1)
    chunk.state[key] = rows.filter(~over).drop("passing")
    return rows.filter(over)
