"""Join of estimates and truth over the same windows of the same link."""

from collections.abc import Sequence

import polars as pl

from winf_analyzer._evaluate.align import WHOLE, LocatedFlow
from winf_analyzer._evaluate.recorded_traffic import Link, RecordedTraffic
from winf_analyzer._evaluate.replayed import replayed_rates
from winf_analyzer._evaluate.series import averages, median_window_ns
from winf_analyzer._schema import schema

MIN_COVER = 0.9
"""Minimum share of a window that both estimate and truth must cover."""

UPPER_BOUND = "theoretical_maximum"
"""The estimator whose capacity is the upper bound."""

RECORDING = "recording"
"""Estimator name of the recording's own goodput."""

_VIEW = ("source", "observer", "node", "state")
_SERIES = ("estimator", "mode", *_VIEW)

READ = (*_SERIES, "sender", "receiver", "window_start_ns", "window_ns", "covered_ns", "capacity_bps", "available_bps")
"""Columns of `estimates` that are read: of many recordings a link has a million rows."""


def joined_windows(
    located: Sequence[LocatedFlow], estimates: pl.DataFrame, recorded: RecordedTraffic, replays: pl.LazyFrame
) -> pl.DataFrame:
    """The `comparison` rows of the flows of one log on one link; `replays` is from `replayed.replay_throughput`.

    Windows are those of the estimates or of the log, whichever are longer; the other series is averaged over them.
    """
    link = located[0].link
    link_estimates = estimates.filter(sender=link[0], receiver=link[1]).filter(
        (pl.col("covered_ns") >= MIN_COVER * pl.col("window_ns")).fill_null(True)
    )
    if any(each.aligned_by == WHOLE for each in located):
        return _whole_runs(located, link_estimates, recorded)
    windows = _windows(located, link_estimates)
    truth = _truth(located, windows)
    if truth.is_empty():
        return pl.DataFrame(schema=schema("comparison"))
    parts = [_estimated(link_estimates, None)]
    if any(each.peak is not None for each in located):
        carried = {each.recorded_name for each in located if each.recorded_name is not None}
        known = None if any(each.recorded_name is None for each in located) else carried
        parts = [
            _estimated(link_estimates, _carried(link_estimates, link, known, recorded)),
            _goodput(link, known, recorded, windows, truth),
        ]
        if known:
            parts.append(replayed_rates(replays, {(each.recorded_name or "", each.payload_share) for each in located}))
    values = pl.concat(parts, how="diagonal")
    if values.is_empty():
        return pl.DataFrame(schema=schema("comparison"))
    keys = [*_SERIES, "quantity"]
    compared = _averaged(values, keys, truth).join(truth, on=["t_ns", "window_ns"])
    compared = compared.join(
        _upper(link_estimates, truth), on=[*_VIEW, "t_ns", "window_ns"], how="left", nulls_equal=True
    )
    return _rows(compared, located)


def _whole_runs(located: Sequence[LocatedFlow], estimates: pl.DataFrame, recorded: RecordedTraffic) -> pl.DataFrame:
    """One row per estimate: its mean over the recording beside the flows' mean over the log, which is another run's."""
    flows = pl.concat([each.rows for each in located])
    begin, end = pl.col("t_ns").min(), (pl.col("t_ns") + pl.col("window_ns")).max()
    truth_bps = flows.select((pl.col("value") * pl.col("window_ns")).sum() / (end - begin)).item()
    values = _estimated(estimates, None).group_by(*_SERIES, "quantity", maintain_order=True).agg(pl.col("value").mean())
    span_ns = recorded.last_ns - recorded.first_ns
    whole = {"t_ns": recorded.first_ns, "window_ns": span_ns, "truth_bps": truth_bps, "upper_bps": None}
    return _rows(values.with_columns(pl.lit(value).alias(name) for name, value in whole.items()), located)


def _rows(compared: pl.DataFrame, located: Sequence[LocatedFlow]) -> pl.DataFrame:
    names, link = {each.flow.name for each in located}, located[0].link
    return (
        compared.with_columns(
            log=pl.lit(located[0].flow.log),
            flow=pl.lit(names.pop() if len(names) == 1 else None, pl.String),
            sender=pl.lit(link[0]),
            receiver=pl.lit(link[1]),
            estimate_bps="value",
        )
        .select(pl.col(name).cast(dtype) for name, dtype in schema("comparison").items())
        .sort("quantity", *_SERIES, "t_ns", nulls_last=True)
    )


def _windows(located: Sequence[LocatedFlow], estimates: pl.DataFrame) -> pl.DataFrame:
    """`t_ns`, `window_ns` of the windows to compare."""
    of_log = pl.concat([each.rows for each in located]).select("t_ns", "window_ns").unique().sort("t_ns", "window_ns")
    ours = estimates.select(t_ns="window_start_ns", window_ns="window_ns").unique().sort("t_ns", "window_ns")
    if median_window_ns(of_log) > median_window_ns(ours):
        return of_log
    return ours


def _truth(located: Sequence[LocatedFlow], windows: pl.DataFrame) -> pl.DataFrame:
    """`truth_bps` in the windows that the log covers, summed over the flows."""
    flows = pl.concat([each.rows.with_columns(series=pl.lit(number)) for number, each in enumerate(located)])
    series_windows = windows.join(
        pl.DataFrame({"series": range(len(located))}, schema={"series": pl.Int32}), how="cross"
    )
    summed = (
        averages(flows, series_windows)
        .group_by("t_ns", "window_ns", maintain_order=True)
        .agg(pl.col("volume").sum(), pl.col("cover").max())
        .filter(pl.col("cover") >= MIN_COVER)
    )
    rate = pl.col("volume") * 1e9 / (pl.col("window_ns") * pl.col("cover"))
    return summed.select("t_ns", "window_ns", truth_bps=rate)


