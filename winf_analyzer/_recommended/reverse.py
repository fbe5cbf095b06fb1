"""How the receiver of a link sends what it has to send to the sender: at its own rate, in its own PHY.

That is how the TCP ACKs of a flow travel. A receiver of 802.11n at 144 Mb/s whose own frames go out at 2 Mb/s pays more
for an ACK than the sender for a segment.
"""

import polars as pl

from winf_analyzer._mac.presets import AGGREGATING, NON_HT_MBPS
from winf_analyzer._recommended.evidence import LINK

ENOUGH = 20
"""Samples from which on the receiver's rate is known: one frame may be a probe, or of before rate control settled."""


def with_reverse(rows: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """`rows` with what the link in the other direction shows over the whole recording; null where nothing was sent.

    `back_rate_mbps`: of its data; `back_plcp_us`: preamble and PHY header; `back_ack_us`: airtime of the MAC's answers;
    `back_single`: none of its PHYs aggregates; `back_samples`.

    Args:
        rows: with :data:`.evidence.LINK`.
        links: :func:`.evidence.whole`.
    """
    known, answered = pl.col("psdu_us") > 0, pl.col("answers") > 0
    back = links.select(
        *("source", "observer"),
        sender="receiver",
        receiver="sender",
        back_rate_mbps=pl.when(known).then(pl.col("psdu_bits") / pl.col("psdu_us")),
        back_plcp_us=pl.when(known).then(((pl.col("data_us") - pl.col("psdu_us")) / pl.col("samples")).clip(0)),
        back_ack_us=pl.when(answered).then(pl.col("ack_us") / pl.col("answers")),
        back_single=~(pl.col("phy").is_in(AGGREGATING) | (pl.col("rate_max_mbps") > NON_HT_MBPS)),
        back_samples=pl.when(known).then("samples"),
    )
    return rows.join(back, on=list(LINK), how="left", nulls_equal=True, maintain_order="left")
