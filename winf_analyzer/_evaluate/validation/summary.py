"""Validation by recorder."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._evaluate.validation import Validation

ALL = "all recorders"


def by_recorder(validation: Validation) -> pl.DataFrame:
    """One row per recorder and method, and one per method for all.

    Columns: `recorder recordings` (read), `links spells` (found), `method predicted` (spells with a prediction) `median
    p90` (of the absolute error) `bias` (median error) `coverage` (of the intervals). Each spell counts once.
    """
    import polars as pl

    from winf_analyzer._evaluate.validation.predictions import METHODS

    recordings = validation.recordings.group_by("recorder").agg(
        recordings=pl.len(), links=pl.col("links").sum(), spells=pl.col("spells").sum()
    )
    total = recordings.select(pl.lit(ALL).alias("recorder"), pl.exclude("recorder").sum())
    counts = pl.concat([recordings.sort("recorder"), total]).join(pl.DataFrame({"method": list(METHODS)}), how="cross")
    rows = pl.concat([validation.spells, validation.spells.with_columns(recorder=pl.lit(ALL))])
    error = pl.col("error").abs()
    scores = rows.group_by("recorder", "method").agg(
        predicted=pl.col("predicted_bps").count(),
        median=error.median(),
        p90=error.quantile(0.9, "linear"),
        bias=pl.col("error").median(),
        coverage=pl.col("covered").mean(),
    )
    return counts.join(scores, on=["recorder", "method"], how="left", maintain_order="left").with_columns(
        pl.col("predicted").fill_null(0)
    )
