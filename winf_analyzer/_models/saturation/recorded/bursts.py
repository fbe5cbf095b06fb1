"""How fast packets of a station come while they come: those of bursts faster than on the average.

Beside a backlogged station a neighbour that aggregates sends what came since its last access. Of one that sends in
bursts that is a full aggregate during a burst, and nothing between bursts: fewer accesses, each longer, than of the
same packets spread over time. The rate at which packets come around a packet, its own PPDU left out, is

    (sum n^2 / sum n - sum k^2 / sum k) / t

of the packets n of each time t, and k of each PPDU: the mean rate where they come at random, whatever went together.
"""

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._models.saturation.recorded import ampdu

BIN_NS = 16_000_000
"""About three of the longest PPDUs: what comes between accesses beside a backlogged sender."""

MIN_PACKETS = 100
"""Fewest packets of which it is told."""

_KEYS = ("medium", "sender", "bin")


def _counts(chunk: Chunk) -> pl.DataFrame:
    """Packets of the senders that aggregate, by the time of their exchange."""
    mpdus = pl.col("mpdus").clip(1).cast(pl.Int64)
    rows = chunk.uses.filter(pl.col("sample") & ampdu.aggregates(), pl.col("sender").is_not_null())
    rows = rows.select("medium", "sender", bin=pl.col("air_start_ns") // BIN_NS, packets=mpdus, square=mpdus * mpdus)
    return rows.group_by(_KEYS).agg(pl.col("packets", "square").sum()).collect(engine="in-memory")


COUNTS = Aggregate(_counts, keys=_KEYS)
"""What :func:`rates` takes."""


def rates(counts: pl.DataFrame) -> pl.DataFrame:
    """`medium sender burst_per_s`, of senders with enough packets."""
    packets, square = pl.col("packets"), pl.col("square")
    sums = counts.group_by("medium", "sender").agg(
        packets.sum(), (packets * packets).sum().alias("of_bins"), square.sum().alias("of_ppdus")
    )
    around = quotient((pl.col("of_bins") - pl.col("of_ppdus")) * 1e9, packets * BIN_NS)
    return sums.filter(packets >= MIN_PACKETS).select("medium", "sender", burst_per_s=around.cast(pl.Float64))
