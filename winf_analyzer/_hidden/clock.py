"""How far the times of a recording can be believed: by overlaps that cannot be.

One radio sends one frame at a time, whatever number of addresses it has, and receives one at a time. Where stations of
one radio seem to begin while another of them sends, or frames overlap that one recorder cannot have received both, time
stamps err, and other overlaps of the recording may be errors, too.
"""

from __future__ import annotations

import polars as pl

ERROR_RATE = 1e-3
"""Share of a station's starts that may appear late although it hears the sender: carrier sense and clocks err."""

MAX_ERROR_RATE = 0.05
"""Times that err more often are no evidence: as for the verdict `unusable` about overlaps in the audit."""

TIMING = ("sifs", "overlap")
"""Checks of the audit without which there are no times."""


def error_rates(
    overlaps: pl.DataFrame, attempts: pl.DataFrame, radios: pl.DataFrame, audit: pl.DataFrame | None
) -> pl.DataFrame:
    """`source` and `error_rate`: the share of starts that appear late by error, for every source of `overlaps`.

    Args:
        overlaps: `source sender other late_starts`.
        attempts: `source sender attempts`.
        radios: `node radio`.
        audit: the table, or None.
    """
    shared = radios.filter(pl.len().over("radio") > 1)["node"].implode()
    late = overlaps.filter(_is_one_radio(radios)).group_by("source").agg(pl.col("late_starts").sum())
    starts = attempts.filter(pl.col("sender").is_in(shared)).group_by("source").agg(starts=pl.col("attempts").sum())
    own = late.join(starts, on="source").select("source", rate=pl.col("late_starts") / pl.col("starts").clip(1))
    rates = [own, *([] if audit is None else [_audited(audit)])]
    worst = pl.concat(rates).group_by("source").agg(pl.col("rate").max())
    sources = overlaps.select("source").unique().join(worst, on="source", how="left")
    return sources.select("source", error_rate=pl.col("rate").fill_null(0).clip(ERROR_RATE))


def of_different_radios(pairs: pl.DataFrame, radios: pl.DataFrame) -> pl.DataFrame:
    """The pairs `sender`, `other` that are not stations of one radio."""
    return pairs.filter(~_is_one_radio(radios))


def _is_one_radio(radios: pl.DataFrame) -> pl.Expr:
    names = {node: radio for node, radio in radios.iter_rows() if node != radio}
    return pl.col("sender").replace(names) == pl.col("other").replace(names)


def _audited(audit: pl.DataFrame) -> pl.DataFrame:
    """`source` and `rate`: the share of overlaps that cannot be; 1 where there are no times."""
    timing = audit.filter(pl.col("check").is_in(TIMING), pl.col("verdict").is_in(["good", "doubtful", "unusable"]))
    rate = pl.when(pl.col("verdict") == "unusable").then(1.0).when(pl.col("check") == "overlap").then("value")
    return timing.select("source", rate=rate.cast(pl.Float64)).drop_nulls()
