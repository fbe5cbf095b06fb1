"""Collisions that a simulator's trace shows: it holds what every node sent, and when.

Of a radio's recording the number of collisions has to be worked out (:mod:`.expected_collisions`), because what
collides with the recorder's own frames is not heard. In a trace frames of two nodes that begin at once did collide, and
whether the receiver answered says what came of it. And an attempt that failed although no other node sent meanwhile,
hidden ones included, was lost.
"""

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._models.saturation.recorded import completeness

AT_ONCE_NS = 4_000
"""Frames that begin within it collide: less than half a slot, and more than the way to any receiver."""

LONGEST_NS = 100_000_000
"""No exchange takes longer."""

COUNTS = ("met", "met_failed", "clear", "clear_unanswered", "clear_failed")
ORDERS = ("second", "second_failed", "first", "first_failed")

MIN_ORDERED = 10
"""Attempts that began before a hidden one, and as many after, from which on it is told which of the two survives."""

LOST_SECOND, LOST_FIRST = 0.7, 0.3
"""Least share of those lost that began after, and most of those before, where who comes first wins."""

MOSTLY = 0.5
"""Share of all attempts that are lost to hidden stations, from which on these and the sender starve one another."""

_KEYS = ("medium", "sender", "receiver")
_STATE = "traced_collisions"


def _counted(chunk: Chunk) -> pl.DataFrame:
    """:data:`COUNTS` of the attempts.

    Those that began at once with another node's, and those of them that failed; those during which no other node sent,
    those of them whose RTS was not answered, and those whose data was not. And :data:`ORDERS`: those that began while
    another node's was under way, hidden ones, and failed; and those during which alone another began.
    """
    attempts = chunk.uses.filter(completeness.is_traced(), "unicast").select(
        *_KEYS,
        "air_start_ns",
        "end_ns",
        failed=~pl.col("complete").fill_null(value=False),
        unanswered=pl.col("kind") == "rts_failed",
        counted=pl.lit(value=False),
        settled=pl.lit(value=False),
    )
    rows = attempts.collect(engine="in-memory").join(
        chunk.context.media.select("medium", "source", "observer"), on="medium"
    )
    rows = rows.filter(pl.col("sender").cast(pl.String) == pl.col("observer").cast(pl.String)).drop("observer")
    # One of two frames may end in the next chunk.
    if _STATE in chunk.state:
        rows = pl.concat([chunk.state[_STATE], rows])
    rows = rows.sort("source", "air_start_ns", maintain_order=True)
    start, end = pl.col("air_start_ns"), pl.col("end_ns")
    met = pl.any_horizontal(
        ((start - start.shift(step).over("source")).abs() <= AT_ONCE_NS).fill_null(value=False) for step in (1, -1)
    )
    before, after = end.cum_max().shift(1).over("source") > start, start.shift(-1).over("source") < end
    # What another node sends meanwhile may end in the next chunk, but no later than the longest exchange.
    settled = pl.lit(value=True) if chunk.to_ns is None else start <= chunk.to_ns - LONGEST_NS
    rows = rows.with_columns(
        met=met,
        before=before.fill_null(value=False),
        after=after.fill_null(value=False),
        now=settled & ~pl.col("settled"),
    ).with_columns(clear=~pl.col("before") & ~pl.col("after") & pl.col("now"))
    kept = rows if chunk.to_ns is None else rows.filter(start > chunk.to_ns - 2 * LONGEST_NS)
    chunk.state[_STATE] = kept.with_columns(counted="met", settled=settled).drop(
        "met", "clear", "before", "after", "now"
    )
    new, clear, unanswered = pl.col("met") & ~pl.col("counted"), pl.col("clear"), pl.col("unanswered")
    apart = pl.col("now") & ~pl.col("met")
    second, first = apart & pl.col("before"), apart & pl.col("after") & ~pl.col("before")
    counts = {
        "second": second,
        "second_failed": second & pl.col("failed"),
        "first": first,
        "first_failed": first & pl.col("failed"),
        "met": new,
        "met_failed": new & pl.col("failed"),
        "clear": clear,
        "clear_unanswered": clear & unanswered,
        "clear_failed": clear & pl.col("failed") & ~unanswered,
    }
    return rows.group_by(_KEYS).agg(count.sum().cast(pl.Int64).alias(name) for name, count in counts.items())


COLLISIONS = Aggregate(_counted, keys=_KEYS)
"""What :func:`of_media` takes: :data:`COUNTS` per :data:`_KEYS`, over the whole recording."""


def undecided(counts: pl.DataFrame, media: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver` of the links whose losses beside hidden stations are not those of a saturated sender.

    Where an attempt is lost that begins after a hidden one, and few others, who sends all the time is mostly the first:
    the hidden station has the losses instead. And where those that meet one are lost, whoever comes first, and they are
    most of all, retry limits and backoffs of both decide who gets the medium.

    Args:
        counts: of :data:`COLLISIONS`.
        media: `medium source observer`.
        links: `medium sender receiver` of which they are wanted.
    """
    sources = media.select("medium", "source")
    seen = (
        counts.join(sources, on="medium").group_by("source", "sender", "receiver").agg(pl.col(*COUNTS, *ORDERS).max())
    )
    second, first = pl.col("second"), pl.col("first")
    lost = pl.col("second_failed") >= LOST_SECOND * second
    first_wins = lost & (pl.col("first_failed") <= LOST_FIRST * first)
    meet = second + first
    mostly = (pl.col("second_failed") + pl.col("first_failed")) >= MOSTLY * (meet + pl.col("clear") + pl.col("met"))
    found = seen.filter(pl.min_horizontal(second, first) >= MIN_ORDERED, first_wins | mostly)
    wanted = links.select(_KEYS).unique(maintain_order=True).join(sources, on="medium")
    return wanted.join(found, on=["source", "sender", "receiver"]).select(*_KEYS)


def of_media(counts: pl.DataFrame, media: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver`, :data:`COUNTS`, :data:`ORDERS`: those of the links of a trace in the view of each node.

    And, to no receiver, those of each sender together: who does not hear it does not know its receivers. Of the links
    that a node knows: of thousands of nodes each knows a few.

    Args:
        counts: of :data:`COLLISIONS`, each in the sender's own view.
        media: `medium source observer`.
        links: `medium sender receiver` of which they are wanted.
    """
    sources = media.select("medium", "source")
    seen = counts.join(sources, on="medium").unique(["source", "sender", "receiver"], keep="first", maintain_order=True)
    of_senders = seen.group_by("source", "sender", maintain_order=True).agg(pl.col(*COUNTS, *ORDERS).sum())
    wanted = links.select(_KEYS).unique(maintain_order=True)
    views = wanted.select("medium", "sender").unique(maintain_order=True).join(sources, on="medium")
    wanted = wanted.filter(pl.col("receiver").is_not_null()).join(sources, on="medium")
    found = [
        wanted.join(seen.drop("medium"), on=["source", "sender", "receiver"]),
        views.join(of_senders, on=["source", "sender"]),
    ]
    return pl.concat(found, how="diagonal").select(*_KEYS, *COUNTS, *ORDERS)
