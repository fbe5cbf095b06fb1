"""TCP flows that wait in the queue of a sender already: a further flow takes its share from them.

What a saturating sender could add to a queue that greedy flows keep filled is nothing, but flows of TCP make room: all
that pass one queue see its losses alike, and get alike of it as far as their round-trip times are (RFC 5681, 3.1).
"""

import polars as pl

from winf_analyzer._aggregate.tcp_sizes import ACK_OCTETS, DATA_OCTETS, MIN_PACKETS, RATIO
from winf_analyzer._recommended.evidence import LINK

UNLIKE = 2.0
"""How many times longer or shorter the round-trip times of the others may be, and how many flows a link may carry."""


def with_yielding(rows: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """`rows` with `yielding_bits` of their sender's TCP flows, and `yielding_links`, how many links carry some.

    Args:
        rows: with `own_bits` of all links of each `source`, `observer`, `sender` and `window_start_ns`.
        links: :func:`.evidence.whole` of them.
    """
    back = {"sender": "receiver", "receiver": "sender", "mpdus": "ack_mpdus", "bits": "ack_bits"}
    acks = links.select(*LINK, "mpdus", "bits").rename(back)
    both = links.select(*LINK, "mpdus", "bits").join(acks, on=list(LINK), nulls_equal=True)
    data = both.filter(
        pl.col("ack_mpdus") >= MIN_PACKETS,
        pl.col("bits") >= 8 * DATA_OCTETS * pl.col("mpdus"),
        pl.col("ack_bits") <= 8 * ACK_OCTETS * pl.col("ack_mpdus"),
        (pl.col("ack_mpdus") / pl.col("mpdus")).is_between(*RATIO),
    )
    of_sender = ["source", "observer", "sender", "window_start_ns"]
    yielding = (
        rows.join(data.select(LINK), on=list(LINK), how="semi", nulls_equal=True)
        .group_by(of_sender)
        .agg(yielding_bits=pl.col("own_bits").sum(), yielding_links=pl.len())
    )
    return rows.join(yielding, on=of_sender, how="left", nulls_equal=True, maintain_order="left")


def shares() -> dict[str, pl.Expr]:
    """What of all that flows of TCP get in the queue a further one gets: as a value, at least and at most."""
    others = pl.col("yielding_links")
    return {
        "available_tcp_bps": 1 / (1 + others),
        "available_tcp_low_bps": 1 / (1 + UNLIKE * UNLIKE * others),
        "available_tcp_high_bps": UNLIKE / (UNLIKE + others),
    }
