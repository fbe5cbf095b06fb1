"""A node's estimate over all links on which it sends, or receives."""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum


def aggregate_node(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per node, state (sender, receiver) and window, without peer and link.

    Rates are harmonic means over the node's links, weighted with the bits each carried (`bits`, where the estimator
    gives them) or its exchanges: what a node gets that goes on dividing what it sends, or receives, as it did.

    Args:
        rows: of `estimates`, of one estimator and mode, in a fixed order.
    """
    weight = "bits" if "bits" in rows.columns else "exchanges"
    keys = ["source", "observer", "node", "state", "window_start_ns"]
    links = rows.filter(pl.col("state") != "onlooker", pl.col("sender").is_not_null(), pl.col("exchanges") > 0)
    same = [name for name in ("covered_ns", "idle_ratio") if name in rows.columns]
    shares = [name for name in ("collision_probability",) if name in rows.columns]
    rates = [name for name in ("capacity_bps", "available_bps") if name in rows.columns]
    return links.group_by(keys).agg(
        *(pl.col(name).first() for name in same),
        *((ordered_sum(pl.col(name) * pl.col("exchanges")) / pl.col("exchanges").sum()).alias(name) for name in shares),
        *(_mean(name, weight) for name in rates),
        pl.col("exchanges").sum(),
    )


def _mean(rate: str, weight: str) -> pl.Expr:
    """Weighted harmonic mean of what is known; 0 if one is 0."""
    total = pl.col(weight).filter(pl.col(rate).is_not_null()).sum()
    return pl.when(total > 0).then(total / ordered_sum(pl.col(weight) / pl.col(rate))).alias(rate)
