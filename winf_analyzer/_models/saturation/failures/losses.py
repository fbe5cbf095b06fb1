"""Why attempts failed, over a whole recording: a lossy link, or a collision; and how many collisions destroy.

Three rates are distinguished, each where it shows best.

*Loss.* Of attempts that carried one MPDU (after the CTS, where RTS are sent) some found the medium idle for long
(:data:`.exchange_sums.QUIET_WINDOWS`). They collide only with a station that starts in the same slot by chance, which
the others do `accesses x slot / idle time` times; the rest collides as often as expected on the average, or several
times as often. Loss is the same for both: :mod:`.loss_posterior` weighs each loss by how well it explains both.

MPDUs that an aggregate loses are sent again in the next. Of as many as answered aggregates held, the loss is at least
the share that exceeds the numbers by which the sender went on: collisions destroy whole aggregates, which nobody
answers.

*Loss of RTS.* An RTS that nobody answers collided, or was lost, or its receiver could not answer. What collisions in
range do not explain of it (:mod:`.loss_posterior`) a saturated sender meets as often.

*Collisions.* How many there should have been is simulated at the recorded load (:mod:`.expected_collisions`).
Arrivals are random there; where fewer accesses had to wait than the medium was busy, arrivals avoid one another, as
equal intervals do, and so do accesses.

*Capture.* Failures beyond loss over collisions expected: :mod:`.collision_survival`.
"""

from typing import NamedTuple

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._mac.constants import whole
from winf_analyzer._models.saturation.failures import (
    by_attempt,
    collision_survival,
    lasting,
    loss_posterior,
    unrepeated,
)
from winf_analyzer._models.saturation.failures.collision_survival import OVERLOAD
from winf_analyzer._models.saturation.failures.shown_collisions import EXPECTED_WITHIN
from winf_analyzer._models.saturation.recorded import completeness, stations
from winf_analyzer._models.saturation.recorded.completeness import SHARES

BUNCHED = 5.0
"""How many times more often than on the average attempts that had to wait collide at most: packets that came during one
exchange contend together."""


MIN_COLLISIONS = 30.0
"""Collisions of the other stations that must be expected for their failures to tell how many there are."""

MIN_SHOWN = 0.25
"""Share of these that must show as failures: fewer survive their collisions, or have no Retry bit."""

ALIKE_WITHIN = (1.3, 1.5)
"""Factor to which the number of expected collisions is trusted at least, and how many times as often as the other
stations fail a sender's attempts collide at most: their failures show how good the expectation is."""

MIN_TOGETHER = 500
"""MPDUs in answered aggregates by whose repetitions loss is told."""

MIN_AGAIN, MAX_AGAIN = 0.02, 0.6
"""Shares of them that are told: of less, frames that were missed or given up may be as many."""


ALL_HEARD = 0.98
"""Share of a sender's numbers that must have been heard for its repetitions to be all there were."""


class LossModel(NamedTuple):
    """How attempts fail, over a whole recording."""

    links: pl.DataFrame
    """`medium sender receiver loss lost_apart rts_loss loss_doubt rts_doubt`: chance that the channel loses an
    attempt that nothing collides with (behind a CTS, where RTS are sent), an MPDU while others of its aggregate arrive,
    and an RTS; the standard deviations of the first and the last. And `quicker` of :func:`.by_attempt.quicker`,
    `lasting` of :func:`.lasting.outlasted` and `unrepeated` of :func:`.unrepeated.share`, else null."""
    senders: pl.DataFrame
    """`medium sender vulnerable vulnerable_otherwise answered_share elsewhere homewards lost rts_lost`: chance that a
    collision destroys an attempt; what it is one standard deviation off; the part of what was destroyed that had got a
    CTS, where RTS were sent; the shares of others' accesses to known receivers that are neither to its own, nor by
    them, nor to itself, and that are to itself by others than its receivers; the mean loss of its links, 0 where
    collisions are so many that it is not told from them: without RTS; and that of its RTS."""


def loss_model(
    links: pl.DataFrame, senders: pl.DataFrame, collided: pl.DataFrame, traced: pl.DataFrame, media: pl.DataFrame
) -> LossModel:
    """From the sums per window and link, those with costs per window and sender, and :mod:`.expected_collisions`.

    `traced`: the collisions that a trace shows, of :func:`.traced_collisions.of_media`.
    """
    expected = _expected(senders, collided)
    lost = _losses(links, expected, traced, media)
    for told in (by_attempt.quicker(links), lasting.outlasted(links), unrepeated.share(links)):
        lost = lost.join(told, on=["medium", *windows.LINK], how="left", maintain_order="left", nulls_equal=True)
    return LossModel(lost, collision_survival.destroyed(links, lost, expected, traced, media))


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


