"""Windows of so many links that not every one is solved for, as where somebody makes up an address for every frame.

Fewer than :data:`.refusals.MIN_SAMPLES` samples are no estimate, whoever the neighbours of the link are. In a crowd it
is not solved for; what it sent counts for all others as before.
"""

import polars as pl

from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer._models.saturation.interval import refusals

MAX_LINKS = 1024
"""Links of a window that are all solved for: more than a channel has stations that deliver something in a second."""

_NUMBERS = ("exchange_s", "capacity_bps", "available_bps", "available_low_bps", "available_high_bps")


def solved_for(links: pl.DataFrame) -> pl.DataFrame:
    """The links of all windows, without those of crowded ones that delivered hardly anything in the recording."""
    return links if _has_room(links) else links.filter(~_is_left_out())


def left_out(links: pl.DataFrame) -> pl.DataFrame:
    """The others that carried something, as :func:`.rates.rates` has links without an answer: `few_samples`."""
    rows = links.filter(_is_left_out() & _carries()) if not _has_room(links) else links.clear()
    return rows.select(
        *WINDOW,
        *LINK,
        pl.col("attempts", "failed", "covered_ns").cast(pl.Int64),
        pl.col("carried").cast(pl.Int64).alias("exchanges"),
        pl.lit(refusals.FEW_SAMPLES).cast(pl.Categorical).alias("reason"),
        aggregates=pl.lit(value=False),
        **dict.fromkeys(_NUMBERS, pl.lit(None, pl.Float64)),
    )


def _has_room(links: pl.DataFrame) -> bool:
    return links.is_empty() or bool(links.group_by(WINDOW).len().select((pl.col("len") <= MAX_LINKS).all()).item())


def _carries() -> pl.Expr:
    """Whether anything is to be solved for: frames to groups show no capacity."""
    return pl.col("receiver").is_not_null() & (pl.col("carried") > 0)


def _is_left_out() -> pl.Expr:
    few = pl.col("carried").sum().over("medium", *LINK) < refusals.MIN_SAMPLES
    return (pl.len().over(WINDOW) > MAX_LINKS) & (few | ~_carries())
