"""Collisions that a simulator's trace shows: it holds what every node sent, and when.

Of a radio's recording the number of collisions has to be worked out (:mod:`.expected_collisions`), because what
collides with the recorder's own frames is not heard. In a trace frames of two nodes that begin at once did collide, and
whether the receiver answered says what came of it.
"""

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._models.saturation.recorded import completeness

AT_ONCE_NS = 4_000
"""Frames that begin within it collide: less than half a slot, and more than the way to any receiver."""

LONGEST_NS = 100_000_000
"""No exchange takes longer."""

COUNTS = ("met", "met_failed")
_KEYS = ("medium", "sender")
_STATE = "traced_collisions"


def _counted(chunk: Chunk) -> pl.DataFrame:
    """Attempts that began at once with another node's, and those of them that failed."""
    attempts = chunk.uses.filter(completeness.is_traced(), "unicast").select(
        *_KEYS, "air_start_ns", failed=~pl.col("complete").fill_null(value=False), counted=pl.lit(value=False)
    )
    rows = attempts.collect(engine="in-memory").join(
        chunk.context.media.select("medium", "source", "observer"), on="medium"
    )
    rows = rows.filter(pl.col("sender").cast(pl.String) == pl.col("observer").cast(pl.String)).drop("observer")
    # One of two frames may end in the next chunk.
    if _STATE in chunk.state:
        rows = pl.concat([chunk.state[_STATE], rows])
    rows = rows.sort("source", "air_start_ns", maintain_order=True)
    start = pl.col("air_start_ns")
    met = pl.any_horizontal(
        ((start - start.shift(step).over("source")).abs() <= AT_ONCE_NS).fill_null(value=False) for step in (1, -1)
    )
    rows = rows.with_columns(met=met)
    kept = rows if chunk.to_ns is None else rows.filter(start > chunk.to_ns - LONGEST_NS)
    chunk.state[_STATE] = kept.with_columns(counted="met").drop("met")
    new = pl.col("met") & ~pl.col("counted")
    return rows.group_by(_KEYS).agg(
        met=new.sum().cast(pl.Int64), met_failed=(new & pl.col("failed")).sum().cast(pl.Int64)
    )


COLLISIONS = Aggregate(_counted, keys=_KEYS)
"""What :func:`of_media` takes: :data:`COUNTS` per :data:`_KEYS`, over the whole recording."""


def of_media(counts: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """`medium sender met met_failed`: those of all nodes of a trace in the view of each.

    Args:
        counts: of :data:`COLLISIONS`, each in the sender's own view.
        media: `medium source observer`.
    """
    sources = media.select("medium", "source")
    seen = counts.join(sources, on="medium").unique(["source", "sender"], keep="first", maintain_order=True)
    return sources.join(seen.drop("medium"), on="source").select("medium", "sender", *COUNTS)
