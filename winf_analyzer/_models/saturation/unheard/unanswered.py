"""Stations that a third station does not hear, by frames of aggregating senders that it heard and nobody answered.

Of two frames that collide a recorder in range of both decodes neither. One that it decodes and nobody answers met a
frame that it did not hear, or the channel lost it. Of senders of aggregates the two are told apart: MPDUs are lost one
by one, and those of answered aggregates show how many; a collision takes all of a short one. So of N attempts, F of
them unanswered and sent again, with a share l of the MPDUs of answered aggregates lost,

    F - N l

collided with what was not heard, and up to F, since an aggregate that is answered may have lost MPDUs in a collision
that it outlasted. A load is put beside the stations that are known until as many attempts collide in the simulation
(:mod:`.dcf_monte_carlo`): that of stations like them, one after the other, and that of one alone, with which fewer
collide, since what waited for its frames does not collide with it. Which of them, nothing tells: the load is the mean
of these readings, and how they differ a part of its standard deviation.

What collides within hearing is decoded by a recorder that is much nearer to one of the two; the collisions that are
expected there and that did not go unheard are taken off.
"""

from collections.abc import Iterable
from math import hypot, sqrt
from statistics import fmean, pstdev
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._aggregate.windows import LINK
from winf_analyzer._models.saturation.contention import presumed
from winf_analyzer._models.saturation.failures import collision_survival
from winf_analyzer._models.saturation.failures.collision_survival import EXPECTED_ERROR
from winf_analyzer._models.saturation.recorded.stations import is_coarse
from winf_analyzer._models.saturation.waits import one_more

MIN_UNANSWERED = 10.0
"""Attempts beyond those that loss explains, from which on something unheard is told of."""

SIGNIFICANT = 2.0
"""Standard deviations that they must be: of fewer the load is hardly more than its own deviation."""

HEARD = 0.9
"""Share of a sender's numbers that must have been heard: of those that collide again and again some are given up."""

MAX_STATIONS = 8
"""That are put beside those that are known at most."""


def told_by(links: pl.DataFrame, media: pl.DataFrame) -> list[int]:
    """The media of third stations with enough aggregates, or frames that may be in some, that nobody answered."""
    third = media.filter(pl.col("observer").is_null()).select("medium")
    unanswered = links.filter(pl.col("aggregating") > 0).join(third, on="medium", how="semi")
    sums = unanswered.group_by("medium").agg(pl.col("silent").sum())
    return sums.filter(pl.col("silent") >= MIN_UNANSWERED)["medium"].sort().to_list()


class Unanswered(NamedTuple):
    """Attempts of senders that tell something, which were heard and not answered, less what was not heard."""

    least: float
    """As many as collided, if those MPDUs that answered aggregates lost were lost on the channel."""
    most: float
    """If the channel loses none."""
    repeated: float
    """Repetitions of what was not heard before: it collided with what was."""
    variance: float
    destroyed: float
    """Presumed share of the collisions that destroy: all with frames to the same receiver, of others a part."""


def counted(links: pl.DataFrame, senders: pl.DataFrame, media: pl.DataFrame) -> dict[Any, Unanswered]:
    """The media of third stations where more attempts went unanswered than the channel loses.

    Args:
        links: sums per window and link.
        senders: of :func:`.contention_domain.per_sender`, over the whole recording.
        media: `medium observer`.
    """
    third = media.filter(pl.col("observer").is_null()).select("medium")
    rows = senders.filter(_tells()).join(third, on="medium", how="semi", maintain_order="left")
    rows = rows.join(_destroyed(links), on=["medium", "sender"], how="left", maintain_order="left")
    together = pl.col("in_aggregates")
    again = (pl.col("mpdus") - pl.col("advanced_heard")).clip(0)
    lost = pl.col("accesses") * (again + 1) / (together + 2)
    # An RTS that was heard and not answered, besides data that was sent again.
    requests = pl.when("rts").then((pl.col("accesses") - pl.col("done") - pl.col("silent")).clip(0)).otherwise(0.0)
    failed = pl.min_horizontal("silent", "retries") + requests
    columns = {
        "least": failed - lost,
        "most": failed,
        "repeated": pl.col("unheard_before"),
        "variance": failed + pl.col("accesses") * lost / (together + 2),
    }
    sums = rows.group_by("medium").agg(
        **{name: ordered_sum(value) for name, value in columns.items()},
        destroyed=quotient(ordered_sum(pl.col("accesses") * pl.col("destroyed")), pl.col("accesses").sum()),
    )
    sums = sums.sort("medium")
    told = {medium: Unanswered(*each) for medium, *each in sums.iter_rows()}
    return {medium: each for medium, each in told.items() if _is_enough(each.least, each.variance)}


