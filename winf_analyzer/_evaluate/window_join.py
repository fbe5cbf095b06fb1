"""Estimates and truth side by side, over the same windows of the same link."""

from collections.abc import Sequence

import polars as pl

from winf_analyzer._evaluate.align import Placed
from winf_analyzer._evaluate.recorded import Link, Recorded
from winf_analyzer._evaluate.replayed import of_flows
from winf_analyzer._evaluate.schema import COMPARISON_SCHEMA
from winf_analyzer._evaluate.series import averages, median_window_ns

MIN_COVER = 0.9
"""A window counts where both sides cover so much of it."""

UPPER_BOUND = "theoretical_maximum"
"""The estimator whose capacity is the upper bound."""

RECORDING = "recording"
"""What stands in for an estimator where the recording's own goodput is compared."""

_VIEW = ("source", "observer", "node", "state")
_SERIES = ("estimator", "mode", *_VIEW)


def pairs(placed: Sequence[Placed], estimates: pl.DataFrame, recorded: Recorded, replays: pl.LazyFrame) -> pl.DataFrame:
    """The `comparison` rows of the flows of one log on one link; `replays` as of `replayed.throughput`.

    Windows are those of the estimates, or those of the log where they are longer; what is finer is averaged.
    """
    link = placed[0].link
    own = estimates.filter(sender=link[0], receiver=link[1]).filter(
        (pl.col("covered_ns") >= MIN_COVER * pl.col("window_ns")).fill_null(True)
    )
    windows = _windows(placed, own)
    truth = _truth(placed, windows)
    if truth.is_empty():
        return pl.DataFrame(schema=COMPARISON_SCHEMA)
    parts = [_estimated(own, None)]
    if any(each.peak is not None for each in placed):
        carried = {each.carried_as for each in placed if each.carried_as is not None}
        known = None if any(each.carried_as is None for each in placed) else carried
        parts = [_estimated(own, _carried(own, link, known, recorded)), _goodput(link, known, recorded, windows)]
        if known:
            parts.append(of_flows(replays, {(each.carried_as or "", each.payload_share) for each in placed}))
    values = pl.concat(parts, how="diagonal")
    if values.is_empty():
        return pl.DataFrame(schema=COMPARISON_SCHEMA)
    keys = [*_SERIES, "quantity"]
    compared = _over(values, keys, truth).join(truth, on=["t_ns", "window_ns"])
    compared = compared.join(_upper(own, truth), on=[*_VIEW, "t_ns", "window_ns"], how="left", nulls_equal=True)
    names = {each.flow.name for each in placed}
    return (
        compared.with_columns(
            log=pl.lit(placed[0].flow.log),
            flow=pl.lit(names.pop() if len(names) == 1 else None, pl.String),
            sender=pl.lit(link[0]),
            receiver=pl.lit(link[1]),
            estimate_bps="value",
        )
        .select(pl.col(name).cast(dtype) for name, dtype in COMPARISON_SCHEMA.items())
        .sort("quantity", *_SERIES, "t_ns", nulls_last=True)
    )


def _windows(placed: Sequence[Placed], estimates: pl.DataFrame) -> pl.DataFrame:
    """`t_ns`, `window_ns`: what is compared."""
    of_log = pl.concat([each.rows for each in placed]).select("t_ns", "window_ns").unique().sort("t_ns", "window_ns")
    ours = estimates.select(t_ns="window_start_ns", window_ns="window_ns").unique().sort("t_ns", "window_ns")
    if median_window_ns(of_log) > median_window_ns(ours):
        return of_log
    return ours


def _truth(placed: Sequence[Placed], windows: pl.DataFrame) -> pl.DataFrame:
    """`truth_bps` in the windows that the log covers: the sum over the flows."""
    flows = pl.concat([each.rows.with_columns(series=pl.lit(number)) for number, each in enumerate(placed)])
    asked = windows.join(pl.DataFrame({"series": range(len(placed))}, schema={"series": pl.Int32}), how="cross")
    summed = (
        averages(flows, asked)
        .group_by("t_ns", "window_ns", maintain_order=True)
        .agg(pl.col("volume").sum(), pl.col("cover").max())
        .filter(pl.col("cover") >= MIN_COVER)
    )
    rate = pl.col("volume") * 1e9 / (pl.col("window_ns") * pl.col("cover"))
    return summed.select("t_ns", "window_ns", truth_bps=rate)


