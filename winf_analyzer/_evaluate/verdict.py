"""What a comparison comes to: estimators ranked by their error, one sentence, and rows that cannot but agree."""

from __future__ import annotations

import polars as pl

from winf_analyzer._evaluate.scoring import OVERVIEW_KEYS, nearest, overview
from winf_analyzer._evaluate.validation.backlog import IDLE_SHARE

VIEW = ("source", "observer", "node", "state")
"""Columns that tell who saw it."""

SAME = 0.01
"""Means that differ by less than this share are the same."""

IDLE_ENOUGH = 0.02
"""Share of the attainable throughput below which nothing was left: the flow saturated the link."""

CLOSE, FAIR = 0.1, 0.25
"""Mean absolute errors, as shares of the mean truth, up to which estimates are called close and rough."""


def ranked(scores: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """The rows of :func:`.scoring.overview` by log, link and quantity, the least error first, with a column `remark`.

    A row is a `tautology` where the recording was saturated by the flow itself: `attainable` is then the flow's own
    goodput, which is the truth, whatever the estimator says of the bandwidth that is left. It is `not saturating`
    where the recorded flow left its sender idle for more of the time than :data:`.validation.backlog.IDLE_SHARE`: its
    goodput is then a lower bound, not the truth.

    Args:
        scores: the `scores` table.
        windows: the `comparison` table.
    """
    keys = ["log", "sender", "receiver"]
    views = nearest(scores).select(*OVERVIEW_KEYS, *VIEW)
    own = views.join(_own(windows), on=[*OVERVIEW_KEYS, *VIEW], how="inner", nulls_equal=True)
    joined = overview(scores).join(own.drop(VIEW), on=OVERVIEW_KEYS, how="left", nulls_equal=True)
    is_own = (pl.col("own_bps") / pl.col("own_truth_bps") - 1).abs() < SAME
    tautology = is_own & (pl.col("left_bps").abs() < IDLE_ENOUGH * (pl.col("own_bps") + pl.col("left_bps")))
    remark = (
        pl.when(pl.col("quantity") == "goodput").then(pl.lit("check of the alignment"))
        .when(tautology).then(pl.lit("tautology"))
        .when(pl.col("quantity").is_in(["attainable", "capacity"]) & (pl.col("sender_idle_share") > IDLE_SHARE))
        .then(pl.lit("not saturating"))
        .otherwise(pl.lit(""))
    )  # fmt: skip
    order = pl.col("quantity").replace_strict(
        {"attainable": 0, "available": 0, "capacity": 1, "replayed": 2, "goodput": 3}, default=4
    )
    return (
        joined.with_columns(remark=remark.fill_null(""))
        .sort(*keys, order, "quantity", pl.col("mae_bps") / pl.col("truth_bps"), "estimator", nulls_last=True)
        .drop("own_bps", "own_truth_bps", "left_bps")
    )


def _own(windows: pl.DataFrame) -> pl.DataFrame:
    """Means per row of `attainable` over the windows for which the flow's goodput is known too.

    `own_bps` is the goodput, `own_truth_bps` its truth, `left_bps` what was left besides.
    """
    place = ["log", "sender", "receiver", "source", "observer", "t_ns", "window_ns"]
    recorded = windows.filter(quantity="goodput").select(*place, own_bps="estimate_bps")
    attainable = windows.filter(quantity="attainable").join(recorded, on=place, how="inner", nulls_equal=True)
    return attainable.group_by(*OVERVIEW_KEYS, *VIEW, maintain_order=True).agg(
        pl.col("own_bps").mean(),
        own_truth_bps=pl.col("truth_bps").mean(),
        left_bps=(pl.col("estimate_bps") - pl.col("own_bps")).mean(),
    )


def sentences(rows: pl.DataFrame) -> list[str]:
    """The verdict per log and link, from the rows of :func:`ranked`."""
    said = []
    for (log, sender, receiver), own in rows.group_by("log", "sender", "receiver", maintain_order=True):
        judged = own.filter(pl.col("quantity").is_in(["attainable", "available"]), pl.col("mae_bps").is_not_null())
        real = judged.filter(pl.col("remark") == "")
        about = f"{log}, {sender} > {receiver}"
        if real.is_empty() or "tautology" in judged["remark"]:
            # The flow saturated the link: estimators that are right are marked, so the nearest of the others is wrong.
            said.append(f"{about}: no verdict: {_why_not(judged)}.")
            continue
        best = real.row(0, named=True)
        word = "close" if _error(best) <= CLOSE else "rough" if _error(best) <= FAIR else "far off"
        text = f"{about}: {_name(best)} is nearest, {word} (mean error {_error(best):.0%} of the mean truth)"
        recommended = real.filter(estimator="recommended")
        if recommended.height and best["estimator"] != "recommended":
            text += f"; the recommended answer is off by {_error(recommended.row(0, named=True)):.0%}"
        if best["windows"] < 3:
            text += f"; this rests on {best['windows']} window{'s' if best['windows'] > 1 else ''}"
        said.append(f"{text}.")
    return said


def _error(row: dict[str, float]) -> float:
    """Of the mean truth: a window in which next to nothing was delivered weighs no more than the others."""
    return row["mae_bps"] / row["truth_bps"] if row["truth_bps"] else float("inf")


def _why_not(judged: pl.DataFrame) -> str:
    """Why no row of a link judges an estimator."""
    if judged.is_empty():
        return "no estimate lies in a window of the log"
    if "tautology" in judged["remark"]:
        return "the flow saturated the link, so attainable bandwidth is its own goodput and judges no estimator"
    idle: float = judged.select(pl.col("sender_idle_share").max()).item()
    return (
        f"the sender had nothing to send for up to {idle:.0%} of the time, by its "
        "backoff, so the flow's goodput is only a lower bound; record a flow that fills the link"
    )


def _name(row: dict[str, str]) -> str:
    has_modes = row["estimator"] != "recommended" and row["mode"]
    return f"{row['estimator']} ({row['mode']})" if has_modes else row["estimator"]
