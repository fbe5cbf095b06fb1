"""A node's estimate over all links on which it sends, or receives."""

import polars as pl

from winf_analyzer._aggregate.sort_keys import grouped

_NODE = ("source", "observer", "node", "state", "window_start_ns")


def aggregate_node(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per node, state (sender, receiver) and window, without peer and link.

    Rates are harmonic means over the node's links, weighted with the bits each carried (`bits`, where the estimator
    gives them) or its exchanges: what a node gets that goes on dividing what it sends, or receives, as it did.

    Args:
        rows: of `estimates`, of one estimator and mode.
    """
    links = rows.filter(pl.col("state") != "onlooker", pl.col("sender").is_not_null(), pl.col("exchanges") > 0)
    return _bounded(_means(links))


def _bounded(means: pl.DataFrame) -> pl.DataFrame:
    """With no available bandwidth above the capacity: the two means may be of different links, where one is unknown."""
    if not {"capacity_bps", "available_bps"} <= set(means.columns):
        return means
    available, capacity = pl.col("available_bps"), pl.col("capacity_bps")
    return means.with_columns(available_bps=pl.when(available > capacity).then(capacity).otherwise(available))


def _means(links: pl.DataFrame) -> pl.DataFrame:
    weight = "bits" if "bits" in links.columns else "exchanges"
    same = [name for name in ("covered_ns", "idle_ratio") if name in links.columns]
    shares = [name for name in ("collision_probability",) if name in links.columns]
    rates = [name for name in ("capacity_bps", "available_bps") if name in links.columns]
    sums = {name: pl.col(name) * pl.col("exchanges") for name in shares}
    sums |= {name: pl.col(weight) / pl.col(name) for name in rates}
    known = {f"{name}_known": pl.col(weight).filter(pl.col(name).is_not_null()).sum() for name in rates}
    first = {name: pl.col(name).first() for name in same}
    found = grouped(links, _NODE, sums, **first, **known, exchanges=pl.col("exchanges").sum())
    means = {name: pl.col(name) / pl.col("exchanges") for name in shares}
    means |= {name: _mean(f"{name}_known", name) for name in rates}
    return found.with_columns(**means).drop(known)


def _mean(known: str, sum_of_times: str) -> pl.Expr:
    """Weighted harmonic mean of what is known; 0 if one is 0."""
    return pl.when(pl.col(known) > 0).then(pl.col(known) / pl.col(sum_of_times))