def _destroyed(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender destroyed`, of what each sends to all its receivers."""
    rows = links.group_by("medium", *LINK).agg(pl.col("accesses").sum())
    rows = collision_survival.with_receivers_shared(rows)
    apart = 1 - collision_survival.PRIOR_DESTROYED_UNKNOWN
    elsewhere = ordered_sum(pl.col("accesses") * pl.col("elsewhere"))
    found = rows.group_by("medium", "sender").agg(elsewhere=quotient(elsewhere, pl.col("accesses").sum().clip(1)))
    return found.select("medium", "sender", destroyed=1 - apart * pl.col("elsewhere"))


def _is_enough(count: float, variance: float) -> bool:
    return count >= MIN_UNANSWERED and count >= SIGNIFICANT * sqrt(variance)


def unheard(senders: pl.DataFrame, told: Unanswered) -> one_more.Load | None:
    """The load beside which as many attempts collide, up to that of :data:`MAX_STATIONS`; None if what is known does.

    Args:
        senders: of :func:`.contention_domain.per_sender`, those of this medium.
        told: of :func:`counted`.
    """
    telling = pl.col("sender").is_in(senders.filter(_tells())["sender"].implode())
    busiest = telling & (pl.col("carried") == pl.col("carried").filter(telling).max())
    known = senders.filter(pl.col("packets_per_s") > 0, pl.col("cost_known") | pl.col("data_unheard"))
    known = presumed.of_unheard(known.with_columns(case=pl.lit(0), subject=busiest.fill_null(value=False)))
    known = known.with_columns(variation=pl.lit(1.0))
    like = known.filter("subject").head(1).with_columns(subject=pl.lit(value=False), told=pl.lit(value=False))
    like = like.with_columns(sender=pl.lit(None, known.schema["sender"]))
    known = known.with_columns(subject=pl.lit(value=False), told=telling)
    without = told.destroyed * _collided(known)
    decoded = max(without - told.repeated, 0.0)
    variance = told.variance + (EXPECTED_ERROR * without) ** 2
    least, most = told.least - decoded, told.most - decoded
    if not _is_enough(least, variance):
        return None
    # An exchange holds as many MPDUs as those that were heard.
    mpdus, per_s = known.select(
        quotient(pl.col("mpdus").filter("told").sum(), pl.col("carried").filter("told").sum()),
        ordered_sum(pl.col("packets_per_s")) / pl.len(),
    ).row(0)
    exchange_s, aifs_s = like.select(pl.col("access_s") + mpdus * pl.col("packet_s"), "aifs_s").row(0)
    each = per_s / mpdus * exchange_s
    room = one_more.MAX_BUSY - known.height * each
    many = [number * each for number in range(1, MAX_STATIONS + 1)]
    readings = []
    for shares, of_one in ((many, each), (one_more.SHARES, None)):
        beside = [share for share in shares if share <= room] or list(shares[:1])
        numbers = [round(share / of_one) if of_one else 1 for share in beside]
        tried = [
            (share, number, share / exchange_s * mpdus / number) for share, number in zip(beside, numbers, strict=True)
        ]
        readings += [_explaining(known, like, tried, (without + count) / told.destroyed) for count in (least, most)]
    share = fmean(readings)
    if share <= 0:
        return None
    doubt = hypot(share * sqrt(variance) / least, share * EXPECTED_ERROR, pstdev(readings))
    return one_more.Load(share / exchange_s, exchange_s, aifs_s, doubt)


def _explaining(
    known: pl.DataFrame, like: pl.DataFrame, tried: Iterable[tuple[float, int, float]], wanted: float
) -> float:
    """The airtime share beside which `wanted` attempts collide, between those tried; the largest if all are less.

    Args:
        known: the stations that are known.
        like: one that is like those put beside them.
        tried: airtime shares in rising order, how many stations have them, and packets per second of each.
        wanted: attempts that collide with them, or with one another.
    """
    before = (0.0, _collided(known))
    for share, number, per_s in tried:
        beside = like.with_columns(packets_per_s=pl.lit(per_s))
        count = _collided(pl.concat([known, *[beside] * number]))
        if count >= wanted:
            part = (wanted - before[1]) / (count - before[1])
            return before[0] + part * (share - before[0])
        before = (share, max(count, before[1]))
    return before[0]


def _collided(stations: pl.DataFrame) -> float:
    """Attempts of the senders that tell something which collide."""
    found = one_more.together(stations).join(stations.filter("told").select("sender"), on="sender", how="semi")
    collided: float = found.select(ordered_sum(pl.col("accesses") * pl.col("first_failed"))).item()
    return collided


def _tells() -> pl.Expr:
    """True of senders of aggregates of which most was heard."""
    whole = (pl.col("heard_share") >= HEARD) & (pl.col("unaware") == 0)
    counts = pl.col("cost_known") & (pl.col("in_aggregates") > 0) & (pl.col("packets_per_s") > 0)
    return (pl.col("aggregates") & whole & counts & ~is_coarse()).fill_null(value=False)
