"""Why attempts failed, over a whole recording: a lossy link, or a collision; and how many collisions destroy.

Three rates are distinguished, each where it shows best.

*Loss.* Of attempts that carried one MPDU (after the CTS, where RTS are sent) some found the medium idle for long
(:data:`.exchange_sums.QUIET_WINDOWS`). They collide only with a station that starts in the same slot by chance, which
the others do `accesses x slot / idle time` times; the rest collides as often as expected on the average, or several
times as often. Loss is the same for both: :mod:`.loss_posterior` weighs each loss by how well it explains both.

*Collisions.* How many there should have been is simulated at the recorded load (:mod:`.expected_collisions`).
Arrivals are random there; where fewer accesses had to wait than the medium was busy, arrivals avoid one another, as
equal intervals do, and so do accesses.

*Capture.* Failures beyond loss over collisions expected: of two frames that collide, the stronger may survive. The
recorder knows its own failures; others show theirs by the Retry bit, since what collides does not reach a third
station, unless they send RTS, which has none: nothing is learned of these, and every collision destroys, as DCF has it.
Of two stations whose packets come at equal intervals, both collide every time or never, which says nothing: of their
collisions only those with other stations count.
"""

from typing import NamedTuple

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation import completeness, loss_posterior, stations
from winf_analyzer._models.saturation.completeness import SHARES

PRIOR_COLLISIONS = 3.0
"""Collisions that are presumed before the first is seen."""

PRIOR_DESTROYED = 2.0
"""How many failures each of those is, of frames to the same receiver, or to one that was sending: all destroyed, and
they count as often as those that were seen (:data:`EXPECTED_WITHIN`)."""

SIR_USUAL_DB, SIR_SPREAD_DB = 10.0, 8.0
"""By how much a frame is stronger at its receiver than one to another receiver, mean and standard deviation: one of a
station twice as far away as the sender, where powers fall with distance to the power of 3.5, on two paths with 5 to
6 dB of shadowing each."""

SHANNON_GAP_DB = 10.0
"""What a receiver of 802.11 needs more than Shannon's bound for the rate: 7 to 11 dB from 1 to 54 Mb/s in 20 MHz."""

BANDWIDTH_MBPS = 20.0
"""Mb/s that are 1 bit/s/Hz."""

LOGISTIC = 1.702
"""Scale at which the logistic function is the normal distribution's, within 0.01."""

PRIOR_DESTROYED_UNKNOWN = 0.5
"""The same of frames to different receivers whose rate does not tell the signal that they need: of several streams."""

PRIOR_DESTROYED_RTS = 1.0
"""The same of RTS to the same receiver at 1 and 2 Mb/s: spread by 11 chips, which gains 10 dB, one gets through beside
another as strong. And of RTS to different receivers where no failure of them shows."""

BARKER_RTS_NS = 170_000
"""RTS at 1 and 2 Mb/s are longer (16.2.2: 176 us with a short preamble), others shorter."""

EXPECTED_WITHIN = 2.0
"""Factor to which the number of expected collisions is trusted: only fewer failures than that mean capture. Recordings
of few collisions have half of them by chance."""

UNEVEN_MOST = 0.8
"""Unevenness up to which packets that do not come at random loosen that factor: theirs meet less often, or more."""

EXPECTED_ERROR = 0.2
"""Relative standard deviation of that number."""

EVEN = 0.5
"""Share from which on collisions destroy rather than not."""

MIN_SHOWN = 0.3
"""Share of the expected collisions that must be those of stations of which it shows how many there were."""

MAX_MORE = 3.0
"""How many times more collisions than expected are believed."""

OVERLOAD = 0.1
"""Share of attempts that collide from which backoffs are so long that a quiet medium is as risky as any."""

BUNCHED = 5.0
"""How many times more often than on the average attempts that had to wait collide at most: packets that came during one
exchange contend together."""


