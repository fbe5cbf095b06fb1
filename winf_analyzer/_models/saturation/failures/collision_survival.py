"""How many collisions destroy: of two frames that collide, the stronger may survive (the capture effect).

Failures beyond loss are set over the collisions that are expected (:mod:`.shown_collisions`). Where neither failures
nor survivors show, every collision destroys, as DCF has it.
"""

import math

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._models.saturation.failures import shown_collisions, surviving_sender
from winf_analyzer._models.saturation.failures.shown_collisions import EXPECTED_WITHIN, is_own, is_traced
from winf_analyzer._models.saturation.recorded import completeness, queues
from winf_analyzer._models.saturation.recorded.completeness import SHARES

PRIOR_COLLISIONS = 3.0
"""Collisions that are presumed before the first is seen."""

PRIOR_DESTROYED = 2.0
"""How many failures each of those is, of frames to the same receiver, or to one that was sending: all destroyed, and
they count as often as those that were seen (:data:`.EXPECTED_WITHIN`)."""

SIR_USUAL_DB, SIR_SPREAD_DB = 10.0, 8.0
"""By how much a frame is stronger at its receiver than one to another receiver, mean and standard deviation: one of a
station twice as far away as the sender, where powers fall with distance to the power of 3.5, on two paths with 5 to
6 dB of shadowing each."""

SIR_OF_CELL_DB, SIR_OF_CELL_SPREAD_DB = 3.8, 13.5
"""The same beside a frame to the sender, as one of its cell: stations are anywhere in a disc around it, where the mean
logarithms of the two distances differ by 1/4; these alone have a spread of 10.9 dB."""

SHANNON_GAP_DB = 10.0
"""What a receiver of 802.11 needs more than Shannon's bound for the rate: 7 to 11 dB from 1 to 54 Mb/s in 20 MHz."""

BANDWIDTH_MBPS = 20.0
"""Mb/s that are 1 bit/s/Hz."""

HEADER_MBPS = 6.0
"""Rate at which OFDM PPDUs begin (17.3.4)."""

LOGISTIC = 1.702
"""Scale at which the logistic function is the normal distribution's, within 0.01."""

PRIOR_DESTROYED_UNKNOWN = 0.5
"""The same of frames to different receivers whose rate does not tell the signal that they need: of several streams."""

PRIOR_DESTROYED_RTS = 1.0
"""The same of RTS to the same receiver at 1 and 2 Mb/s: spread by 11 chips, which gains 10 dB, one gets through beside
another as strong. And of RTS to different receivers where no failure of them shows."""

BARKER_RTS_NS = 170_000
"""RTS at 1 and 2 Mb/s are longer (16.2.2: 176 us with a short preamble), others shorter."""

OVERLOAD = 0.1
"""Share of attempts that collide from which backoffs are so long that a quiet medium is as risky as any."""

MAX_UNEVEN = 0.8
"""Unevenness up to which packets that do not come at random loosen that factor: theirs meet less often, or more."""

EXPECTED_ERROR = 0.2
"""Relative standard deviation of that number."""

EVEN = 0.5
"""Share from which on collisions destroy rather than not."""

PRIOR_BESIDE = 2.0
"""Attempts beside a hidden station's that are presumed lost before the first is seen."""


