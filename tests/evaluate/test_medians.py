"""Medians of estimates per link."""

import polars as pl

from winf_analyzer._evaluate.medians import link_medians

SCHEMA = {
    "sender": pl.String,
    "receiver": pl.String,
    "path": pl.String,
    "state": pl.String,
    "observer": pl.String,
    "estimator": pl.String,
    "mode": pl.String,
    "exchanges": pl.Int64,
    "capacity_bps": pl.Float64,
    "available_bps": pl.Float64,
}


def estimates(*rows: tuple[object, ...]) -> pl.LazyFrame:
    return pl.LazyFrame(rows, schema=SCHEMA, orient="row")


def test_modes_are_columns_and_links_are_sorted_by_samples():
    rows = []
    for exchanges, capacity in ((5, 1e6), (7, 3e6), (9, 8e6)):
        for mode, factor in (("corrected", 1.0), ("paper", 2.0)):
            rows.append(("a", "b", None, "sender", "a", "rt_winf", mode, exchanges, factor * capacity, None))
    rows.append(("c", "d", None, "sender", "c", "rt_winf", "corrected", 100, 4e6, 2e6))
    busiest, other = link_medians(estimates(*rows)).rows(named=True)
    assert link_medians(estimates(*rows).collect()).rows(named=True) == [busiest, other], "as `estimate` returns them"
    assert (busiest["link"], busiest["samples"], busiest["corrected_capacity_bps"]) == ("c > d", 100, 4e6)
    assert busiest["corrected_available_bps"] == 2e6
    assert busiest["paper_capacity_bps"] is None
    assert (other["link"], other["samples"]) == ("a > b", 21), "samples of one mode only"
    assert (other["corrected_capacity_bps"], other["paper_capacity_bps"]) == (3e6, 6e6), "medians, not means"


def test_a_path_is_a_link_and_empty_columns_are_left_out():
    rows = [("a", "b", "a > x > b", "onlooker", None, "c3tcp", "paper", 3, 1e6, None)]
    table = link_medians(estimates(*rows))
    assert table.columns == ["link", "state", "estimator", "samples", "paper_capacity_bps"]
    assert table["link"].to_list() == ["a > x > b"]


def test_windows_without_exchanges_or_link_do_not_count():
    rows = [
        ("a", "b", None, "sender", "a", "rt_winf", "paper", 0, 9e6, 9e6),
        ("a", "b", None, "sender", "a", "rt_winf", "paper", 2, 1e6, 1e6),
        (None, None, None, "onlooker", "a", "rt_winf", "paper", 50, 5e6, 5e6),
    ]
    (row,) = link_medians(estimates(*rows)).rows(named=True)
    assert (row["samples"], row["paper_capacity_bps"]) == (2, 1e6)


def test_no_estimates_no_rows():
    assert link_medians(estimates()).is_empty()
