"""What of a link's loss is left beside hidden stations, with whose frames its own collided unheard."""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._aggregate.windows import LINK
from winf_analyzer._models.saturation.contention import contention_domain
from winf_analyzer._models.saturation.contention.explained_losses import are_apart, is_explained
from winf_analyzer._models.saturation.failures import first_and_later
from winf_analyzer._models.saturation.failures.collision_survival import BARKER_RTS_NS
from winf_analyzer._models.saturation.failures.losses import LossModel
from winf_analyzer._models.saturation.recorded import completeness

MIN_HIDDEN = 0.005
"""Airtime share of a hidden station from which on what fails is taken to have collided with it."""

_EXPECTED = ("overlaps", "least_overlaps", "apart", "rts")


def left_beside_hidden(loss_model: LossModel, learned: pl.DataFrame) -> LossModel:
    """The loss model without what collided with hidden stations, in windows in which these are silent as well.

    What fails on a quiet medium collided with a hidden station, whose frames are not heard: unless far more is lost
    than these overlap, as :func:`.explained_losses.explained_by_hidden` has it of the stations of a window.

    Behind a CTS a hidden station is silent, but one that sent while the CTS came: it does not get an answer, and sends
    again while the data is sent. At least SIFS and a slot are exposed to that, in which the CTS is not sensed yet, and
    at most the handshake; of DSSS the time of another RTS as well, since a receiver may decode one beside another as
    strong. No more than the most is lost to collisions; if more is lost, the mean of both collided.

    Args:
        loss_model: that of the recording.
        learned: sums per window and link, with :func:`.completeness.with_shares`.
    """
    if not learned.select(((pl.col("unheard") > 0) | (pl.col("unaware") > 0)).any()).item():
        return loss_model  # nobody is hidden
    links = loss_model.links.join(
        _overlaps(learned), on=["medium", "sender"], how="left", nulls_equal=True, maintain_order="left"
    )
    overlapping = 1 - (-pl.col("overlaps")).exp()
    links = links.join(
        first_and_later.first_lost(learned), on=["medium", *LINK], how="left", nulls_equal=True, maintain_order="left"
    )
    # Repetitions meet the hidden station's: what first attempts lose tells what its frames destroy.
    explained = pl.col("apart") | is_explained(pl.coalesce("first_lost", "loss"), overlapping)
    loss = pl.when(pl.col("overlaps").is_not_null() & explained).then(0.0).otherwise("loss")
    mean = (pl.col("overlaps") + pl.col("least_overlaps")) / 2
    beyond = pl.when(pl.col("loss") > overlapping).then(1 - (1 - pl.col("loss")) * mean.exp()).otherwise(0.0)
    behind_cts = pl.col("rts") & pl.col("overlaps").is_not_null()
    # A trace tells what is lost from what meets a hidden station.
    left = pl.when(completeness.is_traced()).then("loss").when(behind_cts).then(beyond).otherwise(loss)
    links = links.with_columns(loss=left)
    return loss_model._replace(links=links.drop(_EXPECTED, "first_lost"))


def _overlaps(learned: pl.DataFrame) -> pl.DataFrame:
    """Per `medium sender` beside hidden ones: frames of these that overlap one of its own, `overlaps`.

    Of data behind a CTS (`rts`) that is at most, and `least_overlaps` at least. `apart`: they are of other groups of
    :mod:`.hidden_senders`.
    """
    senders = contention_domain.per_sender(learned, contention_domain.WHOLE, by_queue=False)
    senders = senders.with_columns(
        exchange_s=pl.col("access_s") + pl.col("packet_s"),
        accesses_per_s=quotient(pl.col("accesses") * 1e9, pl.col("covered_ns")),
        tries=quotient(pl.col("accesses"), pl.col("answered").clip(1)).clip(1),
    )
    busy = pl.col("packets_per_s") * pl.col("exchange_s") > MIN_HIDDEN
    rts_s = pl.col("first_ns") / pl.col("accesses").clip(1) / 1e9
    barker = rts_s * 1e9 > BARKER_RTS_NS
    of_link = senders.select(
        *("medium", "sender", "rts", "tries", "exchange_s"),
        group="unaware",
        unsensed_s=pl.col("sifs_s") + pl.col("slot_s"),
        handshake_s=pl.col("first_s") + pl.when(barker).then(rts_s).otherwise(0.0),
    )
    # Data that is not heard takes as long as its answers show, or is presumed to be like that of the link.
    unannounced = pl.col("data_unheard") & ~pl.col("rts")
    others = senders.filter(busy).select(
        *("medium", "unaware", "hidden", "packets_per_s", "accesses_per_s"),
        hidden_sender="sender",
        other_s=pl.when(unannounced).then(pl.col("unheard_gap_ns") / 1e9).otherwise("exchange_s"),
    )
    around = of_link.join(others, on="medium").filter(pl.col("sender").ne_missing(pl.col("hidden_sender")))
    apart = are_apart(pl.col("group"), pl.col("unaware"))
    # Of a hidden station the attempts that were answered are heard: it is taken to need as many as the link.
    attempts_per_s = pl.col("accesses_per_s") * pl.col("tries")
    data_overlaps = pl.col("packets_per_s") * (pl.coalesce("other_s", "exchange_s") + pl.col("exchange_s"))
    return (
        around.filter(pl.col("hidden") | apart)
        .group_by("medium", "sender")
        .agg(
            overlaps=ordered_sum(pl.when("rts").then(attempts_per_s * pl.col("handshake_s")).otherwise(data_overlaps)),
            least_overlaps=ordered_sum(attempts_per_s * pl.col("unsensed_s")),
            apart=apart.any(),
            rts=pl.col("rts").first(),
        )
    )