def destroyed(
    links: pl.DataFrame, lost: pl.DataFrame, expected: pl.DataFrame, traced: pl.DataFrame, media: pl.DataFrame
) -> pl.DataFrame:
    """`medium sender vulnerable vulnerable_otherwise answered_share elsewhere homewards lost rts_lost beside_lost`.

    See :attr:`.losses.LossModel.senders`.

    Each sender's share of the collisions that destroy is shrunk towards the mean of its medium.

    Args:
        links: the sums per window and link.
        lost: `medium sender receiver loss rts_loss`.
        expected: `medium sender collisions share chance`.
        traced: of :func:`.traced_collisions.of_media`.
        media: `medium observer`.
    """
    rows = expected.join(_seen(links, lost), on=["medium", "sender"], nulls_equal=True)
    rows = rows.join(media.select("medium", "observer"), on="medium")
    rows = shown_collisions.of_senders(rows, traced)
    expected_within = pl.when(is_traced()).then(1.0).otherwise(EXPECTED_WITHIN)
    # Where no station's failures show behind RTS, every collision destroys, as DCF has it.
    shown = (is_own() & ~completeness.is_partial()).any().over("medium")
    presumed = ordered_sum(pl.col("accesses") * pl.when(shown).then("destroyed").otherwise("destroyed_unseen"))
    presumed = presumed.over("medium") / pl.col("accesses").sum().over("medium").clip(1)
    failures_all, collisions_all = (ordered_sum(pl.col(name)).over("medium") for name in ("failures", "collisions"))
    mean = destroyed_share(failures_all, collisions_all, presumed, expected_within)
    # In steps: a large expression is copied, and planned, wherever it is used.
    rows, mean = rows.with_columns(mean=mean), pl.col("mean")
    failures, collisions = pl.col("failures").fill_null(0), pl.col("collisions").fill_null(0)
    uneven = pl.when(is_traced()).then(0.0).otherwise("uneven")
    within = expected_within / (1 - uneven).clip(1 - MAX_UNEVEN)
    as_counted = is_traced() | pl.col("corrected")
    trusted = pl.when(as_counted).then(within).otherwise(within / EXPECTED_WITHIN * surviving_sender.trusted_within())
    rows = rows.with_columns(share_destroyed=destroyed_share(failures, collisions, mean, within), trusted=trusted)
    survives = surviving_sender.with_survivors(pl.col("share_destroyed"), failures, collisions, pl.col("trusted"))
    rows, share = rows.with_columns(share_destroyed=survives), pl.col("share_destroyed")
    return rows.select(
        "medium",
        "sender",
        vulnerable=share.clip(0, 1),
        vulnerable_otherwise=_otherwise(mean.clip(0, 1), share),
        answered_share=_answered_share(),
        elsewhere="elsewhere",
        homewards="homewards",
        lost=told_losses(),
        rts_lost=quotient(pl.col("rts_lost"), pl.col("with_rts").clip(1)).fill_null(0.0),
        beside_lost=_beside_lost(),
    )


def _beside_lost() -> pl.Expr:
    """The part that is lost of attempts which overlap one of a station that the sender does not hear.

    As a trace shows it, besides :data:`PRIOR_BESIDE` that were lost; without one all.
    """
    failed, overlapping = pl.col("second_failed") + pl.col("first_failed"), pl.col("second") + pl.col("first")
    return ((failed + PRIOR_BESIDE) / (overlapping + PRIOR_BESIDE)).fill_null(1.0)


def told_losses() -> pl.Expr:
    """Mean loss of a sender's links; 0 where collisions are so many that it is not told from them.

    Behind a CTS no station in range begins: what fails there is lost, however many RTS collide.
    """
    told = (pl.col("share") <= OVERLOAD) | (pl.col("with_rts") * 2 > pl.col("accesses"))
    return pl.when(told).then(quotient(pl.col("lost"), pl.col("exposed").clip(1))).fill_null(0.0)


def _answered_share() -> pl.Expr:
    """The part of what was destroyed that had got a CTS, over the medium."""
    mine = pl.col("observer").is_null() | is_own()
    # A third station that heard no such failure sees by the Retry bit of data behind a CTS that there was one.
    unheard = pl.when(pl.col("observer").is_null() & ~completeness.is_partial()).then("rts_retries").otherwise(0)
    after_cts = (pl.col("answered_failed") - pl.col("answered_lost") + unheard).clip(0)
    after_cts = ordered_sum(after_cts.filter(mine)).over("medium")
    all_failed = (pl.col("accesses") - pl.col("done") - pl.col("rts_lost") + unheard).clip(0)
    all_failed = ordered_sum(all_failed.filter(mine)).over("medium")
    return (after_cts / (all_failed + PRIOR_COLLISIONS)).clip(0, 1)


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
    return 1 / (1 + (-LOGISTIC * (_needed_db(rate_mbps) - SIR_USUAL_DB) / SIR_SPREAD_DB).exp())


def _needed_db(rate_mbps: pl.Expr) -> pl.Expr:
    return 10 * (2 ** (rate_mbps / BANDWIDTH_MBPS) - 1).log10() + SHANNON_GAP_DB


def header_survives(*, of_cell: bool = False) -> float:
    """Chance that a receiver decodes the header of its frame beside one to another receiver that begins with it.

    Whatever the frame's rate, its header has the lowest one.

    Args:
        of_cell: that other receiver is who sends the frame.
    """
    usual, spread = (SIR_OF_CELL_DB, SIR_OF_CELL_SPREAD_DB) if of_cell else (SIR_USUAL_DB, SIR_SPREAD_DB)
    needed = pl.select(_needed_db(pl.lit(HEADER_MBPS))).item()
    return 1 / (1 + math.exp(LOGISTIC * (needed - usual) / spread))


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
    expected_error = pl.when(is_traced()).then(0.0).otherwise(EXPECTED_ERROR)
    error = (part * (1 - part) / (total + 1) + (share * expected_error) ** 2).sqrt()
    return pl.when(share > EVEN).then(share - error).otherwise(share + error).clip(0, 1)


