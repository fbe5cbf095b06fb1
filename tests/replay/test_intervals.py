"""Intervals of predictions: worlds drawn over what a recording leaves open, and what their runs say."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import pairwise

import polars as pl
import pytest

import winf_analyzer
from winf_analyzer import _core
from winf_analyzer._replay import execution, intervals
from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows.studied import responding_flows, select_flows
from winf_analyzer._replay.recorded.queues.limits import PRESUMED_BOUNDS
from winf_analyzer._replay.topologies import build
from winf_analyzer._replay.topologies.world import wired
from winf_analyzer._replay.unknowns import PRESUMED_LIFETIMES_NS, Unknowns
from winf_analyzer._util.errors import UsageError


def world_and_link():
    world = build("chain:1")
    link = world["links"][0]
    link["medium"]["wireless"]["airtimes"] = [{"packet_bytes": 1000, "airtime_ns": 1_000_000}]
    return world, (link["from"], link["to"])


def drawn(unknowns, get, number=400):
    world, _ = world_and_link()
    return [get(unknowns.draw(world, draw)) for draw in range(number)]


def loss(world):
    return world["links"][0]["medium"]["wireless"]["loss"]


def test_draws_repeat_and_leave_the_world_alone():
    world, link = world_and_link()
    before = copy.deepcopy(world)
    flows = (world["flows"][0]["name"],)
    unknowns = Unknowns((10, 1000), {link: (0.1, 100)}, airtime_errors={link: 0.05}, unclear_acks=flows)
    assert unknowns.draw(world, 3) == unknowns.draw(world, 3) != unknowns.draw(world, 4)
    assert world == before


def test_what_is_known_is_not_drawn():
    world, _ = world_and_link()
    assert Unknowns().draw(world, 1) == world


def test_a_presumed_queue_is_anything_from_short_to_long():
    queues = sorted(drawn(Unknowns(PRESUMED_BOUNDS), lambda world: world["links"][0]["queue"]["packets"]))
    assert PRESUMED_BOUNDS[0] <= queues[0] < 12
    assert 850 < queues[-1] <= PRESUMED_BOUNDS[1]
    assert queues[200] == pytest.approx(100, rel=0.3), "the middle of the logarithms"


def test_half_of_the_worlds_drop_what_waits_longer_than_anything_was_seen_to():
    unknowns = Unknowns(least_lifetime_ns=2_000_000_000)
    lifetimes = drawn(unknowns, lambda world: world["links"][0]["queue"].get("lifetime_ns"))
    some = sorted(ns for ns in lifetimes if ns is not None)
    assert len(some) == len(lifetimes) // 2
    assert some[0] >= 2_000_000_000
    assert some[-1] <= PRESUMED_LIFETIMES_NS[1]
    short = drawn(Unknowns(least_lifetime_ns=0), lambda world: world["links"][0]["queue"].get("lifetime_ns"), 20)
    assert min(ns for ns in short if ns) >= PRESUMED_LIFETIMES_NS[0], "none is shorter than the standard's"
    assert drawn(unknowns.without(["queue_lifetime"]), lambda world: world, 2) == [world_and_link()[0]] * 2
    packets = drawn(replace(unknowns, queue_packets=(10, 1000)), lambda world: world["links"][0]["queue"]["packets"], 9)
    assert packets == drawn(Unknowns((10, 1000)), lambda world: world["links"][0]["queue"]["packets"], 9)


def test_losses_vary_as_much_as_their_attempts_allow():
    _, link = world_and_link()
    for attempts, width in ((50, 0.042), (5000, 0.0042)):
        losses = pl.Series(drawn(Unknowns(losses={link: (0.1, attempts)}), loss))
        assert losses.mean() == pytest.approx(0.1, abs=0.012)
        assert losses.std() == pytest.approx(width, rel=0.2)
    assert set(drawn(Unknowns(losses={link: (0.25, 0)}), loss, 5)) == {0.25}, "assumed"
    assert max(drawn(Unknowns(losses={link: (0.0, 20)}), loss)) < 0.3, "none of twenty is not none at all"


def test_what_may_have_been_collisions_is_lost_in_some_worlds():
    _, link = world_and_link()
    losses = pl.Series(drawn(Unknowns(losses_or_collisions={link: 0.1}), loss))
    assert losses.min() < 0.005
    assert losses.max() > 0.095
    assert set(drawn(Unknowns(losses_or_collisions={link: 0.1}).without(["link.loss"]), loss, 5)) == {0.0}


def test_airtimes_vary_by_their_standard_error():
    _, link = world_and_link()

    def airtime(world):
        return world["links"][0]["medium"]["wireless"]["airtimes"][0]["airtime_ns"]

    airtimes = pl.Series(drawn(Unknowns(airtime_errors={link: 0.05}), airtime))
    assert airtimes.mean() == pytest.approx(1e6, rel=0.01)
    assert airtimes.std() == pytest.approx(5e4, rel=0.2)


def test_unclear_acknowledgements_are_delayed_in_half_of_the_worlds():
    name = build("chain:1")["flows"][0]["name"]

    def delayed(world):
        return bool(world["flows"][0].get("transport", {}).get("delayed_ack_ns"))

    assert sum(drawn(Unknowns(unclear_acks=(name,)), delayed)) == pytest.approx(200, abs=40)


def test_two_thirds_of_the_worlds_have_a_wire_that_nobody_can_tell():
    world, _ = world_and_link()
    world["links"] += [wired(host, "n0", 10**9, 0) for host in ("host x", "host y")]
    unknowns = Unknowns(unseen_wires={"host x": 40_000_000})
    delays = [
        [
            link["medium"]["wired"]["delay_ns"]
            for link in unknowns.draw(world, draw)["links"]
            if "wired" in link["medium"]
        ]
        for draw in range(400)
    ]
    first, second = zip(*delays, strict=True)
    some = [delay for delay in first if delay]
    assert len(some) == pytest.approx(267, abs=40)
    longest = [delay for delay in some if delay == 20_000_000]
    assert len(longest) == pytest.approx(133, abs=40), "what answered may have waited nowhere else"
    between = [delay for delay in some if delay < 20_000_000]
    assert 500_000 <= min(between) < 1_000_000
    assert max(between) > 15_000_000
    assert set(second) == {0}, "of which it is known that there is none"


def test_what_a_scenario_sets_is_no_longer_open():
    unknowns = Unknowns((10, 1000), {("a", "b"): (0.1, 100), ("b", "a"): (0.1, 100)})
    assert unknowns.without(["queue"]).queue_packets is None
    assert list(unknowns.without(["link.a>b.loss"]).losses) == [("b", "a")]
    assert unknowns.without(["link.loss"]).losses == {}
    assert unknowns.without(["link.rate", "mac.cw_min"]) == unknowns


def summary(throughputs):
    """Rows of one flow per controller, a seed per value."""
    columns = winf_analyzer.replay(topology="chain:1", controllers=["cbr"], duration="100ms").summary.clear()
    rows = [
        {"replay_id": "r", "controller": name, "mode": "corrected", "seed": seed, "flow": "f", "rtt_ms": value / 10,
         "throughput_bps": value, "delivered_bytes": round(value), "duration_ns": 8_000_000_000, "received_packets": 1}
        for name, values in throughputs.items()
        for seed, value in enumerate(values)
    ]  # fmt: skip
    return pl.concat([columns, pl.DataFrame(rows)], how="diagonal_relaxed")


def test_intervals_hold_ninety_percent_of_the_draws():
    found = intervals.intervals(summary({"x": [float(n) for n in range(101)]}))
    assert found["flow"].to_list() == ["f", "all flows"]
    assert found["throughput_low_bps"].to_list() == [5.0, 5.0]
    assert found["throughput_high_bps"].to_list() == [95.0, 95.0]
    assert found["rtt_high_ms"].to_list() == [9.5, 9.5]


def test_an_interval_holds_the_figure_itself():
    found = intervals.intervals(summary({"x": [10.0, 11.0, 12.0]}))
    row = intervals.with_intervals(summary({"x": [50.0]}), found).row(0, named=True)
    assert (row["throughput_low_bps"], row["throughput_high_bps"]) == (pytest.approx(10.1), 50.0)
    assert row["delay_low_ms"] is None, "nothing is known of it"


def test_the_interval_of_all_flows_is_with_each_of_them():
    """Of flows that take from one another the sum of their intervals is longer."""
    one, other = summary({"x": [10.0, 20.0, 30.0]}), summary({"x": [30.0, 20.0, 10.0]})
    both = pl.concat([one, other.with_columns(flow=pl.lit("g"))])
    found = intervals.intervals(both)
    run = intervals.with_totals(both.filter(seed=0), found)
    assert run.columns == both.columns
    assert run.select("all_low_bps", "all_high_bps").rows() == [(40.0, 40.0)] * 2
    less = intervals.with_totals(both.filter(seed=0).with_columns(pl.col("delivered_bytes") - 5), found)
    assert less.select("all_low_bps", "all_high_bps").rows() == [(30.0, 40.0)] * 2, "it holds the run's own figure"


def test_rankings_compare_runs_of_the_same_world():
    """The second is always a little slower than the first, though worlds differ more; the third wins one of four."""
    pairs = intervals.ranking(summary({"b": [9.0, 19, 29, 39], "a": [10.0, 20, 30, 40], "c": [1.0, 1, 1, 50]}))
    assert pairs.select("controller", "below", "share").rows() == [("a", "b", 1.0), ("a", "c", 0.75), ("b", "c", 0.75)]
    (note,) = intervals.notes(pairs)
    assert note == "throughput over all flows, of 4 draws: a above b in 100 %, b above c in 75 %"
    assert intervals.notes(intervals.ranking(summary({"a": [1.0, 2.0]}))) == []


def test_who_is_more_often_above_comes_first():
    """`b` has the higher median, and is below `a` in three draws of five."""
    draws = summary({"b": [5.0e6, 5.0e6, 9.0e6, 1.0e6, 1.0e6], "a": [4.0e6, 4.0e6, 9.1e6, 2.0e6, 2.0e6]})
    assert intervals.ranking(draws).select("controller", "below", "share").rows() == [("a", "b", 0.6)]


def test_a_ranking_is_as_sure_as_the_model():
    """A difference of ln 1.2 beside two errors of which nine of ten are within ln 1.1: 2.2 standard errors."""
    draws = summary({"a": [1.2e6] * 4, "b": [1.0e6] * 4})

    def share(off):
        return intervals.ranking(draws, {"throughput_bps": off})["share"].item()

    assert intervals.ranking(draws)["share"].item() == 1.0
    assert share(0.1) == pytest.approx(0.9870, abs=1e-4)
    assert 0.5 < share(100.0) < 0.53, "nobody knows which is better"
    silent = intervals.ranking(summary({"a": [2.0e6], "b": [0.0]}), {"throughput_bps": 0.1})
    assert silent["share"].item() == pytest.approx(1.0)


def test_what_the_model_is_off_makes_intervals_longer():
    rows = summary({"x": [float(n) for n in range(101)]})
    row = intervals.intervals(rows, {"throughput_bps": 0.1}).row(0, named=True)
    assert (row["throughput_low_bps"], row["throughput_high_bps"]) == pytest.approx((4.5, 104.5))


def test_an_interval_reaches_as_far_as_a_replay_of_the_recording_is_off():
    rows = summary({"x": [100.0] * 5})
    two = pl.concat([rows, rows.with_columns(flow=pl.lit("g"))])
    found = intervals.intervals(two, biases={"f": {"throughput_bps": 0.5, "rtt_ms": 2.0}})
    assert found["flow"].to_list() == ["f", "g", "all flows"]
    assert found["throughput_low_bps"].to_list() == [50, 100, 100]
    assert found["throughput_high_bps"].to_list() == [100, 100, 200], "and no further at the other end"
    assert found["rtt_high_ms"].to_list()[:2] == [20, 10]
    assert found["rtt_low_ms"].to_list()[:2] == [10, 10]


def test_no_interval_reaches_beyond_the_fastest_radio():
    rows = summary({"x": [float(n) for n in range(101)]})
    flow, all_flows = intervals.intervals(rows, {"throughput_bps": 300.0}, 54.0)["throughput_high_bps"]
    assert (flow, all_flows) == (54.0, 54.0)
    two = pl.concat([rows, rows.with_columns(flow=pl.lit("g"))])
    assert intervals.intervals(two, {"throughput_bps": 300.0}, 54.0)["throughput_high_bps"].to_list() == [54, 54, 108]


def test_all_flows_do_not_reach_beyond_the_radios_that_send_at_once():
    rows = summary({"x": [float(n) for n in range(101)]})
    three = pl.concat([rows.with_columns(flow=pl.lit(name)) for name in "fgh"])

    def total(at_once):
        return intervals.intervals(three, {"throughput_bps": 300.0}, 54.0, None, at_once)["throughput_high_bps"][-1]

    assert [total(at_once) for at_once in (1, 2, 9, None)] == [54, 108, 162, 162]


def world_of_paths(paths, decodes=(), wired=()):
    links = [{"from": a, "to": b, "medium": {"wireless": {}}} for path in paths for a, b in pairwise(path)]
    links += [{"from": a, "to": b, "medium": {"wired": {}}} for a, b in wired]
    flows = [{"path": list(path)} for path in paths]
    return {"links": links, "flows": flows, "hearing": {"graph": {"decodes": [list(pair) for pair in decodes]}}}


def test_radios_of_one_channel_take_turns():
    at_once = intervals.radios_at_once
    assert at_once({}) == 1
    assert at_once(world_of_paths(["ab", "cb", "bd", "ba"])) == 1, "stations of one access point, hidden or not"
    assert at_once(world_of_paths(["abcd"])) == 2, "the ends of a chain"
    apart = world_of_paths(["ab", "cd"])
    assert at_once(apart) == 2
    assert at_once(world_of_paths(["ab", "cd"], ["ac", "ca"])) == 1, "both senders defer"
    assert at_once(world_of_paths(["ab", "cd"], ["ac", "ca"]), [("a", "c")]) == 2, "that they do is assumed"
    assert at_once(world_of_paths(["ab", "cd"], ["ac"])) == 2, "one does not know of the other"
    assert at_once(world_of_paths(["ab", "cd"], ["ad", "cb"])) == 2, "a receiver may capture the stronger frame"
    assert at_once(apart | {"hearing": "all"}) == 2, "nothing is known"
    assert at_once(apart | {"hearing": {"graph": {"decodes": [["a", "c"]], "symmetric": True}}}) == 1
    apart["flows"][1]["background"] = True
    assert at_once(apart) == 1, "only flows under study count"
    wire = world_of_paths(["ab"], wired=["xa"])
    wire["flows"].append({"path": ["x", "a"]})
    assert at_once(wire) == 1


def test_the_fastest_radio_is_that_of_any_time():
    world = {
        "links": [{"medium": {"wireless": {"rate_bps": 6e6}}}, {"medium": {"wired": {"rate_bps": 1e9}}}],
        "changes": [{"at_ns": 5, "link": {"rate_bps": 54e6}}],
        "flows": [{"source": {"cbr": {"rate_bps": 1e9}}}],
    }
    assert intervals.fastest_radio_bps(world) == 54e6
    assert intervals.fastest_radio_bps({}) is None


def test_a_recording_is_predicted_with_intervals(sample, tmp_path):
    dataset = winf_analyzer.ingest([sample("ns3_chain3") / "recording"], tmp_path / "run.winf")
    asked = {"transfers": True, "duration": "4s"}
    result = winf_analyzer.replay(dataset, controllers=["new_reno", "vegas"], **asked)
    rows = result.overview
    for figure, (low, high) in intervals.FIGURES.items():
        assert rows.filter(pl.col(figure).is_between(low, high)).height == rows.height
    assert result.ranking.height == 1
    assert any("of 10 draws" in note for note in result.notes)
    stored = dataset.scan("replay_summary").collect()
    assert stored["rtt_high_ms"].null_count() == 0
    fixed = winf_analyzer.replay(dataset, controllers=["new_reno"], changes={"queue": 50}, **asked)
    assert width_of_rtt(fixed) < 0.8 * width_of_rtt(result), "the queues are what is not known"


def test_of_drawn_worlds_the_summary_is_all_that_is_made(monkeypatch):
    class Run:
        """A run that has no tables over time."""

        summary = pl.DataFrame({"seed": [7]})

    monkeypatch.setattr(_core, "replay", lambda *_arguments, **_more: [Run(), Run()])
    found = execution.run_draws("name", world_and_link()[0], Unknowns(), [], 3, 1, None)
    assert found["seed"].to_list() == [7] * 6


def width_of_rtt(result):
    row = result.overview.filter(controller="new_reno", flow="all flows").row(0, named=True)
    return row["rtt_high_ms"] - row["rtt_low_ms"]


def test_tcp_flows_that_are_not_named_respond(sample, tmp_path):
    dataset = winf_analyzer.ingest([sample("ns3_tcp") / "recording"], tmp_path / "run.winf")
    (name,) = winf_analyzer.replay(dataset, controllers=["new_reno"], draws=0).summary["flow"]
    hops = conversations.conversation_hops(dataset.scan("frames"))
    assert [flow.name for flow in responding_flows(hops, [])] == [name]
    assert responding_flows(hops, select_flows(hops, None, "")) == []


def test_draws_can_be_left_out_and_are_not_too_few(sample, tmp_path):
    dataset = winf_analyzer.ingest([sample("ns3_tcp") / "recording"], tmp_path / "run.winf")
    result = winf_analyzer.replay(dataset, controllers=["new_reno", "vegas"], draws=0)
    assert result.draws is None
    assert result.ranking.is_empty()
    with pytest.raises(UsageError, match="draws: between 5"):
        winf_analyzer.replay(dataset, controllers=["new_reno"], draws=2)


def test_no_round_trip_takes_longer_than_the_flow_has_in_the_run():
    """Runs of 8 s, in which `f` begins at once and `g` after 7 s; what was recorded took 10 000 times as long."""
    rows = summary({"x": [100.0] * 5}).with_columns(start_ns=pl.lit(0, pl.Int64))
    both = pl.concat([rows, rows.with_columns(flow=pl.lit("g"), start_ns=pl.lit(7_000_000_000, pl.Int64))])
    off = {flow: {"rtt_ms": 1e4} for flow in "fg"}
    found = intervals.intervals(both, biases=off)
    assert found.select("flow", "rtt_low_ms", "rtt_high_ms").rows() == [
        ("f", 10.0, 8_000.0),
        ("g", 10.0, 1_000.0),
        ("all flows", 10.0, 8_000.0),
    ]
    assert intervals.intervals(both, {"rtt_ms": float("inf")})["rtt_high_ms"].null_count() == 3, "left open"
