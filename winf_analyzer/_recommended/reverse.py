"""How the receiver of a link sends what it has to send to the sender: at its own rate, in its own PHY.

That is how the TCP ACKs of a flow travel. A receiver of 802.11n at 144 Mb/s whose own frames go out at 2 Mb/s pays more
for an ACK than the sender for a segment.
"""

import polars as pl

from winf_analyzer._mac.aggregation import AGGREGATING, NON_HT_MBPS
from winf_analyzer._recommended.evidence import LINK

MIN_AGGREGATING_MBPS = 6.5
"""The lowest rate of a PHY that aggregates (19.5): what goes slower on the average mostly goes without."""

VARIES = 3.0
"""Highest rate over the mean from which on the receiver may send its TCP ACKs at another rate than the mean."""

ENOUGH = 20
"""Samples from which on the receiver's rate is known: one frame may be a probe, or of before rate control settled."""


def with_reverse(rows: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """`rows` with what the link in the other direction shows over the whole recording; null where nothing was sent.

    `back_rate_mbps`: of its data, bits over time; `back_varies`: it has sent much faster, too; `back_plcp_us`: preamble
    and PHY header; `back_ack_us`: airtime of the MAC's answers; `back_single`: none of its PHYs aggregates, or hardly
    ever; `back_samples`.

    Args:
        rows: with :data:`.evidence.LINK`.
        links: :func:`.evidence.whole`.
    """
    known, answered = pl.col("psdu_us") > 0, pl.col("answers") > 0
    rate_mbps = pl.col("psdu_bits") / pl.col("psdu_us")
    back = links.select(
        *("source", "observer"),
        sender="receiver",
        receiver="sender",
        back_rate_mbps=pl.when(known).then(rate_mbps),
        back_plcp_us=pl.when(known).then(((pl.col("data_us") - pl.col("psdu_us")) / pl.col("samples")).clip(0)),
        back_ack_us=pl.when(answered).then(pl.col("ack_us") / pl.col("answers")),
        back_varies=pl.when(known).then(pl.col("rate_max_mbps") > VARIES * rate_mbps),
        back_single=~(pl.col("phy").is_in(AGGREGATING) | (pl.col("rate_max_mbps") > NON_HT_MBPS))
        | (known & (rate_mbps < MIN_AGGREGATING_MBPS)),
        back_samples=pl.when(known).then("samples"),
    )
    return rows.join(back, on=list(LINK), how="left", nulls_equal=True, maintain_order="left")
