"""Links whose repetitions fail more often than first attempts: what destroys them lasts longer than an attempt.

Frames of stations that the sender does not hear, what is no Wi-Fi, a fade. A packet of light traffic meets that as
often as it is there, and its repetitions meet it again. Of a saturated sender all attempts of that time are those of
one packet, and the next finds it over. It delivers in the rest: of packets that come at random times, the share whose
first attempt arrives. The models take every attempt to fail as often as the mean of all, repetitions included, and to
back off for it while the medium would be free.
"""

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._models.saturation.failures import first_and_later

MORE = 0.1
"""By how much the shares that fail must differ, and by more than chance explains."""

MAX_LASTING = 2.0
"""Share by which more is delivered that is believed."""


def outlasted(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver lasting`: by which share of it more is delivered than the models have it.

    Of the links of single frames whose repetitions fail more often; of others there is no row. `links`: sums per
    window and link.
    """
    more = pl.col("later") - pl.col("first")
    rows = first_and_later.compared(links).filter(more > MORE, more > first_and_later.chance())
    # What a packet takes whose attempts fail alike, and one that meets nothing.
    alike_ns = quotient(pl.col("exchange"), 1 - pl.col("share")) + first_and_later.slots_if_alike() * pl.col("slot")
    once_ns = pl.col("exchange") + (pl.col("window") - 1) / 2 * pl.col("slot")
    times = quotient(alike_ns * (1 - pl.col("first")), once_ns)
    return rows.select("medium", *windows.LINK, lasting=(times - 1).clip(0, MAX_LASTING))


def more() -> pl.Expr:
    """That share, and 0 beside stations that are hidden, or not heard but for the answers to them.

    These contend: what a saturated sender destroys of theirs they send again, into its frames. Their simulation has
    that, and where too few frames met to tell that they are hidden, every attempt of a saturated sender meets as many.
    """
    return (
        pl.when(pl.col("beside_hidden") | pl.col("beside_unheard"))
        .then(0.0)
        .otherwise(pl.col("lasting").fill_null(0.0))
    )
