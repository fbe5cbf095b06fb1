"""Links whose rates change during a recording, on tables made by hand."""

from __future__ import annotations

import polars as pl
import pytest
from exchange_builder import A, B, exchange, table

from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.declared_links import begin_with_first_steps, later_steps
from winf_analyzer._replay.recorded.links.airtimes import size_airtimes
from winf_analyzer._replay.recorded.links.rate_steps import RateStep, rate_steps
from winf_analyzer._replay.scenarios import changed
from winf_analyzer._replay.unknowns import Unknowns

SECOND_US = 1_000_000


def steps(rates_mbps: list[float], payload: int = 1500) -> list[RateStep] | None:
    """Of a link with a packet every 20 ms, each at the next of these rates; without preambles."""
    rows = [exchange(20_000 * n, kind="basic", payload=payload) for n in range(len(rates_mbps))]
    airtimes = [8 * payload / rate for rate in rates_mbps]
    exchanges = table(rows).with_columns(
        data_airtime_us=pl.Series(airtimes, dtype=pl.Float64), rate_mbps=pl.Series(rates_mbps, dtype=pl.Float64)
    )
    view = views.links(exchanges)
    return rate_steps(exchanges, view, size_airtimes(exchanges, view), 0).get((A, B))


def test_a_link_that_slows_down_has_a_step_then():
    found = steps([54.0] * 250 + [6.0] * 250)
    assert found is not None
    assert [step.at_ns for step in found] == [0, 5_000_000_000]
    assert [step.airtimes[0].airtime_us for step in found] == pytest.approx([8 * 1500 / 54, 8 * 1500 / 6])
    assert [step.airtimes[0].rate_mbps for step in found] == pytest.approx([54, 6])
    assert [step.airtimes[0].attempts for step in found] == [250, 250]


def test_rates_that_alternate_are_one_step():
    assert steps([54.0, 24.0] * 250) is None
    assert steps([54.0, 48.0, 54.0, 6.0, 54.0] * 100) is None


def test_neighbouring_rates_and_few_packets_are_no_step():
    assert steps([54.0] * 250 + [48.0] * 250) is None, "a ninth"
    assert steps([54.0] * 500 + [6.0] * 19) is None


def test_a_size_that_a_step_lacks_changes_as_the_others_do():
    rows = [exchange(20_000 * n, kind="basic", payload=(1500, 100)[n % 2 and n < 250]) for n in range(500)]
    airtimes = [8 * row["payload_bytes"] / (54 if n < 250 else 6) for n, row in enumerate(rows)]
    exchanges = table(rows).with_columns(data_airtime_us=pl.Series(airtimes), rate_mbps=pl.Series([54.0] * 500))
    view = views.links(exchanges)
    slow = rate_steps(exchanges, view, size_airtimes(exchanges, view), 0)[A, B][1]
    small, large = slow.airtimes
    assert (small.packet_bytes, large.packet_bytes, small.attempts) == (100, 1500, 0)
    usual = {size.packet_bytes: size.airtime_us for size in size_airtimes(exchanges, view)[A, B]}
    assert small.airtime_us / usual[100] == pytest.approx(large.airtime_us / usual[1500])


def world_with_steps():
    found = {(A, B): steps([54.0] * 250 + [6.0] * 250)}
    links = [{"from": A, "to": B, "medium": {"wireless": {"rate_bps": 54_000_000, "airtimes": []}}}]
    notes = begin_with_first_steps(links, found)
    flow = {"name": "f", "path": [A, B]}
    nodes = [{"name": A}, {"name": B}]
    world = {"name": "w", "duration_ns": 10**10, "nodes": nodes, "links": links, "flows": [flow]}
    return world | {"changes": later_steps(found)}, notes


def test_the_engine_is_told_the_first_step_and_the_changes():
    world, notes = world_with_steps()
    first = world["links"][0]["medium"]["wireless"]["airtimes"]
    (change,) = world["changes"]
    assert change["at_ns"] == 5_000_000_000
    later = change["change"]["link"]
    assert (later["from"], later["to"]) == (A, B)
    assert {point["packet_bytes"] for point in first} == {20, 1500, 2304}
    at_1500 = [next(p["airtime_ns"] for p in line if p["packet_bytes"] == 1500) for line in (first, later["airtimes"])]
    assert at_1500 == [222_222, 2_000_000]
    assert notes == [f"{A} > {B}: 2 rates one after the other (observed)"]


def test_a_rate_that_is_set_holds_for_the_whole_run():
    world, _ = world_with_steps()
    assert changed(world, changes={"link.loss": 0.1})["changes"] == world["changes"]
    assert not changed(world, changes={"link.rate": "6M"}).get("changes")
    assert len(world["changes"]) == 1, "the given world stays"


def test_drawn_worlds_scale_all_steps_of_a_link_together():
    world, _ = world_with_steps()
    drawn = Unknowns(airtime_errors={(A, B): 0.1}).draw(world, 1)
    before = world["links"][0]["medium"]["wireless"]["airtimes"][1]["airtime_ns"]
    factor = drawn["links"][0]["medium"]["wireless"]["airtimes"][1]["airtime_ns"] / before
    later = [each["changes"][0]["change"]["link"]["airtimes"][1]["airtime_ns"] for each in (world, drawn)]
    assert factor != 1
    assert later[1] / later[0] == pytest.approx(factor, rel=1e-5)