class LossModel(NamedTuple):
    """How attempts fail, over a whole recording."""

    links: pl.DataFrame
    """`medium sender receiver loss`: chance that the channel loses an attempt that nothing collides with."""
    senders: pl.DataFrame
    """`medium sender vulnerable vulnerable_otherwise answered_share`: chance that a collision destroys an attempt; what
    it is one standard deviation off; the part of what was destroyed that had got a CTS, where RTS were sent."""


def loss_model(links: pl.DataFrame, senders: pl.DataFrame, collided: pl.DataFrame, media: pl.DataFrame) -> LossModel:
    """From the sums per window and link, those with costs per window and sender, and :mod:`.expected_collisions`."""
    expected = _expected(senders, collided)
    lost = _losses(links, expected)
    return LossModel(lost, _captures(links, lost, expected, media))


def _expected(senders: pl.DataFrame, collided: pl.DataFrame) -> pl.DataFrame:
    """Per `medium sender`: `collisions` by the model, their `share` of its attempts, and `chance`.

    The last is that of a start in the same slot on a quiet medium.
    """
    rows = senders.group_by("medium", "sender").agg(
        pl.col("accesses", "waited", "air_ns", "slot_ns").sum(), coarse=stations.is_coarse().any()
    )
    rows = rows.join(collided, on=["medium", "sender"], nulls_equal=True)
    covered = senders.select(*WINDOW, "covered_ns").unique().group_by("medium").agg(pl.col("covered_ns").sum())
    rows = rows.join(covered, on="medium").with_columns(
        busy_ns=pl.col("air_ns").sum().over("medium"),
        slot_ns=pl.col("slot_ns").sum().over("medium") / pl.col("accesses").sum().over("medium").clip(1),
        others=pl.col("accesses").sum().over("medium") - pl.col("accesses"),
        others_waited=pl.col("waited").sum().over("medium") - pl.col("waited"),
    )
    busy = quotient(pl.col("busy_ns"), pl.col("covered_ns")).clip(0.01, 1)
    # On a clock too coarse to tell who waited, arrivals are taken to be random.
    timed = ~pl.col("coarse").any().over("medium")
    own_random = pl.when(timed).then((pl.col("waited") / pl.col("accesses").clip(1) / busy).clip(0, 1)).otherwise(1.0)
    others_random = (pl.col("others_waited") / pl.col("others").clip(1) / busy).clip(0, 1)
    others_random = pl.when(timed).then(others_random).otherwise(1.0)
    idle_ns = (pl.col("covered_ns") - pl.col("busy_ns")).clip(1)
    return rows.select(
        "medium",
        "sender",
        collisions=pl.col("collided") * own_random * others_random,
        share=pl.col("collided") / pl.col("accesses").clip(1),
        chance=(pl.col("others") * pl.col("slot_ns") / idle_ns).clip(0, 0.5),
    )


