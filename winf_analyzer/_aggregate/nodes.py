"""A node's estimate over all links on which it sends, or receives."""

from collections.abc import Callable

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum

FEW = 10_000
"""Rows of which all sums are made in order, sooner than it is found out which need it."""

_NODE = ("source", "observer", "node", "state", "window_start_ns")


def aggregate_node(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per node, state (sender, receiver) and window, without peer and link.

    Rates are harmonic means over the node's links, weighted with the bits each carried (`bits`, where the estimator
    gives them) or its exchanges: what a node gets that goes on dividing what it sends, or receives, as it did.

    Args:
        rows: of `estimates`, of one estimator and mode.
    """
    links = rows.filter(pl.col("state") != "onlooker", pl.col("sender").is_not_null(), pl.col("exchanges") > 0)
    if rows.height <= FEW:
        return _bounded(_means(links, ordered_sum).drop("links"))
    # Two floats have one sum whatever their order, and most nodes have no more links.
    means = _means(links, pl.Expr.sum)
    many = means.filter(pl.col("links") > 2).select(_NODE)
    if not many.is_empty():
        precise = _means(links.join(many, on=_NODE, how="semi", nulls_equal=True), ordered_sum)
        means = pl.concat([means.filter(pl.col("links") <= 2), precise])
    return _bounded(means.drop("links"))


def _bounded(means: pl.DataFrame) -> pl.DataFrame:
    """With no available bandwidth above the capacity: the two means may be of different links, where one is unknown."""
    if not {"capacity_bps", "available_bps"} <= set(means.columns):
        return means
    available, capacity = pl.col("available_bps"), pl.col("capacity_bps")
    return means.with_columns(available_bps=pl.when(available > capacity).then(capacity).otherwise(available))


def _means(links: pl.DataFrame, total: Callable[[pl.Expr], pl.Expr]) -> pl.DataFrame:
    weight = "bits" if "bits" in links.columns else "exchanges"
    same = [name for name in ("covered_ns", "idle_ratio") if name in links.columns]
    shares = [name for name in ("collision_probability",) if name in links.columns]
    rates = [name for name in ("capacity_bps", "available_bps") if name in links.columns]
    count = pl.col("exchanges")
    return links.group_by(_NODE).agg(
        *(pl.col(name).first() for name in same),
        *((total(pl.col(name) * count) / count.sum()).alias(name) for name in shares),
        *(_mean(name, weight, total) for name in rates),
        count.sum(),
        links=pl.len(),
    )


def _mean(rate: str, weight: str, total: Callable[[pl.Expr], pl.Expr]) -> pl.Expr:
    """Weighted harmonic mean of what is known; 0 if one is 0."""
    known = pl.col(weight).filter(pl.col(rate).is_not_null()).sum()
    return pl.when(known > 0).then(known / total(pl.col(weight) / pl.col(rate))).alias(rate)
