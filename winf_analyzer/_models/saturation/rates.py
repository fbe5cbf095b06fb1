"""Capacity, available bandwidth and its 90 % interval, of what a backlogged sender delivers."""

import polars as pl

from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer._models.saturation.contention import own_links
from winf_analyzer._models.saturation.interval import bounds, refusals

BELOW_OWN = 0.25
"""Share of its own traffic by which a sender's result may lie below it before the model is refused."""

LESS = ("added_singly", "added_lost", "added_held")
MORE = ("added_free", "added_most", "added_answered", "added_equally")
"""Other readings of the recording, to which the interval reaches."""


def rates(rows: pl.DataFrame, caveats: pl.Expr) -> pl.DataFrame:
    """Estimates of the links.

    Args:
        rows: of :class:`.Cases`, with `per_s`, packets delivered, and `margin`, half the interval as a share of that;
            :data:`.other_readings.NAMES`; `undecided`; `answers`, whether they may be what was lost; and
            what the caveats read.
        caveats: list of codes.
    """
    exchange_s = pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")
    alone_s = exchange_s + (pl.col("window") - 1) / 2 * pl.col("slot_s")
    capacity = pl.col("packets_max") / alone_s * pl.col("packet_bits")
    own = pl.col("packets_per_s") * pl.col("own_left") * pl.col("as_of_the_link") * pl.col("packet_bits")
    total = pl.col("per_s") * pl.col("packet_bits")
    # In steps of columns: an expression that holds others is copied, and planned, wherever it is used.
    rows = rows.with_columns(as_of_the_link=own_links.as_of_the_link(rows))
    rows = rows.with_columns(
        capacity_bps=capacity * pl.col("rate_factor"),
        capacity_most_bps=capacity * pl.col("rate_factor_most"),
        added=total - own,
        added_singly=pl.col("single_bps") * (1 - pl.col("margin")) - own,
        # If the sender misses answers: an aggregate that arrived is not sent again.
        added_answered=pl.when("answers").then(total / (1 - pl.col("loss")) - own),
        added_equally=pl.col("equals_per_s") * pl.col("packet_bits") - own,
        added_lost=total * (1 - pl.col("unrepeated")) * (1 - pl.col("margin")) - own,
        added_held=pl.col("held_bps") * (1 - pl.col("margin")) - own,
        added_free=pl.col("free_bps") * (1 + pl.col("margin")) - own,
        added_most=pl.col("most_bps") * (1 + pl.col("margin")) - own,
        margin=pl.col("margin") * pl.col("per_s") * pl.col("packet_bits"),
        own=own,
    )
    # All that the medium has, if the hidden stations give way.
    rows = rows.with_columns(added_most=pl.when("undecided").then("capacity_bps").otherwise("added_most"))
    rows = rows.with_columns(_finite("capacity_bps"), _finite("capacity_most_bps"), _finite("margin"))
    # What a sender delivers anyway it can deliver.
    below_own = pl.col("added") < -pl.max_horizontal("margin", BELOW_OWN * pl.col("own"))
    reasons = [*refusals.of_link(), pl.when(below_own.fill_null(False)).then(pl.lit(refusals.BELOW_OWN_TRAFFIC))]
    rows = rows.with_columns(
        *map(_finite, ("added", *LESS, *MORE)),
        refused=pl.concat_list(reasons).list.drop_nulls(),
    )
    rows = rows.with_columns(known=pl.col("refused").list.len() == 0)
    rows = rows.with_columns(
        available_bps=pl.when("known").then(pl.col("added").clip(0, pl.col("capacity_bps"))),
        capacity_bps=pl.when(pl.col("cost_known").fill_null(False)).then("capacity_bps"),
        margin=pl.when("known").then("margin"),
        reason=pl.concat_list("refused", caveats).list.unique(maintain_order=True).list.join(","),
    )
    return rows.select(
        *WINDOW,
        *LINK,
        "aggregates",
        exchange_s.alias("exchange_s"),
        pl.col("attempts", "failed", "covered_ns").cast(pl.Int64),
        pl.col("carried").cast(pl.Int64).alias("exchanges"),
        "capacity_bps",
        "available_bps",
        available_low_bps=pl.min_horizontal(
            (pl.col("available_bps") - pl.col("margin")).clip(0),
            pl.when("known").then(pl.min_horizontal(LESS).clip(0)),
        ),
        available_high_bps=pl.max_horizontal(
            pl.min_horizontal(
                pl.col("available_bps") + pl.col("margin"),
                pl.max_horizontal("available_bps", (1 + bounds.CAPACITY) * pl.col("capacity_most_bps")),
            ),
            pl.when("known").then(pl.max_horizontal(MORE)),
        ),
        reason=pl.when(pl.col("reason") != "").then("reason").cast(pl.Categorical),
    )


def _finite(rate: str) -> pl.Expr:
    """Unknown where a damaged recording makes it no number, or a negative capacity."""
    return pl.when(pl.col(rate).is_finite()).then(pl.col(rate).clip(0))
