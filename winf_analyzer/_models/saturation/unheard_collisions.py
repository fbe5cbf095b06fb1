"""Transmissions of which a third station heard nothing, by how often senders of aggregates repeat.

:mod:`.late_repetitions` and :mod:`.idle_times` need single frames or exchanges of one length. Of senders of aggregates
their repetitions alone are counted: on a channel that loses nothing they come of collisions, whose number is simulated
(:mod:`.expected_collisions`). In recordings in which all were heard there are as many to about twice as many, since
what collides contends again together. Where there are more, attempts collided with stations that were not heard:

    repetitions = s c(x),    s between 1 and 2.2

with c(x) the simulated collisions of those that were heard beside one station more that uses the airtime share x. All s
are alike probable, and whether there is such a station is as probable beforehand as :mod:`.late_repetitions` has it.
The mean of x is put back; its standard deviation is in the interval.

A channel that loses frames has them repeated as well, and so nothing is told unless it is seen to lose nothing: on a
quiet medium, where stations that are not heard may be in the way too, or in aggregates that were answered, of which a
channel loses some MPDUs and a collision all.
"""

from math import exp, log
from typing import Any

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._models.saturation import completeness, expected_collisions, one_more
from winf_analyzer._models.saturation.late_repetitions import NOTHING, PRESUMED_THIRD, WHOLE
from winf_analyzer._models.saturation.stations import is_coarse

SCALES = tuple(1 + 0.1 * step for step in range(13))
"""Repetitions over collisions simulated, where all were heard: 1.0 to 2.1 in recordings of development."""

MORE = 10
"""Repetitions beyond the most that collisions with what was heard explain."""

QUIET, TOGETHER = 100, 500
"""Attempts on a quiet medium, or MPDUs in answered aggregates, by which it is told that the channel loses nothing."""

LOSSLESS = 0.01
"""Share of them that may have failed, or were sent again."""


def repeated(links: pl.DataFrame, simulated: pl.DataFrame, media: pl.DataFrame) -> dict[Any, float]:
    """Repetitions per medium of a third station, where they are more than what was heard explains.

    Args:
        links: sums per window and link, with :func:`.completeness.with_shares`.
        simulated: of :func:`.expected_collisions.as_recorded`.
        media: `medium observer`.
    """
    third = media.filter(pl.col("observer").is_null())["medium"]
    heard = links.filter(pl.col("medium").is_in(third.implode()), pl.col("receiver").is_not_null())
    heard = heard.filter(~completeness.is_traced(), pl.col("carried") > 0)
    counts = ("retries", "with_rts", "quiet", "quiet_failed", "aggregating", "carried")
    names = (*counts, "in_aggregates", "mpdus", "advanced_heard")
    sums = heard.group_by("medium", "sender").agg(
        pl.col(names).sum(), pl.col("heard_share").first(), coarse=is_coarse().any()
    )
    collided = expected_collisions.collided(simulated)
    sums = sums.join(collided, on=["medium", "sender"], how="left", nulls_equal=True)
    aggregates = pl.col("aggregating") * 2 > pl.col("carried")
    by_medium = sums.group_by("medium").agg(
        pl.col("retries", "quiet", "quiet_failed", "in_aggregates").sum(),
        again=(pl.col("mpdus") - pl.col("advanced_heard")).sum(),
        collided=ordered_sum(pl.col("collided").fill_null(0.0)),
        telling=(aggregates & (pl.col("with_rts") == 0) & (pl.col("heard_share") >= WHOLE) & ~pl.col("coarse")).all(),
    )
    alone = (pl.col("quiet") >= QUIET) & (pl.col("quiet_failed") <= LOSSLESS * pl.col("quiet"))
    together = (pl.col("in_aggregates") >= TOGETHER) & (pl.col("again") <= LOSSLESS * pl.col("in_aggregates"))
    lossless = alone | together
    more = pl.col("retries") - SCALES[-1] * pl.col("collided") >= MORE
    return dict(by_medium.filter("telling", lossless, more).select("medium", "retries").iter_rows())


def unheard(senders: pl.DataFrame, repetitions: float) -> one_more.Load | None:
    """The load beside which there are as many repetitions.

    Args:
        senders: of :func:`.contention_domain.per_sender`, of one medium.
        repetitions: of :func:`repeated`.
    """
    heard = senders.filter(pl.col("carried") > 0)
    like = heard.sort("accesses", "air_ns", maintain_order=True).tail(1)
    access_s, aifs_s = like.select(pl.col("carried_air_ns") / pl.col("carried") / 1e9 + pl.col("aifs_s"), "aifs_s").row(
        0
    )
    counts = {}
    for share, stations in one_more.simulated(senders, like, access_s, (NOTHING, *one_more.SHARES)):
        others = stations.filter(~pl.col("subject")).join(heard.select("sender"), on="sender", how="semi")
        counts[share] = others.select(ordered_sum(pl.col("accesses") * pl.col("first_failed"))).item()
    weights = [(1 - PRESUMED_THIRD if share == NOTHING else PRESUMED_THIRD / (len(counts) - 1)) for share in counts]
    logs = [_log_likelihood(repetitions, count) for count in counts.values()]
    each = [weight * exp(log_ - max(logs)) for weight, log_ in zip(weights, logs, strict=True)]
    total = sum(each)
    shares = [0.0 if share == NOTHING else share for share in counts]
    mean = sum(share * part for share, part in zip(shares, each, strict=True)) / total
    square = sum(share * share * part for share, part in zip(shares, each, strict=True)) / total
    return one_more.Load(mean / access_s, access_s, aifs_s, max(square - mean * mean, 0.0) ** 0.5)


def _log_likelihood(repetitions: float, collisions: float) -> float:
    """But for a constant: of a Poisson distribution, its mean anything between one and as many collisions."""
    means = [max(scale * collisions, 1e-9) for scale in SCALES]
    logs = [repetitions * log(mean) - mean for mean in means]
    return max(logs) + log(sum(exp(each - max(logs)) for each in logs))
