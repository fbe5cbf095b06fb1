"""The conditions table on exchanges made by hand, and on a sample."""

from __future__ import annotations

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, t_data, table

import winf_analyzer
from winf_analyzer._mac import infer
from winf_analyzer._mac.override import parse_override
from winf_analyzer._replay.conditions import conditions, measure
from winf_analyzer._schema import schema

BIN = 100_000_000


def test_a_link_over_two_bins():
    rows = [
        exchange(1000, payload=1500),
        exchange(11_000, payload=500),
        exchange(21_000, kind="rts_failed"),
        exchange(150_000, payload=1500),
        exchange(31_000, sender=C, receiver=D, kind="basic"),
    ]
    found = measure(table(rows), [], BIN)
    assert found.schema == schema("conditions")
    first, second = found.filter(sender=A, receiver=B).iter_rows(named=True)
    assert (first["bin_start_ns"], first["exchanges"], first["attempts"], first["failures"]) == (0, 2, 3, 1)
    assert first["loss"] == pytest.approx(1 / 3)
    assert first["airtime_per_byte_us"] == pytest.approx(8 / 11)
    assert first["airtime_overhead_us"] == pytest.approx(192 + 28 * 8 / 11)
    spent_us = sum(50 + 310 + 352 + 304 + 304 + 30 + t_data(size) for size in (1500, 500))
    assert first["capacity_bps"] == pytest.approx(2000 * 8 / spent_us * 1e6, rel=1e-6)
    assert first["busy_other_ns"] == pytest.approx(1000 * (t_data(1500) + 10 + 304), abs=2)
    assert (second["bin_start_ns"], second["busy_other_ns"]) == (BIN, 0)
    assert second["airtime_per_byte_us"] is None


def test_what_only_an_onlooker_heard_says_nothing_of_the_senders_medium():
    found = measure(table([exchange(1000, observer=C)]), [], BIN)
    assert found["busy_other_ns"].to_list() == [None]


def test_busy_time_is_cut_at_the_ends_of_bins():
    rows = [exchange(1000), exchange(99_500, sender=C, receiver=D, kind="basic"), exchange(110_000)]
    busy = measure(table(rows), [], BIN).filter(sender=A)["busy_other_ns"]
    assert busy[0] == 500_000
    assert busy.sum() == pytest.approx(1000 * (t_data(1500) + 10 + 304), abs=2)


def test_an_access_costs_what_the_given_parameters_say():
    rows = table([exchange(1000), exchange(11_000)])
    given = infer(rows, overrides=parse_override("aifs_us=250"))
    (known,), (usual,) = (measure(rows, [], BIN, each)["capacity_bps"] for each in (given, None))
    assert 1500 * 8e6 / known - 1500 * 8e6 / usual == pytest.approx(200, rel=1e-6)  # us, in place of 50


def test_table_of_a_sample(sample, tmp_path):
    dataset = winf_analyzer.ingest([sample("ns2_chain3") / "recording"], tmp_path / "run.winf")
    found = conditions(dataset)
    assert found.equals(pl.read_parquet(dataset.parts("conditions")))
    assert found["queue_ns"].drop_nulls().len() > 0
    assert found["capacity_bps"].drop_nulls().is_between(1e5, 11e6).all()
    with pytest.raises(ValueError, match="at least 1000000 ns"):
        conditions(dataset, bin_ns=10)


def test_no_exchanges_no_rows():
    assert measure(table([]), [], BIN).height == 0
