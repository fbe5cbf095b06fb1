"""What a sender's packets on its other links take from one of its links."""

import polars as pl

from winf_analyzer._mac.backoffs import mean_backoff

ROUND = 4.0
"""Full aggregates of a link between two that its sender has for another receiver: as many as a queue of 256 packets
holds. Of a sender that goes from one receiver to the next after each, fewer packets gather for each."""


def turns(rows: pl.DataFrame) -> pl.Series:
    """Packets per second of the link in whose time its backlogged sender has accesses for its other links.

    An aggregate has one receiver, so that packets of other links need accesses of their own, with all that an access
    takes but the airtime of MPDUs: so many of them as gather while aggregates of the link go out. Of single frames each
    is an access anyway.

    Args:
        rows: as :func:`as_of_the_link` has them, with `receivers` of the queue, `own_carried`, the exchanges that it
            carried, and `carried`, those of the link.

    Returns:
        A number for each of the rows.
    """
    others = (pl.col("receivers") - 1).clip(0)
    each_per_s = pl.col("packets_per_s") * (1 - pl.col("carried") / pl.col("own_carried").clip(1)).clip(0, 1) / others
    round_s = ROUND * pl.col("packets_max") / pl.col("per_s")
    accesses = others * each_per_s / (1 + each_per_s * round_s)
    # What others send, which is not saturated, does not become more with the sender's accesses.
    access_s = pl.col("access_s") + (pl.col("window") - 1) / 2 * pl.col("slot_s")
    packets = accesses * access_s / (access_s / pl.col("packets_max") + pl.col("packet_s"))
    asked = pl.col("aggregates") & (others > 0) & packets.is_finite()
    return rows.select(pl.when(asked).then(packets).otherwise(0.0)).to_series()


def as_of_the_link(rows: pl.DataFrame) -> pl.Series:
    """Packets of the link that a backlogged sender would deliver in the time of one of its packets, whatever its link.

    An access point that acknowledges a TCP flow sends many packets, and short ones. In aggregates one takes its own
    airtime. Alone it takes 1/X of the time, if it is like those of the link; less if it is shorter, and if the channel
    loses it less often: it takes fewer attempts then, and shorter backoffs.

    Args:
        rows: those of :attr:`.contention_domain.Cases.links`, with `per_s` (packets a second) and `collision`.

    Returns:
        A number for each of the rows.
    """
    losses = {"here": "loss", "own": "own_loss"}
    rows = rows.with_columns(
        (1 - (1 - pl.col("collision")) * (1 - pl.col(loss).fill_null(0.0))).alias(name) for name, loss in losses.items()
    )
    rows = rows.with_columns(backoff_here=mean_backoff(pl.col("here")), backoff_own=mean_backoff(pl.col("own")))
    # What an attempt takes of the time of a packet: others' exchanges and idle slots, in proportion to its backoff.
    waits = (1 - pl.col("here") - pl.col("per_s") * pl.col("access_s")).clip(0)
    waits *= pl.col("backoff_own") / pl.col("backoff_here")
    alone = (waits + pl.col("per_s") * pl.col("own_access_s")) / (1 - pl.col("own"))
    packets = pl.when("aggregates").then(pl.col("own_packet_s") / pl.col("packet_s")).otherwise(alone)
    alike = (pl.col("own_aggregates") == pl.col("aggregates")) & (pl.col("packets_max") > 1).eq(pl.col("aggregates"))
    return rows.select(pl.when(alike & packets.is_finite()).then(packets.clip(0)).otherwise(1.0)).to_series()
