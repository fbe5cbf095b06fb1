"""Means over the seeds of a replay with 95 % confidence intervals, per controller, mode and flow."""

from __future__ import annotations

import polars as pl

from winf_analyzer._util.student import half_width

TOTAL = "all flows"
"""Flow name of the rows over all flows."""

_KEYS = ["replay_id", "controller", "mode"]
_LOSSES = ("lost_queue", "lost_retry", "lost_channel", "lost_route")


def overview(summary: pl.DataFrame) -> pl.DataFrame:
    """One row per controller, mode and flow, and one over all its flows.

    All columns are means over the seeds, except ``throughput_ci_bps`` and ``jain_index_ci``, the half-widths of the
    95 % confidence intervals (null with one seed). In the rows over all flows, throughput, packets and losses are sums
    (throughput over the whole run), means and medians of times are means weighted by received packets, 95th
    percentiles, queues and utilisation are maxima, and ``jain_index`` is Jain's fairness index of the flows'
    throughputs, from 1/n to 1.

    Args:
        summary: rows of ``replay_summary``.
    """
    means = [pl.col(name).mean() for name in _MEANS]
    flows = summary.group_by([*_KEYS, "flow"], maintain_order=True).agg(
        *_interval("throughput_bps", "throughput_ci_bps"), *means, pl.len().alias("seeds")
    )
    totals = (
        per_run(summary)
        .group_by(_KEYS, maintain_order=True)
        .agg(
            *_interval("throughput_bps", "throughput_ci_bps"),
            *_interval("jain_index", "jain_index_ci"),
            *means,
            pl.len().alias("seeds"),
        )
    )
    totals = totals.with_columns(flow=pl.lit(TOTAL))
    order = summary.select(_KEYS).unique(maintain_order=True).with_row_index("place")
    rows = pl.concat([flows.with_columns(last=pl.lit(False)), totals.with_columns(last=pl.lit(True))], how="diagonal")
    rows = rows.join(order, on=_KEYS).sort("place", "last", maintain_order=True)
    return rows.select(*_KEYS, "flow", *COLUMNS)


def per_run(summary: pl.DataFrame) -> pl.DataFrame:
    """One row per controller, mode and seed, over all flows, with :data:`TOTAL` as ``flow``; see :func:`overview`."""
    runs = summary.group_by([*_KEYS, "seed"], maintain_order=True).agg(*_all_flows())
    return runs.with_columns(flow=pl.lit(TOTAL))


_MEANS = (
    "delay_ms",
    "delay_p95_ms",
    "rtt_ms",
    "rtt_p50_ms",
    "rtt_p95_ms",
    "completion_ms",
    "window_bytes",
    "pacing_bps",
    "queue_packets",
    "utilisation",
    "normalised_deviation",
    "received_packets",
    *_LOSSES,
    "retransmissions",
    "timeouts",
)

COLUMNS = ("throughput_bps", "throughput_ci_bps", "jain_index", "jain_index_ci", *_MEANS, "seeds")
"""Columns of :func:`overview` after its keys."""


def _interval(name: str, width: str) -> tuple[pl.Expr, pl.Expr]:
    """Mean of a column, and the half-width of its confidence interval."""
    spread = pl.col(name).map_batches(
        lambda values: pl.Series([half_width(values.drop_nulls().to_list())], dtype=pl.Float64),
        returns_scalar=True,
        return_dtype=pl.Float64,
    )
    return pl.col(name).mean(), spread.alias(width)


def _all_flows() -> list[pl.Expr]:
    """Aggregates over the flows of one run."""
    rate = pl.col("throughput_bps")
    delivered = _sum("delivered_bytes") * 8e9 / pl.col("duration_ns").first()
    return [
        # A computed allocation has no packet counts; its rates apply to the whole run.
        pl.coalesce(delivered, rate.sum()).alias("throughput_bps"),
        (rate.sum().pow(2) / (rate.pow(2).sum() * pl.len())).fill_nan(None).alias("jain_index"),
        *(_weighted(name) for name in ("delay_ms", "rtt_ms", "rtt_p50_ms")),
        *(
            pl.col(name).max()
            for name in ("delay_p95_ms", "rtt_p95_ms", "completion_ms", "queue_packets", "utilisation")
        ),
        *(pl.lit(None, pl.Float64).alias(name) for name in ("window_bytes", "pacing_bps", "normalised_deviation")),
        *(_sum(name) for name in ("received_packets", *_LOSSES, "retransmissions", "timeouts")),
    ]


def _sum(name: str) -> pl.Expr:
    """The sum of a column; null, not 0, if all values are null."""
    return pl.when(pl.col(name).count() > 0).then(pl.col(name).sum()).alias(name)


def _weighted(name: str) -> pl.Expr:
    """Mean over the flows with a value, weighted by received packets."""
    weight = pl.col("received_packets").filter(pl.col(name).is_not_null())
    value = pl.col(name).drop_nulls()
    return ((value * weight).sum() / weight.sum()).fill_nan(None).alias(name)
