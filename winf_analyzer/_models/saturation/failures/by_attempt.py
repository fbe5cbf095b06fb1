"""Links whose first attempts fail more often than repetitions.

Senders repeat what failed at another rate: the first attempts of a link may hardly ever arrive, and the second ones
always. The models take every attempt to fail as often as the mean of all, and to last as long as those that succeed.
With the same number of attempts per packet that has longer contention windows, since some packets fail many times,
where none was seen to; and slower attempts, where those that fail go at higher rates.
"""

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._models.saturation.failures import first_and_later

MORE = 0.2
"""By how much the shares that fail must differ, beyond what chance explains."""

BELIEVED = (-0.5, 2.0)
"""Within which the result is believed."""


def quicker(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver quicker`: by which share of their time packets take less than the models have it.

    Of the links of single frames whose first attempts fail more often; of others there is no row. `links`: sums per
    window and link.
    """
    rows = first_and_later.compared(links, "alone_windows", "alone_failed_ns", "answer_ns")
    rows = rows.filter(pl.col("first") - pl.col("later") > MORE + first_and_later.chance())
    # The medium is as long without an answer.
    failed_ns = quotient(pl.col("alone_failed_ns"), pl.col("alone_failed"))
    rows = rows.with_columns(failed_exchange=failed_ns + quotient(pl.col("answer_ns"), pl.col("accesses")))
    # Slots of backoff of a packet, with attempts that fail alike, and in the windows of those that were seen.
    alike = first_and_later.slots_if_alike()
    per_attempt = (pl.col("window") * quotient(pl.col("alone_windows"), pl.col("alone")) - 1) / 2
    attempts = quotient(pl.lit(1.0), 1 - pl.col("share"))
    rows = rows.with_columns(
        backoff_ns=per_attempt * attempts * pl.col("slot"),
        backoff_more_ns=(alike - per_attempt * attempts) * pl.col("slot"),
        failed_more_ns=(attempts - 1) * (pl.col("exchange") - pl.col("failed_exchange")),
    )
    more_ns = pl.col("backoff_more_ns") + pl.col("failed_more_ns")
    packet_ns = pl.col("exchange") * attempts - pl.col("failed_more_ns") + pl.col("backoff_ns")
    return rows.select("medium", *windows.LINK, quicker=quotient(more_ns, packet_ns).clip(*BELIEVED))