def _seen(links: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """Per `medium sender`: accesses, failures, retries, how many of them loss explains, and the prior.

    That is `destroyed`, and `destroyed_unseen` in a recording that does not show which RTS failed.
    """
    counts = ("accesses", "done", "retries", "rts_retries", "rts_unheard", "with_rts", "answered_failed", "first_ns")
    exposed = pl.when(pl.col("with_rts") > 0).then("answered").otherwise("accesses")
    more = ("aggregating", "answered", "advanced", "advanced_heard", "carried", "mpdus", "rate_bps", *completeness.GAPS)
    # Of collisions, what nobody answers tells nothing.
    links = links.filter(~queues.is_unanswered())
    rows = links.group_by("medium", *windows.LINK).agg(
        pl.col(*counts, *more).sum(), pl.col(SHARES).first(), exposed=exposed.sum()
    )
    rows = rows.join(lost, on=["medium", *windows.LINK], how="left", nulls_equal=True)
    loss = pl.col("loss").fill_null(0)
    rows = with_receivers_shared(rows).with_columns(apart=presumed_apart())
    sums = rows.group_by("medium", "sender").agg(
        pl.col(*counts, "aggregating", "advanced", "advanced_heard", "carried", "mpdus", *completeness.GAPS).sum(),
        pl.col(SHARES).sort_by("queue").first(),  # of the first queue, whatever the order of the rows
        answered_lost=ordered_sum(pl.col("answered") * loss),
        lost=ordered_sum(pl.col("exposed") * loss),
        rts_lost=ordered_sum(pl.col("with_rts") * pl.col("rts_loss").fill_null(0)),
        exposed=pl.col("exposed").sum(),
        together=ordered_sum(pl.col("accesses") * pl.col("together")) / pl.col("accesses").sum().clip(1),
        apart=ordered_sum(pl.col("accesses") * pl.col("apart")) / pl.col("accesses").sum().clip(1),
        elsewhere=ordered_sum(pl.col("accesses") * pl.col("elsewhere")) / pl.col("accesses").sum().clip(1),
        homewards=ordered_sum(pl.col("accesses") * pl.col("homewards")) / pl.col("accesses").sum().clip(1),
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


def with_receivers_shared(links: pl.DataFrame) -> pl.DataFrame:
    """Links with the share `together` of the others' accesses that are to their receiver, or by it.

    1 where the receiver, or any other access, is unknown. And `elsewhere`, the share of those to known receivers that
    are neither, nor to the sender, and `homewards`, the share of those to the sender by others than its receiver: they
    are of one cell, and nearer to one another. Both 0 where the link's receiver is unknown.
    """
    to_one = pl.col("receiver").is_not_null()
    sent = links.group_by("medium", pl.col("sender").alias("receiver")).agg(
        by_receiver=pl.col("accesses").sum(), to_all=pl.col("accesses").filter(~to_one).sum()
    )
    to_sender = pl.col("accesses").sum().alias("to_sender")
    received = links.filter(to_one).group_by("medium", pl.col("receiver").alias("sender")).agg(to_sender)
    back = links.filter(to_one).select("medium", sender="receiver", receiver="sender", back="accesses")
    links = links.join(sent, on=["medium", "receiver"], how="left")
    links = links.join(received, on=["medium", "sender"], how="left")
    links = links.join(back, on=["medium", "sender", "receiver"], how="left")
    accesses = pl.col("accesses").sum()
    to_receiver = accesses.over("medium", "receiver") - pl.col("accesses") + pl.col("by_receiver").fill_null(0)
    share = to_receiver / (accesses.over("medium") - accesses.over("medium", "sender"))
    known = pl.col("receiver").is_not_null() & share.is_finite()
    to_known = pl.when(to_one).then("accesses").otherwise(0.0)
    others = to_known.sum().over("medium") - to_known.sum().over("medium", "sender") + pl.col("to_all").fill_null(0)
    homewards = pl.col("to_sender").fill_null(0) - pl.col("back").fill_null(0)
    near = (to_receiver + homewards) / others
    return links.with_columns(
        together=pl.when(known).then(share.clip(0, 1)).otherwise(1.0),
        elsewhere=pl.when(to_one & near.is_finite()).then((1 - near).clip(0, 1)).otherwise(0.0),
        homewards=pl.when(to_one & near.is_finite()).then((homewards / others).clip(0, 1)).otherwise(0.0),
    )
