"""Whether a station of which only the answers to it are heard is hidden from the recorder, or was only not recorded.

The recorder's own attempts tell, as for hidden pairs (:mod:`winf_analyzer._hidden.expected`): beside a hidden station
many fail. Where far fewer failed, the station heard the recorder and waited. Attempts whose answer only the recorder
missed did not fail: they were not repeated.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._hidden.expected import contradicted, overlap


def in_range(links: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """`medium sender in_range`, from the sums per window and link.

    A sniffer that belongs to nobody (`observer` null) may be out of range of stations that hear one another: for it all
    are in range.
    """
    covered = links.select("medium", "window_start_ns", "covered_ns").unique()
    covered = covered.group_by("medium").agg(pl.col("covered_ns").sum())
    counts = (
        *("accesses", "unheard", "done", "with_rts", "first_ns", "carried_air_ns", "carried"),
        *("silent_numbered", "retries"),
    )
    sums = links.group_by("medium", "sender").agg(pl.col(counts).sum()).join(covered, on="medium")
    sums = sums.join(media.select("medium", "observer"), on="medium")
    own = (pl.col("sender") == pl.col("observer")).fill_null(False)
    failed = (pl.col("accesses") - pl.col("done") - not_repeated()).clip(0)
    attempts, failed = (value.filter(own).sum().over("medium") for value in (pl.col("accesses"), failed))
    first_ns = pl.col("first_ns").filter(own).sum().over("medium") / attempts.clip(1)
    data_ns = pl.col("carried_air_ns").filter(own).sum().over("medium")
    data_ns = data_ns / pl.col("carried").filter(own).sum().over("medium").clip(1)
    rate = quotient(pl.col("unheard"), pl.col("covered_ns").clip(1))
    rts_ns = pl.when(pl.col("with_rts") * 2 > pl.col("accesses")).then(pl.col("first_ns") / pl.col("accesses").clip(1))
    hears = contradicted(attempts, failed, overlap(rate, first_ns, pl.coalesce(rts_ns, data_ns)))
    return sums.select("medium", "sender", in_range=pl.col("observer").is_null() | hears)


def not_repeated() -> pl.Expr:
    """Attempts without an answer that were not repeated, but for the last before the end of the recording."""
    return (pl.col("silent_numbered") - pl.col("retries") - 1).clip(0)
