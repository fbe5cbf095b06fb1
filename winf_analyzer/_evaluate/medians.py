"""Estimates of a whole dataset in one row per link: medians over the windows."""

import polars as pl


def link_medians(estimates: pl.LazyFrame | pl.DataFrame) -> pl.DataFrame:
    """Medians over the windows, per link or path, state, observer and estimator, with the modes side by side.

    Args:
        estimates: rows of the `estimates` table, as `estimate` returns them or `Dataset.scan` reads them.

    Returns:
        `link` (the path, or ``SENDER > RECEIVER``), `state`, `observer`, `estimator`, `samples` (exchanges that the
        medians of one mode rest on), and for each mode ``MODE_capacity_bps`` and ``MODE_available_bps``, bit/s; most
        samples first. Windows without exchanges do not count. Columns without any value are left out.
    """
    estimates = estimates.lazy()
    keys = ["link", "state", "observer", "estimator"]
    present = estimates.select("estimator", "mode").unique().collect(engine="streaming")
    measures = ("capacity_bps", "available_bps")
    medians = [
        pl.col(name).filter(pl.col("mode") == mode).median().alias(f"{mode}_{name}")
        for mode in present["mode"].unique().sort()
        for name in measures
    ]
    samples = pl.col("exchanges").filter(pl.col("mode") == pl.col("mode").first()).sum().alias("samples")
    link = pl.coalesce("path", pl.format("{} > {}", "sender", "receiver"))
    linked = estimates.with_columns(link=link).filter(pl.col("link").is_not_null(), pl.col("exchanges") > 0)
    # One estimator at a time, because a median holds all its values in memory.
    parts = [
        linked.filter(estimator=name)
        .select(*keys, "mode", *measures, "exchanges")
        .collect()
        .group_by(keys)
        .agg(samples, *medians)
        for name in present["estimator"].unique().sort()
    ]
    rows = pl.concat(parts) if parts else linked.group_by(keys).agg(samples, *medians).collect()
    rows = rows.sort("samples", *keys, descending=[True, *[False] * len(keys)], nulls_last=True)
    return rows.drop(name for name in rows.columns if rows[name].null_count() == rows.height)
