"""Means over the seeds, intervals, and the flows of a run as one."""

from __future__ import annotations

import polars as pl
import pytest

from winf_analyzer._replay.overview import COLUMNS, overview


def summary(*rows) -> pl.DataFrame:
    keys = ["controller", "seed", "flow", "throughput_bps", "delivered_bytes", "delay_ms", "received_packets"]
    kinds = {"delivered_bytes": pl.Int64, "delay_ms": pl.Float64, "received_packets": pl.Int64}
    frame = pl.DataFrame(rows, schema=keys, schema_overrides=kinds, orient="row").with_columns(
        pl.lit("r").alias("replay_id"), pl.lit("corrected").alias("mode"), pl.lit(1_000_000_000).alias("duration_ns")
    )
    others = [name for name in COLUMNS if name not in frame.columns and "_ci" not in name and name != "seeds"]
    return frame.with_columns(pl.lit(None, pl.Float64).alias(name) for name in others if name != "jain_index")


def test_flows_of_a_run_are_one():
    rows = overview(
        summary(
            ("xcp", 1, "a", 8e6, 1_000_000, 10.0, 300),
            ("xcp", 1, "b", 4e6, 250_000, 40.0, 100),
            ("xcp", 2, "a", 8e6, 1_000_000, None, 0),
            ("xcp", 2, "b", 0.0, 0, 5.0, 10),
        )
    )
    assert rows["flow"].to_list() == ["a", "b", "all flows"]
    together = rows.row(2, named=True)
    assert together["throughput_bps"] == pytest.approx((10e6 + 8e6) / 2)
    assert together["delay_ms"] == pytest.approx((17.5 + 5.0) / 2)
    assert together["jain_index"] == pytest.approx((144 / (2 * 80) + 0.5) / 2)
    assert rows["throughput_ci_bps"].to_list() == pytest.approx([0.0, 12.7062 * 2e6, 12.7062 * 1e6])


def test_what_a_computed_allocation_does_not_count_is_null():
    rows = overview(summary(("max_min", 1, "a", 1e6, None, None, None), ("max_min", 1, "b", 1e6, None, None, None)))
    together = rows.row(2, named=True)
    assert (together["throughput_bps"], together["jain_index"]) == (2e6, 1.0)
    assert together["received_packets"] is None
    assert together["lost_queue"] is None
