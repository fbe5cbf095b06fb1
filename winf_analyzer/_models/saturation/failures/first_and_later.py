"""First attempts of links beside their repetitions, over a whole recording."""

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._models.saturation.recorded.exchange_sums import STAGES

MIN_ATTEMPTS = 30
"""First ones, and others, of a link that is judged."""

CHANCE = 3.0
"""Standard deviations of chance by which the shares that fail must differ."""

MAX_FAILED_SHARE = 0.95

_SUMS = (
    *("first_alone", "first_alone_failed", "alone", "alone_failed"),
    *("aggregating", "done", "air_ns", "slot_ns", "window_slots", "accesses"),
)


def first_lost(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver first_lost`: the share of first attempts that fails, where later ones surely fail more.

    Of single MPDUs, whoever sends aggregates besides. What the channel loses it loses of both alike; beside a hidden
    station a repetition comes while that one's frame is still under way, or is repeated itself.
    """
    rows = _shares(links.group_by("medium", *windows.LINK).agg(pl.col(_SUMS).sum()).filter(_enough()))
    more = pl.col("later") - pl.col("first") > chance()
    return rows.filter(more).select("medium", *windows.LINK, first_lost="first")


def compared(links: pl.DataFrame, *more: str) -> pl.DataFrame:
    """The links of single frames with enough attempts of both kinds.

    `medium sender receiver`, their sums, those named `more` as well; the shares of all attempts, of `first` and of
    `later` ones that fail (`share first later`); and what an access has, `window` in slots, `slot` and `exchange` in
    nanoseconds.

    Args:
        links: sums per window and link.
        more: names of further sums.
    """
    sums = links.group_by("medium", *windows.LINK).agg(pl.col(*_SUMS, *more).sum())
    singly = pl.col("aggregating") * 2 <= pl.col("done")
    sums = sums.filter(_enough(), singly, pl.col("done") > 0)
    return _shares(sums).with_columns(
        share=quotient(pl.col("alone_failed"), pl.col("alone")).clip(0, MAX_FAILED_SHARE),
        window=quotient(pl.col("window_slots"), pl.col("accesses")),
        slot=quotient(pl.col("slot_ns"), pl.col("accesses")),
        exchange=quotient(pl.col("air_ns"), pl.col("done")),
    )


def _enough() -> pl.Expr:
    later = pl.col("alone") - pl.col("first_alone")
    return (pl.col("first_alone") >= MIN_ATTEMPTS) & (later >= MIN_ATTEMPTS)


def _shares(sums: pl.DataFrame) -> pl.DataFrame:
    later, later_failed = pl.col("alone") - pl.col("first_alone"), pl.col("alone_failed") - pl.col("first_alone_failed")
    return sums.with_columns(
        first=quotient(pl.col("first_alone_failed"), pl.col("first_alone")),
        later=quotient(later_failed, later).clip(0, MAX_FAILED_SHARE),
    )


def chance() -> pl.Expr:
    """By how much the shares of rows of :func:`compared` may differ by chance."""
    later = pl.col("alone") - pl.col("first_alone")
    return CHANCE * (_variance("first", pl.col("first_alone")) + _variance("later", later)).sqrt()


def slots_if_alike() -> pl.Expr:
    """Slots of backoff of a packet whose attempts fail alike."""
    slots = pl.lit(0.0)
    for number in range(STAGES + 1):
        slots = slots + pl.col("share").pow(number) * (pl.col("window") * 2.0**number - 1) / 2
    return slots


def _variance(share: str, attempts: pl.Expr) -> pl.Expr:
    return quotient(pl.col(share) * (1 - pl.col(share)), attempts)
