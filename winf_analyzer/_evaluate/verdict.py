"""What a comparison comes to: estimators ranked by their error, one sentence, and rows that cannot but agree."""

from __future__ import annotations

import polars as pl

SAME = 0.01
"""Means that differ by less than this share are the same."""

IDLE_ENOUGH = 0.02
"""Share of the attainable throughput below which nothing was left: the flow saturated the link."""

CLOSE, FAIR = 0.1, 0.25
"""Mean absolute errors, as shares, up to which estimates are called close and rough."""


def ranked(overview: pl.DataFrame) -> pl.DataFrame:
    """The rows of an overview by log, link and quantity, the least error first, with a column `remark`.

    A row is a `tautology` where the recording was saturated by the flow itself: `attainable` is then the flow's own
    goodput, which is the truth, whatever the estimator says of the bandwidth that is left.

    Args:
        overview: :func:`.scoring.overview`.
    """
    keys = ["log", "sender", "receiver"]
    recorded = overview.filter(quantity="goodput").select(*keys, own_bps="estimate_bps", own_truth_bps="truth_bps")
    joined = overview.join(recorded.unique(keys, keep="first"), on=keys, how="left", nulls_equal=True)
    left = (pl.col("estimate_bps") - pl.col("own_bps")) / pl.col("estimate_bps")
    is_own = (pl.col("own_bps") / pl.col("own_truth_bps") - 1).abs() < SAME
    tautology = (pl.col("quantity") == "attainable") & is_own & (left.abs() < IDLE_ENOUGH)
    remark = (
        pl.when(pl.col("quantity") == "goodput").then(pl.lit("check of the alignment"))
        .when(tautology).then(pl.lit("tautology"))
        .otherwise(pl.lit(""))
    )  # fmt: skip
    order = pl.col("quantity").replace_strict(
        {"attainable": 0, "available": 0, "capacity": 1, "replayed": 2, "goodput": 3}, default=4
    )
    return (
        joined.with_columns(remark=remark.fill_null(""))
        .sort(*keys, order, "quantity", "mape", "estimator", nulls_last=True)
        .drop("own_bps", "own_truth_bps")
    )


def sentences(rows: pl.DataFrame) -> list[str]:
    """The verdict per log and link, from the rows of :func:`ranked`."""
    said = []
    for (log, sender, receiver), own in rows.group_by("log", "sender", "receiver", maintain_order=True):
        judged = own.filter(pl.col("quantity").is_in(["attainable", "available"]), pl.col("mape").is_not_null())
        real = judged.filter(pl.col("remark") == "")
        about = f"{log}, {sender} > {receiver}"
        if real.is_empty():
            why = (
                "the flow saturated the link, so attainable bandwidth is its own goodput and judges no estimator"
                if judged.height
                else "no estimate lies in a window of the log"
            )
            said.append(f"{about}: no verdict: {why}.")
            continue
        best = real.row(0, named=True)
        word = "close" if best["mape"] <= CLOSE else "rough" if best["mape"] <= FAIR else "far off"
        text = f"{about}: {_name(best)} is nearest, {word} (mean error {best['mape']:.0%})"
        recommended = real.filter(estimator="recommended")
        if recommended.height and best["estimator"] != "recommended":
            text += f"; the recommended answer is off by {recommended['mape'][0]:.0%}"
        if best["windows"] < 3:
            text += f"; this rests on {best['windows']} window{'s' if best['windows'] > 1 else ''}"
        said.append(f"{text}.")
    return said


def _name(row: dict[str, str]) -> str:
    has_modes = row["estimator"] != "recommended" and row["mode"]
    return f"{row['estimator']} ({row['mode']})" if has_modes else row["estimator"]