def _estimated(own: pl.DataFrame, carried: pl.DataFrame | None) -> pl.DataFrame:
    """One row per estimate and quantity: series keys, `quantity`, `t_ns`, `window_ns`, `value`."""
    if carried is None:
        beside, rest = own, {"available": pl.col("available_bps")}
    else:
        beside = own.join(
            carried, on=["source", "observer", "window_start_ns", "window_ns"], how="left", nulls_equal=True
        )
        rest = {"attainable": pl.col("available_bps") + pl.col("carried_bps").fill_null(0)}
    quantities = {"capacity": pl.col("capacity_bps"), **rest}
    return pl.concat(
        beside.select(*_SERIES, quantity=pl.lit(name), t_ns="window_start_ns", window_ns="window_ns", value=value)
        for name, value in quantities.items()
    ).drop_nulls("value")


def _carried(own: pl.DataFrame, link: Link, flows: set[str] | None, recorded: Recorded) -> pl.DataFrame:
    """`carried_bps` of the flows in every window of the estimates, as each observer recorded it."""
    windows = own.select("source", "observer", t_ns="window_start_ns", window_ns="window_ns").unique()
    goodput = recorded.goodput(link, flows, recorded.bin_ns(median_window_ns(windows)))
    carried = _volumes(goodput, ["source", "observer"], windows)
    return carried.select(
        "source",
        "observer",
        "window_ns",
        window_start_ns="t_ns",
        carried_bps=pl.col("volume") * 1e9 / pl.col("window_ns"),
    )


def _goodput(link: Link, flows: set[str] | None, recorded: Recorded, windows: pl.DataFrame) -> pl.DataFrame:
    """What the link carried of the flows, as each observer recorded it, while it recorded."""
    goodput = recorded.goodput(link, flows, recorded.bin_ns(median_window_ns(windows)))
    asked = goodput.select("source", "observer").unique(maintain_order=True).join(recorded.spans, on="source")
    asked = asked.join(windows, how="cross").filter(
        pl.col("t_ns") >= pl.col("first_ns"), pl.col("t_ns") + pl.col("window_ns") <= pl.col("last_ns")
    )
    volumes = _volumes(goodput, ["source", "observer"], asked)
    return volumes.select(
        pl.lit(RECORDING).alias("estimator"),
        pl.lit("goodput").alias("quantity"),
        "source",
        "observer",
        *(pl.lit(None, pl.String).alias(name) for name in ("mode", "node", "state")),
        "t_ns",
        "window_ns",
        value=pl.col("volume") * 1e9 / pl.col("window_ns"),
    )


def _upper(own: pl.DataFrame, truth: pl.DataFrame) -> pl.DataFrame:
    """`upper_bps` per view and window."""
    bounds = own.filter(pl.col("estimator") == UPPER_BOUND).drop_nulls("capacity_bps")
    # Corrected where there are both modes.
    bounds = bounds.sort("mode").unique([*_VIEW, "window_start_ns", "window_ns"], keep="first", maintain_order=True)
    values = bounds.select(*_VIEW, t_ns="window_start_ns", window_ns="window_ns", value="capacity_bps")
    return _over(values, list(_VIEW), truth).rename({"value": "upper_bps"})


def _over(values: pl.DataFrame, keys: list[str], windows: pl.DataFrame) -> pl.DataFrame:
    """The means of every series over the windows that it covers: keys, `t_ns`, `window_ns`, `value`."""
    series = values.select(keys).unique(maintain_order=True).with_row_index("series")
    numbered = values.join(series, on=keys, nulls_equal=True)
    asked = series.select("series").join(windows.select("t_ns", "window_ns"), how="cross")
    found = averages(numbered, asked).filter(pl.col("cover") >= MIN_COVER, pl.col("value").is_not_null())
    return found.join(series, on="series").select(*keys, "t_ns", "window_ns", "value")


def _volumes(goodput: pl.DataFrame, keys: list[str], windows: pl.DataFrame) -> pl.DataFrame:
    series = windows.select(keys).unique(maintain_order=True).with_row_index("series")
    numbered = goodput.join(series, on=keys, nulls_equal=True)
    return averages(numbered, windows.join(series, on=keys, nulls_equal=True))
