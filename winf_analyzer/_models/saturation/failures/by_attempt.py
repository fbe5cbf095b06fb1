"""Links whose first attempts fail more often than repetitions.

Senders repeat what failed at another rate: the first attempts of a link may hardly ever arrive, and the second ones
always. The models take every attempt to fail as often as the mean of all, and to last as long as those that succeed.
With the same number of attempts per packet that has longer contention windows, since some packets fail many times,
where none was seen to; and slower attempts, where those that fail go at higher rates.
"""

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._models.saturation.recorded.exchange_sums import STAGES

SUMS = (
    *("first_alone", "first_alone_failed", "alone", "alone_failed", "alone_windows", "alone_failed_ns"),
    *("aggregating", "done", "air_ns", "answer_ns", "slot_ns", "window_slots", "accesses"),
)

MIN_ATTEMPTS = 30
"""First ones, and others, of a link that is judged."""

MORE = 0.2
"""By how much the shares that fail must differ, beyond what chance explains."""

CHANCE = 3.0
"""Standard deviations of chance."""

BELIEVED = (-0.5, 2.0)
"""Within which the result is believed."""


def quicker(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver quicker`: by which share of their time packets take less than the models have it.

    Of the links of single frames whose first attempts fail more often; of others there is no row. `links`: sums per
    window and link.
    """
    sums = links.group_by("medium", *windows.LINK).agg(pl.col(SUMS).sum())
    sums = sums.filter(
        pl.col("first_alone") >= MIN_ATTEMPTS,
        pl.col("alone") - pl.col("first_alone") >= MIN_ATTEMPTS,
        pl.col("aggregating") * 2 <= pl.col("done"),
        pl.col("done") > 0,
    )
    later, later_failed = pl.col("alone") - pl.col("first_alone"), pl.col("alone_failed") - pl.col("first_alone_failed")
    rows = sums.with_columns(
        share=quotient(pl.col("alone_failed"), pl.col("alone")).clip(0, 0.95),
        first=quotient(pl.col("first_alone_failed"), pl.col("first_alone")),
        later=quotient(later_failed, later).clip(0, 0.95),
        window=quotient(pl.col("window_slots"), pl.col("accesses")),
        slot=quotient(pl.col("slot_ns"), pl.col("accesses")),
        exchange=quotient(pl.col("air_ns"), pl.col("done")),
        # The medium is as long without an answer.
        failed_exchange=quotient(pl.col("alone_failed_ns"), pl.col("alone_failed"))
        + quotient(pl.col("answer_ns"), pl.col("accesses")),
    )
    variance = _variance("first", pl.col("first_alone")) + _variance("later", later)
    rows = rows.filter(pl.col("first") - pl.col("later") > MORE + CHANCE * variance.sqrt())
    # Slots of backoff of a packet, with attempts that fail alike, and in the windows of those that were seen.
    alike = pl.lit(0.0)
    for number in range(STAGES + 1):
        alike = alike + pl.col("share").pow(number) * (pl.col("window") * 2.0**number - 1) / 2
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


def _variance(share: str, attempts: pl.Expr) -> pl.Expr:
    return quotient(pl.col(share) * (1 - pl.col(share)), attempts)