def _losses(links: pl.DataFrame, expected: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver loss`: the mean over what is likely, given the failures of quiet and other attempts."""
    counts = (
        "accesses",
        "alone",
        "alone_failed",
        "quiet",
        "quiet_failed",
        "answered",
        "silent",
        "retries",
        "aggregating",
        "done",
    )
    summed = pl.col(*counts, *completeness.GAPS).sum()
    sums = links.group_by("medium", *windows.LINK).agg(summed, pl.col(SHARES).first())
    # Attempts of which nothing was heard but that they were repeated. On a quiet medium or not, is not known.
    unheard = (pl.col("retries") / pl.col("heard_share").clip(0.05) - pl.col("silent")).clip(0)
    single = pl.col("aggregating") * 2 <= pl.col("done")
    sums = sums.with_columns(
        regularity=completeness.regularity(),
        unheard_failed=pl.when(single & (pl.col("answered") == 0)).then(unheard).otherwise(0.0),
    )
    rows = sums.join(expected, on=["medium", "sender"], how="left", nulls_equal=True)
    # Collisions that show as RTS without an answer do not show in the data.
    unanswered = (pl.col("accesses") - pl.col("answered")) / pl.col("accesses").clip(1)
    seen = pl.when(pl.col("answered") > 0).then(quotient(unanswered, pl.col("share").clip(1e-3))).otherwise(0.0)
    left = (1 - seen).clip(0, 1)
    hardly_quiet = pl.col("share") > OVERLOAD
    rows = rows.with_columns(pl.col("share", "chance").fill_null(0.0)).with_columns(
        quiet_collides=left * pl.when(hardly_quiet).then("share").otherwise("chance") * EXPECTED_WITHIN,
        busy=pl.col("alone") - pl.col("quiet") + pl.col("unheard_failed"),
        busy_missed=pl.col("alone_failed") - pl.col("quiet_failed") + pl.col("unheard_failed"),
    )
    # All collisions are among those that had to wait.
    bunched = (pl.col("accesses") / pl.col("busy").clip(1)).clip(1, BUNCHED)
    rows = rows.with_columns(busy_collides=left * pl.col("share") * bunched * EXPECTED_WITHIN)
    known = rows.select("medium", *windows.LINK)
    likely = loss_posterior.posterior_mean(rows.filter(pl.col("quiet_failed") + pl.col("busy_missed") > 0))
    return known.join(likely, on=["medium", *windows.LINK], how="left", nulls_equal=True).with_columns(
        pl.col("loss").fill_null(0.0)
    )


def _captures(links: pl.DataFrame, lost: pl.DataFrame, expected: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """What :attr:`LossModel.senders` is: each sender's share, shrunk towards the mean of its medium."""
    rows = expected.join(_seen(links, lost), on=["medium", "sender"], nulls_equal=True)
    rows = rows.join(media.select("medium", "observer"), on="medium")
    own = (pl.col("sender") == pl.col("observer")).fill_null(False)
    mine = pl.col("observer").is_null() | own
    repeats_show = (pl.col("with_rts") * 2 < pl.col("accesses")) & ~completeness.is_put_back()
    by_retries = pl.when(repeats_show).then(pl.col("retries") / pl.col("heard_share").clip(0.05))
    missed = pl.when(own & ~completeness.is_partial()).then(pl.col("accesses") - pl.col("done")).otherwise(by_retries)
    rows = rows.with_columns(failures=(missed - pl.col("lost")).clip(0))
    # Frames that a third station did not hear because they collided, but whose receiver did, are never repeated.
    gaps = (pl.col("advanced") - pl.col("advanced_heard")).clip(0)
    survived = gaps * (2 - gaps / pl.col("collisions").clip(1e-3)).clip(0, 1)
    # MPDUs of an aggregate that were lost come again out of order, behind later numbers.
    single = pl.col("aggregating") * 2 <= pl.col("done")
    survived = pl.when(~own & single & pl.col("failures").is_not_null()).then(survived).otherwise(0.0)
    rows = rows.with_columns(survived=survived)
    # Where it shows how many there were, that is trusted.
    seen = (pl.col("failures") + pl.col("survived")).filter(pl.col("survived") > 0)
    among = ordered_sum(pl.col("collisions").filter(pl.col("survived") > 0)).over("medium")
    enough = among > MIN_SHOWN * ordered_sum(pl.col("collisions")).over("medium")
    more = pl.when(enough).then(ordered_sum(seen).over("medium") / among).clip(1, MAX_MORE)
    shown = EXPECTED_WITHIN * (pl.col("failures") + pl.col("survived"))
    inferred = EXPECTED_WITHIN * more * pl.col("collisions")
    collisions = (
        pl.when(pl.col("survived") > 0)
        .then(pl.max_horizontal("collisions", shown))
        .when(own & more.is_not_null())
        .then(inferred)
        .otherwise("collisions")
    )
    counted = pl.when(pl.col("failures").is_not_null()).then(collisions * _by_chance())
    rows = rows.with_columns(collisions=counted)
    total = (ordered_sum(pl.col(name)).over("medium").alias(f"{name}_all") for name in ("failures", "collisions"))
    rows = rows.with_columns(total)
    # Where no station's failures show behind RTS, every collision destroys, as DCF has it.
    shown = (own & ~completeness.is_partial()).any().over("medium")
    destroyed = pl.when(shown).then("destroyed").otherwise("destroyed_unseen")
    destroyed = ordered_sum(pl.col("accesses") * destroyed).over("medium")
    presumed = destroyed / pl.col("accesses").sum().over("medium").clip(1)
    within = EXPECTED_WITHIN / (1 - pl.col("uneven")).clip(1 - UNEVEN_MOST)
    mean = destroyed_share(pl.col("failures_all"), pl.col("collisions_all"), presumed, pl.lit(EXPECTED_WITHIN))
    failures, expected_ones = pl.col("failures").fill_null(0), pl.col("collisions").fill_null(0)
    share = destroyed_share(failures, expected_ones, mean, within)
    # A third station that heard no such failure sees by the Retry bit of data behind a CTS that there was one.
    unheard = pl.when(pl.col("observer").is_null() & ~completeness.is_partial()).then("rts_retries").otherwise(0)
    after_cts = (pl.col("answered_failed") - pl.col("answered_lost") + unheard).clip(0)
    after_cts = ordered_sum(after_cts.filter(mine)).over("medium")
    all_failed = (pl.col("accesses") - pl.col("done") + unheard).filter(mine).sum().over("medium")
    return rows.select(
        "medium",
        "sender",
        vulnerable=share.clip(0, 1),
        vulnerable_otherwise=_otherwise(mean.clip(0, 1), share),
        answered_share=(after_cts / (all_failed + PRIOR_COLLISIONS)).clip(0, 1),
    )


def destroyed_share(failures: pl.Expr, collisions: pl.Expr, presumed: pl.Expr, within: pl.Expr) -> pl.Expr:
    """Share of the collisions that destroy, where fewer `failures` than `collisions` over `within` mean capture.

    More than 1 is 1. :data:`PRIOR_COLLISIONS` are presumed, of which the share `presumed` destroys: where no collision
    was expected, that is the share, and is not off by that factor.
    """
    return (within * failures + PRIOR_COLLISIONS * presumed) / (collisions + PRIOR_COLLISIONS)


def destroyed_apart(rate_mbps: pl.Expr) -> pl.Expr:
    """Part of the collisions with frames to other receivers that destroy one of this rate, before any was seen.

    That is the chance that it needs more than what it is stronger by, which no recording shows.
    """
    needed_db = 10 * (2 ** (rate_mbps / BANDWIDTH_MBPS) - 1).log10() + SHANNON_GAP_DB
    return 1 / (1 + (-LOGISTIC * (needed_db - SIR_USUAL_DB) / SIR_SPREAD_DB).exp())


def presumed_apart() -> pl.Expr:
    """:func:`destroyed_apart` of a link, by the mean rate of single frames; of others unknown."""
    single = (pl.col("aggregating") * 2 <= pl.col("carried")) & (pl.col("rate_bps") > 0)
    rate_mbps = pl.col("rate_bps") / pl.col("carried") / 1e6
    return pl.when(single).then(destroyed_apart(rate_mbps)).otherwise(PRIOR_DESTROYED_UNKNOWN)


def _otherwise(mean: pl.Expr, share: pl.Expr) -> pl.Expr:
    """The share of collisions that destroy, one standard deviation from `share`, where there is room.

    The deviation is that of a beta distribution, and of the number of collisions. `mean`: the share of the medium.
    """
    failures, collisions = pl.col("failures").fill_null(0), pl.col("collisions").fill_null(0)
    one, other = failures + PRIOR_COLLISIONS * mean, (collisions - failures).clip(0) + PRIOR_COLLISIONS
    total = one + other
    part = one / total
    error = (part * (1 - part) / (total + 1) + (share * EXPECTED_ERROR) ** 2).sqrt()
    return pl.when(share > EVEN).then(share - error).otherwise(share + error).clip(0, 1)


def _by_chance() -> pl.Expr:
    """Share of a sender's collisions that are by chance.

    All of one whose packets come at random; of one whose packets come at equal intervals those with random ones alone.
    """
    regular, random = pl.col("regularity"), pl.col("accesses") * (1 - pl.col("regularity"))
    others = pl.col("accesses").sum().over("medium") - pl.col("accesses")
    random_others = ordered_sum(random).over("medium") - random
    return 1 - regular + regular * (random_others / others.clip(1)).clip(0, 1)


def _seen(links: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """Per `medium sender`: accesses, failures, retries, how many of them loss explains, and the prior.

    That is `destroyed`, and `destroyed_unseen` in a recording that does not show which RTS failed.
    """
    counts = ("accesses", "done", "retries", "rts_retries", "with_rts", "answered_failed", "first_ns", "aggregating")
    exposed = pl.when(pl.col("with_rts") > 0).then("answered").otherwise("accesses")
    more = ("answered", "advanced", "advanced_heard", "carried", "rate_bps", *completeness.GAPS)
    rows = links.group_by("medium", *windows.LINK).agg(
        pl.col(*counts, *more).sum(), pl.col(SHARES).first(), exposed=exposed.sum()
    )
    rows = rows.join(lost, on=["medium", *windows.LINK], how="left", nulls_equal=True)
    loss = pl.col("loss").fill_null(0)
    rows = _together(rows).with_columns(apart=presumed_apart())
    sums = rows.group_by("medium", "sender").agg(
        pl.col(*counts, "advanced", "advanced_heard", *completeness.GAPS).sum(),
        pl.col(SHARES).first(),
        answered_lost=ordered_sum(pl.col("answered") * loss),
        lost=ordered_sum(pl.col("exposed") * loss),
        together=ordered_sum(pl.col("accesses") * pl.col("together")) / pl.col("accesses").sum().clip(1),
        apart=ordered_sum(pl.col("accesses") * pl.col("apart")) / pl.col("accesses").sum().clip(1),
    )
    with_rts = pl.col("with_rts") * 2 > pl.col("accesses")
    barker = with_rts & (pl.col("first_ns") > BARKER_RTS_NS * pl.col("accesses"))
    together = pl.when(barker).then(PRIOR_DESTROYED_RTS).otherwise(PRIOR_DESTROYED)
    by_rate = pl.col("apart") + (together - pl.col("apart")) * pl.col("together")
    apart = pl.when(with_rts).then(PRIOR_DESTROYED_RTS).otherwise("apart")
    unseen = apart + (together - apart) * pl.col("together")
    return sums.with_columns(
        destroyed=by_rate,
        destroyed_unseen=unseen,
        regularity=completeness.regularity(),
    )


def _together(links: pl.DataFrame) -> pl.DataFrame:
    """Links with the share `together` of the others' accesses that are to their receiver, or by it.

    1 where the receiver, or any other access, is unknown.
    """
    sent = links.group_by("medium", pl.col("sender").alias("receiver")).agg(by_receiver=pl.col("accesses").sum())
    links = links.join(sent, on=["medium", "receiver"], how="left")
    accesses = pl.col("accesses").sum()
    to_receiver = accesses.over("medium", "receiver") - pl.col("accesses") + pl.col("by_receiver").fill_null(0)
    share = to_receiver / (accesses.over("medium") - accesses.over("medium", "sender"))
    known = pl.col("receiver").is_not_null() & share.is_finite()
    return links.with_columns(together=pl.when(known).then(share.clip(0, 1)).otherwise(1.0))
