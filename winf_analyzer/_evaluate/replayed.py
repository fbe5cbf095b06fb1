"""What replays of the recording gave to its flows over time."""

from collections.abc import Collection

import polars as pl

from winf_analyzer._dataset.dataset import Dataset

REPLAYED = "replayed"
"""The quantity that a replay's throughput is compared as."""


def throughput(dataset: Dataset) -> pl.LazyFrame:
    """The throughput of every flow in every replay that ran in the recording's world, on the recording's clock.

    Returns `replay_id`, `controller`, `mode`, `flow`, `t_ns`, `window_ns`, `value`: transport payload, bit/s, the mean
    over the seeds. Replays of declared topologies have no place on that clock and are left out.
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


def of_flows(replays: pl.LazyFrame, shares: Collection[tuple[str, float]]) -> pl.DataFrame:
    """What each controller gave to some flows together, as MSDU payload, in the form that estimates are compared in.

    Args:
        replays: what `throughput` returns.
        shares: per flow, its name in the recording and the share of an MSDU that is transport payload.
    """
    together = pl.DataFrame(list(shares), schema={"flow": pl.String, "share": pl.Float64}, orient="row").unique()
    run = ["replay_id", "controller", "mode", "t_ns", "window_ns"]
    given = (
        replays.join(together.lazy(), on="flow")
        .group_by(run)
        .agg(value=(pl.col("value") / pl.col("share")).sum(), flows=pl.len())
        # Of flows compared together a replay must have studied all.
        .filter(pl.col("flows") == together.height)
        .sort(run)
        .collect(engine="streaming")
    )
    return given.select(
        estimator="controller",
        mode="mode",
        quantity=pl.lit(REPLAYED),
        source="replay_id",
        t_ns="t_ns",
        window_ns="window_ns",
        value="value",
    )
