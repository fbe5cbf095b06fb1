"""Recorders that paused: for how much of the time nothing was recorded, and what that leaves open.

What was recorded is a sample of the time, as of a channel that a radio hops to (:mod:`.channels`). Of a long pause
nothing tells how much was sent in it: its numbers may have come round.
"""

import polars as pl

from winf_analyzer import _core
from winf_analyzer._recommended.channels import MIN_IDLE, USUAL_DEVIATION
from winf_analyzer._util.student import NORMAL_90


def with_pauses(rows: pl.DataFrame, numbers: _core.SequenceGaps) -> pl.DataFrame:
    """`rows` with `paused_share` and `unknown_share`; `covered_ns` without pauses, `sampled` with what they add.

    `paused_share`: how much of the time that a row covers was not recorded; `unknown_share`: in how much of it others
    may have sent any amount.

    Args:
        rows: `source`, `window_start_ns`, `window_ns`, `covered_ns`, `busy_ns` and `sampled`.
        numbers: what :func:`.heard_numbers` returns.
    """
    if not numbers.pauses():
        return rows.with_columns(paused_share=pl.lit(0.0), unknown_share=pl.lit(0.0))
    from winf_analyzer._aggregate import recorder_pauses  # few recordings need it

    length = pl.col("to_ns") - pl.col("from_ns")
    pauses = recorder_pauses.found(numbers)
    mean = pauses.group_by("source").agg(pause_ns=length.mean())
    paused, unknown = _share(pauses, rows), _share(pauses.filter(length > recorder_pauses.LONG_NS), rows)
    found = rows.join(mean, on="source", how="left", maintain_order="left")
    found = found.with_columns(paused_share=paused, unknown_share=unknown)
    number = pl.col("covered_ns") * pl.col("paused_share") / pl.col("pause_ns")
    recorded_ns = (pl.col("covered_ns") * (1 - pl.col("paused_share"))).round().cast(pl.Int64)
    idle = (1 - pl.col("busy_ns").fill_null(0) / recorded_ns.clip(1)).clip(MIN_IDLE, 1)
    sampled = NORMAL_90 * USUAL_DEVIATION * (pl.col("paused_share") / (number + 1)).sqrt() / idle
    return found.with_columns(covered_ns=recorded_ns, sampled=pl.col("sampled") + sampled.fill_null(0)).drop("pause_ns")


def of_recordings(exchanges: pl.LazyFrame, numbers: _core.SequenceGaps) -> pl.DataFrame:
    """`source paused_share unknown_share`, as of :func:`with_pauses`, of recordings with pauses.

    Args:
        exchanges: the table.
        numbers: what :func:`.heard_numbers` returns.
    """
    from winf_analyzer._aggregate import recorder_pauses

    pauses = recorder_pauses.found(numbers)
    length = pl.col("to_ns") - pl.col("from_ns")
    long = length.filter(length > recorder_pauses.LONG_NS).sum()
    sums = pauses.group_by("source").agg(paused_share=length.sum(), unknown_share=long)
    sources = exchanges.filter(pl.col("source").is_in(sums["source"].implode())).group_by("source")
    span = pl.max_horizontal(pl.col("end_ns").max() - pl.col("start_ns").min(), 1)
    spans = sources.agg(span=span).collect(engine="streaming")
    shares = (pl.col("paused_share", "unknown_share") / pl.col("span")).clip(0, 1)
    return sums.join(spans, on="source").with_columns(shares).drop("span")


def _share(pauses: pl.DataFrame, rows: pl.DataFrame) -> pl.Series:
    """The share of each row's time that lies in pauses."""
    from winf_analyzer._aggregate import windows

    start = pl.col("window_start_ns")
    until, since = (
        windows.time_inside_ns(pauses, rows.select("source", at_ns=edge), ["source"])
        for edge in (start + pl.col("window_ns"), start)
    )
    inside = pl.min_horizontal(until - since, "covered_ns").clip(0)
    return rows.select((inside / pl.col("covered_ns")).fill_nan(0).fill_null(0)).to_series()