def _losses(links: pl.DataFrame, expected: pl.DataFrame, traced: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver loss lost_apart rts_loss loss_doubt rts_doubt`, as :class:`LossModel` has it.

    The loss is the mean over what is likely, given the failures of quiet and other attempts.
    """
    counts = (
        "accesses",
        "with_rts",
        "alone",
        "alone_failed",
        "quiet",
        "quiet_failed",
        "answered",
        "silent",
        "silent_behind",
        "silent_numbered",
        "retries",
        "unheard_before",
        "aggregating",
        "done",
        "mpdus",
        "in_aggregates",
        "sent_mpdus",
        "heard",
        "advanced",
        "advanced_heard",
    )
    summed = pl.col(*counts, *completeness.GAPS).sum()
    sums = links.group_by("medium", *windows.LINK).agg(summed, pl.col(SHARES).first())
    # Attempts of which nothing was heard but that they were repeated. On a quiet medium or not, is not known.
    heard_failed = pl.col("silent") + pl.col("silent_behind")
    unheard = (pl.col("retries") / pl.col("heard_share").clip(0.05) - heard_failed).clip(0)
    # Those that were heard, and answered, and repeated all the same: the sender heard no answer.
    answered_again = (pl.col("retries") - pl.col("unheard_before") - heard_failed).clip(0)
    single = pl.col("aggregating") * 2 <= pl.col("done")
    sums = sums.with_columns(
        answered_again=answered_again,
        answer_missed=completeness.answers_missed(),  # of this receiver's, however those of others are heard
        regularity=completeness.regularity(),
        unheard_failed=pl.when(single & (pl.col("answered") == 0)).then(unheard).otherwise(0.0),
    )
    rows = sums.join(expected, on=["medium", "sender"], how="left", nulls_equal=True)
    rows = rows.join(media.select("medium", "observer"), on="medium", how="left")
    # Collisions that show as RTS without an answer do not show in the data. Those of others' RTS are not heard at all.
    unanswered = (pl.col("accesses") - pl.col("answered")) / pl.col("accesses").clip(1)
    seen = pl.when(pl.col("answered") > 0).then(quotient(unanswered, pl.col("share").clip(1e-3))).otherwise(0.0)
    own = (pl.col("sender") == pl.col("observer")).fill_null(value=False)
    left = (1 - seen).clip(0, 1)
    of_recorder = left.filter(own & (pl.col("answered") > 0)).mean().over("medium")
    left = pl.when((pl.col("answered") > 0) & ~own).then(pl.coalesce(of_recorder, left)).otherwise(left)
    hardly_quiet = pl.col("share") > OVERLOAD
    rows = rows.with_columns(pl.col("share", "chance").fill_null(0.0))
    rows = rows.with_columns(within=_within(single)).with_columns(
        quiet_collides=left * pl.when(hardly_quiet).then("share").otherwise("chance") * pl.col("within"),
        busy=pl.col("alone") - pl.col("quiet") + (pl.col("unheard_failed") - pl.col("answered_again")).clip(0),
        busy_missed=pl.col("alone_failed") - pl.col("quiet_failed") + pl.col("unheard_failed"),
    )
    # All collisions are among those that had to wait.
    bunched = (pl.col("accesses") / pl.col("busy").clip(1)).clip(1, BUNCHED)
    rows = rows.with_columns(busy_collides=left * pl.col("share") * bunched * pl.col("within"))
    rows = _as_traced(rows, traced)
    # What a third station hears of others collided with nothing, which it would not have heard either.
    collides = pl.when(own).then("share").otherwise(0.0)
    again = pl.when(_all_heard()).then(_sent_again()).otherwise(_again_of_part(collides))
    # Behind a CTS neither single frames nor whole aggregates collide.
    behind_cts = pl.col("with_rts") * 2 > pl.col("accesses")
    known = rows.select("medium", *windows.LINK, again=again, most=_at_most(), behind_cts=behind_cts)
    likely = loss_posterior.posterior(rows.filter(pl.col("quiet_failed") + pl.col("busy_missed") > 0))
    known = known.join(_rts_losses(rows), on=["medium", *windows.LINK], how="left", nulls_equal=True)
    found = known.join(likely, on=["medium", *windows.LINK], how="left", nulls_equal=True)
    likely_loss = pl.col("loss").fill_null(0.0)
    apart = pl.max_horizontal(pl.min_horizontal(likely_loss, "most"), "again")
    loss = pl.when("behind_cts").then(pl.max_horizontal(likely_loss, "again")).otherwise(apart)
    # What is sent again of aggregates tells their loss without a doubt like this one.
    doubt = pl.when(loss == likely_loss).then("doubt").fill_null(0.0)
    of_rts = (pl.col(name).fill_null(0.0) for name in ("rts_loss", "rts_doubt"))
    return found.select("medium", *windows.LINK, *of_rts, loss=loss, lost_apart=apart, loss_doubt=doubt)


def _within(single: pl.Expr) -> pl.Expr:
    """How many times as many attempts of each link as expected collide at most.

    By the Retry bits of the other stations that send single frames without RTS, where enough of theirs should collide.
    """
    shows = single & (pl.col("with_rts") * 2 < pl.col("accesses")) & ~completeness.is_put_back()

    def of_others(value: pl.Expr) -> pl.Expr:
        value = pl.when(shows).then(value).otherwise(0.0)
        return ordered_sum(value).over("medium") - ordered_sum(value).over("medium", "sender")

    expected = of_others(pl.col("share") * pl.col("accesses"))
    failed = of_others(pl.col("retries") / pl.col("heard_share").clip(0.05))
    least, times = ALIKE_WITHIN
    share = quotient(failed, expected)
    shown = (expected >= MIN_COLLISIONS) & (share > MIN_SHOWN)
    return pl.when(shown).then((times * share).clip(least, EXPECTED_WITHIN)).otherwise(EXPECTED_WITHIN)


def _as_traced(rows: pl.DataFrame, traced: pl.DataFrame) -> pl.DataFrame:
    """The attempts during which no other node sent, where a trace shows which: those that failed were lost.

    And `rts_tried rts_failed rts_collides` of the RTS in the same way.
    """
    rows = rows.join(traced, on=["medium", *windows.LINK], how="left", maintain_order="left", nulls_equal=True)
    known, with_rts = pl.col("clear").is_not_null(), pl.col("answered") > 0
    unanswered = pl.when(with_rts).then(pl.col("with_rts") - pl.col("answered")).otherwise(0.0)
    of_trace = {
        **dict.fromkeys(("quiet", "quiet_failed", "quiet_collides", "busy_collides", "rts_collides"), pl.lit(0.0)),
        "busy": pl.col("clear") - pl.when(with_rts).then("clear_unanswered").otherwise(0),
        "busy_missed": pl.col("clear_failed"),
        "rts_tried": pl.col("clear"),
        "rts_failed": pl.when(with_rts).then("clear_unanswered").otherwise(0),
    }
    rows = rows.with_columns(
        rts_tried="with_rts", rts_failed=unanswered, rts_collides=pl.col("share") * EXPECTED_WITHIN
    )
    return rows.with_columns(
        pl.when(known).then(value.cast(pl.Float64)).otherwise(name).alias(name) for name, value in of_trace.items()
    )


def _rts_losses(rows: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver rts_loss rts_doubt` of the links whose RTS failed, any of which may have collided."""
    rts = rows.filter(pl.col("rts_failed") > 0).with_columns(
        quiet=pl.lit(0.0),
        quiet_failed=pl.lit(0.0),
        quiet_collides=pl.lit(0.0),
        busy="rts_tried",
        busy_missed="rts_failed",
        busy_collides="rts_collides",
    )
    return loss_posterior.posterior(rts).rename({"loss": "rts_loss", "doubt": "rts_doubt"})


def _all_heard() -> pl.Expr:
    """The recorder missed hardly any of the sender's numbers."""
    return pl.col("advanced_heard") >= ALL_HEARD * pl.col("advanced")


def _at_most() -> pl.Expr:
    """What the channel loses at most by what is sent again of aggregates, where all of them were heard; 1 elsewhere.

    What fails of single frames beyond that collides.
    """
    again = (pl.col("mpdus") - pl.col("advanced_heard")).clip(0)
    told = _all_heard() & (pl.col("advanced") > 0) & (pl.col("in_aggregates") >= MIN_TOGETHER)
    return pl.when(told).then((again + 3 * again.sqrt()) / pl.col("in_aggregates")).otherwise(1.0).clip(0, 1)


def _sent_again() -> pl.Expr:
    """Share of the MPDUs of answered aggregates that were sent again, if it is more than the end of a recording."""
    again = pl.col("mpdus") - pl.col("advanced_heard") - whole("block_ack_window")
    share = again / pl.col("in_aggregates").clip(1)
    numbered = pl.col("advanced_heard") * 2 > pl.col("mpdus")
    told = numbered & (pl.col("in_aggregates") >= MIN_TOGETHER) & (share > MIN_AGAIN)
    return pl.when(told).then(share.clip(0, MAX_AGAIN)).otherwise(0.0)


def _again_of_part(collides: pl.Expr) -> pl.Expr:
    """The same where frames were missed, of all MPDUs that were heard, answered or not.

    With a share p of the frames heard and a share l sent again, M = pN / (1 - l) MPDUs of N numbers were heard, and
    D = pN / (1 - l (1 - p)) of the numbers, so that l = N/D - N/M. A share that `collides` of the accesses is in it.
    The last exchange is not passed by any number.
    """
    numbers, distinct = pl.col("advanced"), pl.col("advanced_heard")
    last = pl.col("sent_mpdus") / pl.col("heard").clip(1)
    heard = pl.col("sent_mpdus") - last
    again = quotient(numbers * (heard - distinct), distinct * heard)
    share = 1 - (1 - again) / (1 - collides.clip(0, 0.9))
    enough = (heard - distinct > 2 * last) & (share > MIN_AGAIN)
    told = (pl.col("in_aggregates") >= MIN_TOGETHER) & enough
    return pl.when(told).then(share.clip(0, MAX_AGAIN)).otherwise(0.0)