def _estimated(link_estimates: pl.DataFrame, carried: pl.DataFrame | None) -> pl.DataFrame:
    """One row per estimate and quantity: series keys, `quantity`, `t_ns`, `window_ns`, `value`."""
    if carried is None:
        estimates_with_goodput, rest = link_estimates, {"available": pl.col("available_bps")}
    else:
        estimates_with_goodput = link_estimates.join(
            carried, on=["source", "observer", "window_start_ns", "window_ns"], how="left", nulls_equal=True
        )
        rest = {"attainable": pl.col("available_bps") + pl.col("carried_bps").fill_null(0)}
    quantities = {"capacity": pl.col("capacity_bps"), **rest}
    return pl.concat(
        estimates_with_goodput.select(
            *_SERIES, quantity=pl.lit(name), t_ns="window_start_ns", window_ns="window_ns", value=value
        )
        for name, value in quantities.items()
    ).drop_nulls("value")


def _carried(
    link_estimates: pl.DataFrame, link: Link, flows: set[str] | None, recorded: RecordedTraffic
) -> pl.DataFrame:
    """`carried_bps` of the flows in every window of the estimates, as each observer recorded it."""
    windows = link_estimates.select("source", "observer", t_ns="window_start_ns", window_ns="window_ns").unique()
    goodput = recorded.goodput(link, flows, recorded.bin_ns(median_window_ns(windows)))
    carried = _volumes(goodput, ["source", "observer"], windows)
    return carried.select(
        "source",
        "observer",
        "window_ns",
        window_start_ns="t_ns",
        carried_bps=pl.col("volume") * 1e9 / pl.col("window_ns"),
    )


def _goodput(
    link: Link, flows: set[str] | None, recorded: RecordedTraffic, windows: pl.DataFrame, truth: pl.DataFrame
) -> pl.DataFrame:
    """Goodput of the flows on the link per observer, in windows within its recording that meet some of `truth`."""
    goodput = recorded.goodput(link, flows, recorded.bin_ns(median_window_ns(windows)))
    series_windows = goodput.select("source", "observer").unique(maintain_order=True).join(recorded.spans, on="source")
    begin, end = truth.select(pl.col("t_ns").min(), end=(pl.col("t_ns") + pl.col("window_ns")).max()).row(0)
    windows = windows.filter(pl.col("t_ns") < end, pl.col("t_ns") + pl.col("window_ns") > begin)
    series_windows = _meeting(series_windows, windows).filter(
        pl.col("t_ns") >= pl.col("first_ns"), pl.col("t_ns") + pl.col("window_ns") <= pl.col("last_ns")
    )
    volumes = _volumes(goodput, ["source", "observer"], series_windows)
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


def _upper(link_estimates: pl.DataFrame, truth: pl.DataFrame) -> pl.DataFrame:
    """`upper_bps` per view and window."""
    bounds = link_estimates.filter(pl.col("estimator") == UPPER_BOUND).drop_nulls("capacity_bps")
    # The corrected mode if there are both.
    bounds = bounds.sort("mode").unique([*_VIEW, "window_start_ns", "window_ns"], keep="first", maintain_order=True)
    values = bounds.select(*_VIEW, t_ns="window_start_ns", window_ns="window_ns", value="capacity_bps")
    return _averaged(values, list(_VIEW), truth).rename({"value": "upper_bps"})


def _averaged(values: pl.DataFrame, keys: list[str], windows: pl.DataFrame) -> pl.DataFrame:
    """Means of every series over the windows that it covers: keys, `t_ns`, `window_ns`, `value`."""
    series = values.select(keys).unique(maintain_order=True).with_row_index("series")
    numbered = values.join(series, on=keys, nulls_equal=True)
    spans = numbered.group_by("series").agg(
        first_ns=pl.col("t_ns").min(), last_ns=(pl.col("t_ns") + pl.col("window_ns")).max()
    )
    spans = series.select("series").join(spans, on="series", maintain_order="left")
    series_windows = _meeting(spans, windows).select("series", "t_ns", "window_ns")
    found = averages(numbered, series_windows).filter(pl.col("cover") >= MIN_COVER, pl.col("value").is_not_null())
    return found.join(series, on="series").select(*keys, "t_ns", "window_ns", "value")


def _meeting(spans: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """Rows with `first_ns` and `last_ns`, once for each window that meets that time, in the order of windows.

    As many rows as that: all with all would be the square of the number of recordings.
    """
    ordered = windows.select("t_ns", "window_ns").sort("t_ns", "window_ns")
    starts, longest = ordered["t_ns"], ordered["window_ns"].max()
    numbers = pl.int_ranges(
        starts.search_sorted(spans["first_ns"] - (longest or 0)),
        starts.search_sorted(spans["last_ns"], side="right"),
        eager=True,
    )
    rows = spans.with_columns(number=numbers).explode("number").drop_nulls("number")
    return pl.concat([rows.drop("number"), ordered[rows["number"]]], how="horizontal")


def _volumes(goodput: pl.DataFrame, keys: list[str], windows: pl.DataFrame) -> pl.DataFrame:
    series = windows.select(keys).unique(maintain_order=True).with_row_index("series")
    numbered = goodput.join(series, on=keys, nulls_equal=True)
    return averages(numbered, windows.join(series, on=keys, nulls_equal=True))
