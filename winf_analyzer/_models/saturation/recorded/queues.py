"""Stations that send in several access categories: each has a queue, a backoff and TXOPs of its own (10.23.2.1).

An access point that sends video to one station and best effort to another contends twice, as two stations would, but
that the two do not collide on the air: the category of higher priority goes first. A saturating flow fills the queue of
its own link's category alone. Of a link that carries several, each is a link of its own (:mod:`.categories`); which
category a link is of follows from the TXOP limits of the standard, and of background beside best effort from the AIFS.

Frames to groups never go into an aggregate with others. Of a station that aggregates they are accesses of their own,
one frame each, that it contends for besides: a queue of their own. Of one that sends single frames they are in the mean
of its accesses; and of one whose TXOPs end with a CF-End, which goes to all as well.

Data to a receiver that never answers is a queue of its own too: a station that left, or hears only. It is repeated and
given up, carries nothing, and takes the air all the same.
"""

import polars as pl

from winf_analyzer._models.saturation.recorded import categories, txop

BACKGROUND_SLOTS = 5.0
"""AIFSN from which on data with the TXOP limit of best effort is background: 3 and 7 (9.4.2.28)."""

MIN_CARRIED = 20.0
"""Fewest exchanges of a category that count: of less a station has one queue."""

MIN_SHARE = 0.02
"""Share of a station's exchanges that they must be."""

TO_GROUPS = 4
"""The queue of frames to groups of a station that aggregates, behind those of the four categories."""

UNANSWERED = 5
"""The queue of a link none of whose attempts is answered."""

REPEATED = 0.4
"""Share of these attempts that repeat others, at least: where only the recorder hears no answers, fewer do."""

_COUNTS = (
    "carried",
    "accesses",
    "continued",
    "txop_ns",
    "aifs_ns",
    "sifs_ns",
    "slot_ns",
    "aggregating",
    "trailers",
    "to_groups",
    "done",
    "retries",
)


def of_links(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver queue`: the number of the queue that each link's packets wait in.

    0 is the only queue of a station, or that of best effort, in which TCP mostly travels; without it the lowest. Links
    that carried nothing, and frames to all, are counted to the queue whose TXOPs go on, or that carried most; frames to
    all of a station that aggregates to :data:`TO_GROUPS`, data that is repeated and never answered to
    :data:`UNANSWERED`.

    Args:
        links: sums per window and link.
    """
    sums = (
        links.group_by("medium", "sender", "receiver")
        .agg(pl.col(_COUNTS).sum())
        .with_columns(kind=pl.coalesce(categories.number(), _kind()))
    )
    known = sums.filter(pl.col("kind").is_not_null())
    kinds = known.group_by("medium", "sender", "kind").agg(pl.col("carried", "continued").sum())
    share = pl.col("carried") / pl.col("carried").sum().over("medium", "sender")
    kinds = kinds.filter(pl.col("carried") >= MIN_CARRIED, share >= MIN_SHARE)
    kinds = kinds.with_columns(queue=pl.col("kind") - pl.col("kind").min().over("medium", "sender"))
    ordered = kinds.sort(
        "medium", "sender", "continued", "carried", "queue", descending=[False, False, True, True, False]
    )
    usual = ordered.group_by("medium", "sender", maintain_order=True).agg(usual=pl.col("queue").first())
    aggregating, carried_all, trailers = (
        pl.col(name).sum().over("medium", "sender") for name in ("aggregating", "carried", "trailers")
    )
    # An answer alone that was heard has no receiver either.
    to_groups = pl.col("receiver").is_null() & (pl.col("to_groups") * 2 > pl.col("accesses"))
    apart = to_groups & (aggregating * 2 > carried_all) & (trailers == 0)
    never = (pl.col("done") == 0) & (pl.col("accesses") >= MIN_CARRIED) & pl.col("receiver").is_not_null()
    unanswered = never & (pl.col("retries") >= REPEATED * pl.col("accesses"))
    apart = pl.when(apart).then(TO_GROUPS).when(unanswered).then(UNANSWERED).cast(pl.Int64)
    found = sums.select("medium", "sender", "receiver", "kind", apart=apart)
    found = found.join(kinds.select("medium", "sender", "kind", "queue"), on=["medium", "sender", "kind"], how="left")
    found = found.join(usual, on=["medium", "sender"], how="left")
    queue = pl.coalesce("apart", "queue", "usual", pl.lit(0, pl.Int64))
    return found.select("medium", "sender", "receiver", queue=queue)


def is_unanswered() -> pl.Expr:
    """The queue of data that is never answered."""
    return pl.col("queue") == UNANSWERED


def attempts_lost() -> pl.Expr:
    """Share of the attempts of such a queue that others follow, as each packet is given up after so many."""
    return (pl.col("retries") / pl.col("accesses").clip(1)).clip(0, 1)


def named(stations: pl.DataFrame) -> pl.DataFrame:
    """`stations` whose `sender` is another for each `queue` but 0, so that it tells them apart; without `queue`."""
    if not (stations["queue"] > 0).any():
        return stations.drop("queue")
    other = pl.concat_str(pl.col("sender").cast(pl.String), pl.lit("/"), pl.col("queue").cast(pl.String))
    name = pl.when(pl.col("queue") > 0).then(other).otherwise(pl.col("sender").cast(pl.String))
    return stations.with_columns(sender=name.cast(stations.schema["sender"])).drop("queue")


def _kind() -> pl.Expr:
    """0 of best effort, 1 of background, 2 of video, 3 of voice; null of links that carried nothing."""
    limit_ns = pl.col("txop_ns") / pl.col("carried")
    aifsn = (pl.col("aifs_ns") - pl.col("sifs_ns")) / pl.col("slot_ns")
    order = sorted(("vo", "be", "vi"), key=txop.LIMITS_NS.__getitem__)
    voice_ns, usual_ns, video_ns = (txop.LIMITS_NS[category] for category in order)
    return (
        pl.when(pl.col("carried") <= 0)
        .then(None)
        .when(limit_ns > (usual_ns + video_ns) / 2)
        .then(2)
        .when((limit_ns > 0) & (limit_ns < (usual_ns + voice_ns) / 2))
        .then(3)
        .when((limit_ns > 0) & (aifsn >= BACKGROUND_SLOTS))
        .then(1)
        .otherwise(0)
        .cast(pl.Int64)
    )
