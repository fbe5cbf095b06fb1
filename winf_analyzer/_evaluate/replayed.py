"""Throughput of flows over time in replays of the recording."""

from collections.abc import Collection

import polars as pl

from winf_analyzer._dataset.dataset import Dataset

REPLAYED = "replayed"
"""Name of the quantity in the `comparison` table."""


def replay_throughput(dataset: Dataset) -> pl.LazyFrame:
    """The throughput of every flow in every replay of the recording, on the recording's clock.

    Returns `replay_id`, `controller`, `mode`, `flow`, `t_ns`, `window_ns`, `value`: transport payload, bit/s, mean over
    the seeds. Replays of declared worlds have no time on this clock and are left out.
    """
    run = ["replay_id", "controller", "mode", "seed", "flow"]
    origins = dataset.scan("replay_summary").select(*run, "origin_ns").drop_nulls("origin_ns").unique(run)
    bins = dataset.scan("replay_flows").select(*run, "t_ns", "width_ns", "throughput_bps")
    keys = [name for name in run if name != "seed"]
    return (
        bins.join(origins, on=run)
        .group_by(*keys, t_ns=pl.col("t_ns") + pl.col("origin_ns"), window_ns="width_ns")
        .agg(value=pl.col("throughput_bps").mean())
        .with_columns(pl.col(name).cast(pl.String) for name in keys)
    )


def replayed_rates(replays: pl.LazyFrame, shares: Collection[tuple[str, float]]) -> pl.DataFrame:
    """The total throughput of some flows under each controller, as MSDU payload, as rows like those of estimates.

    Args:
        replays: the result of `replay_throughput`.
        shares: per flow, its name in the recording and the share of an MSDU that is transport payload.
    """
    shares_by_flow = pl.DataFrame(list(shares), schema={"flow": pl.String, "share": pl.Float64}, orient="row").unique()
    run = ["replay_id", "controller", "mode", "t_ns", "window_ns"]
    rates = (
        replays.join(shares_by_flow.lazy(), on="flow")
        .group_by(run)
        .agg(value=(pl.col("value") / pl.col("share")).sum(), flows=pl.len())
        # Only replays that include all of the flows.
        .filter(pl.col("flows") == shares_by_flow.height)
        .sort(run)
        .collect(engine="streaming")
    )
    return rates.select(
        estimator="controller",
        mode="mode",
        quantity=pl.lit(REPLAYED),
        source="replay_id",
        t_ns="t_ns",
        window_ns="window_ns",
        value="value",
    )
