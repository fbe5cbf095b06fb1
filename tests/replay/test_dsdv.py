"""DSDV: shortest paths once settled, no loops ever, late after moves, and messages that take airtime."""

import itertools
import math

import polars as pl
import pytest

from winf_analyzer._replay import replay
from winf_analyzer._replay.topologies import build, dsdv, mobiles

GRID = {f"{x}.{y}": (200.0 * x, 200.0 * y) for x in range(4) for y in range(3)}


def still(_):
    return GRID


def nobody(_):
    return set()


def test_routes_are_shortest_paths_once_settled():
    routing = dsdv.simulate(still, nobody, 250.0, 40, seed=1)
    around = mobiles._neighbours(GRID, set())
    for source, target in itertools.permutations(GRID, 2):
        path = routing.path(39, source, target)
        assert path is not None
        assert len(path) == len(mobiles._shortest(around, source, target, set()))
        assert all(math.dist(GRID[a], GRID[b]) <= 250 for a, b in itertools.pairwise(path))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sequence_numbers_prevent_loops(seed):
    """Following next hops from anywhere comes to an end: at the destination, or at a node without a route."""
    tracks = [mobiles._waypoints(mobiles.random.Random(seed * 10 + i), 800.0, 10.0, 30.0, 120) for i in range(10)]
    routing = dsdv.simulate(mobiles._positions({}, tracks), nobody, 250.0, 120, seed)
    for tables in routing.next_hops:
        for source, target in itertools.permutations(tables, 2):
            node, steps = source, 0
            while node != target and target in tables[node]:
                node, steps = tables[node][target], steps + 1
                assert steps <= len(tables), f"a loop towards {target}"


def test_a_broken_route_is_advertised_with_an_odd_number_and_comes_back_with_an_even_one():
    away = {"a": (0.0, 0.0), "b": (200.0, 0.0), "c": (9000.0, 0.0)}
    line = {**away, "c": (400.0, 0.0)}
    routing = dsdv.simulate(lambda at: away if 30 <= at < 130 else line, nobody, 250.0, 180, seed=1)
    assert routing.path(29, "a", "c") == ["a", "b", "c"]
    assert routing.path(60, "a", "c") == ["a", "b", "c"], "b has not missed c for three periods"
    assert routing.path(100, "a", "c") is None
    assert routing.path(179, "a", "c") == ["a", "b", "c"]


def test_a_shorter_route_is_told_at_once_and_a_longer_one_after_settling():
    node = dsdv.Node("a")
    for at_s, sender, metric, number, told_at_s in [
        (1.0, "b", 2.0, 10, 1.0),
        (2.0, "d", 1.0, 10, 2.0),  # same number, shorter
        (3.0, "b", 2.0, 10, 2.0),  # same number, longer: not taken
        (3.0, "b", 2.0, 8, 2.0),  # older: not taken
        (4.0, "b", 2.0, 12, 4.0 + dsdv.SETTLING_S),
    ]:
        dsdv._take(node, sender, {"c": (metric, number)}, at_s)
        assert node.next_trigger_s() == told_at_s
    assert node.routes["c"].next_hop == "b"
    assert "c" not in dsdv._triggered(node, 5.0)
    assert dsdv._triggered(node, 10.0)["c"] == (3.0, 12)
    assert node.next_trigger_s() == float("inf")


def test_triggered_updates_of_a_node_are_a_second_apart():
    routing = dsdv.simulate(still, nobody, 250.0, 60, seed=1)
    for name in GRID:
        periodic, triggered = (
            [message.at_s for message in routing.messages if (message.sender, message.is_periodic) == (name, kind)]
            for kind in (True, False)
        )
        assert all(b - a >= dsdv.TRIGGERED_S for a, b in itertools.pairwise(triggered))
        gaps = [b - a for a, b in itertools.pairwise(periodic)]
        assert all(0.75 * dsdv.PERIOD_S <= gap <= dsdv.PERIOD_S for gap in gaps)
        assert triggered
        assert len(periodic) >= 4


def test_a_message_takes_the_airtime_of_its_entries():
    message = dsdv.Message(1.0, "a", 10, is_periodic=True)
    assert message.airtime_s == pytest.approx(192e-6 + 8 * (28 + 20 + 120) * 1e-6)
    places = {"a": (0.0, 0.0), "b": (400.0, 0.0), "c": (600.0, 0.0)}
    busy = dsdv.busy_intervals([message], lambda _: places, 500.0, 10.0)
    assert set(busy) == {"a", "b"}, "c does not sense it"
    ((start, end),) = busy["b"]
    assert (start, end - start) == (10**9, round(message.airtime_s * 1e9))


def test_messages_that_overlap_are_one_busy_interval():
    messages = [dsdv.Message(at_s, "a", 10, is_periodic=True) for at_s in (1.0, 1.001, 2.0)]
    (spans,) = dsdv.busy_intervals(messages, lambda _: {"a": (0.0, 0.0)}, 500.0, 10.0).values()
    assert [round(1e-9 * start) for start, _ in spans] == [1, 2]


def test_a_world_with_dsdv_follows_positions_less_often_and_has_less_time():
    plain, routed = (build(f"mesh_mobiles:mesh=9,mobiles=3,seconds=60{option}") for option in ("", ",dsdv=1"))
    changes = [sum(len(flow.get("reroutes", [])) for flow in world["flows"]) for world in (plain, routed)]
    assert 0 < changes[1] < changes[0]
    assert "background" not in plain
    assert {entry["node"] for entry in routed["background"]} == {node["name"] for node in routed["nodes"]}
    assert replay(topology=routed, controllers=["new_reno"], duration="5s").summary["throughput_bps"].sum() > 0


def test_who_is_out_of_service_sends_no_updates_and_forwards_nothing():
    routing = dsdv.simulate(still, lambda _: {"1.1"}, 250.0, 40, seed=1)
    assert "1.1" not in {message.sender for message in routing.messages}
    assert all("1.1" not in (routing.path(39, "1.0", target) or []) for target in GRID if target != "1.0")


def test_lost_messages_change_routes_though_nobody_moves():
    """S004 sec. 5.1: without losses routes that have settled keep their length, the shortest."""

    def lengths(loss):
        routing = dsdv.simulate(still, nobody, 250.0, 200, 1, loss)
        paths = [routing.path(second, "0.0", "1.2") for second in range(60, 200)]
        return {path and len(path) for path in paths}

    assert lengths(0.0) == {4}
    assert {4} < lengths(0.7)


def test_a_world_with_lost_messages_is_asked_for_by_name():
    kept, lost = (build(f"ad_hoc:nodes=8,flows=2,seconds=60,dsdv=1,dsdv_loss={loss}") for loss in (0, 0.5))
    assert kept["flows"] != lost["flows"]
    with pytest.raises(ValueError, match="dsdv_loss must be at least 0 and below 1"):
        build("ad_hoc:nodes=8,flows=2,seconds=60,dsdv=1,dsdv_loss=1")


@pytest.mark.parametrize(
    "asked", ["mesh_mobiles:mesh=9,mobiles=3", "ad_hoc:nodes=8,flows=2", "building:mobiles=4,down_s=20"]
)
def test_a_world_whose_nodes_run_dsdv_has_the_nodes_and_flows_of_the_others(asked):
    given, routed = (build(f"{asked},seconds=60,dsdv={dsdv}") for dsdv in (0, 2))
    assert routed["nodes"] == given["nodes"]
    assert {flow["name"] for flow in routed["flows"]} == {flow["name"] for flow in given["flows"]}
    assert not [flow for flow in routed["flows"] if "reroutes" in flow]
    links = [{(link["from"], link["to"]) for link in world["links"]} for world in (given, routed)]
    assert links[0] <= links[1], "who is on a shortest path is in range"
    broadcasts = replay(topology=routed, controllers=["new_reno"]).links.filter(pl.col("receiver") == "*")
    heard = broadcasts.group_by("sender").agg(pl.col("carried_packets").sum()).collect()
    assert set(heard["sender"]) == {node["name"] for node in routed["nodes"]}
    assert heard["carried_packets"].min() >= 60 / dsdv.PERIOD_S - 2


def test_who_is_out_of_service_is_so_for_dsdv_in_the_run():
    world = build("building:mobiles=4,down_s=20,seconds=60,dsdv=2")
    (outage,) = world["routing"]["dsdv"]["outages"]
    assert outage["node"].startswith("mesh-")
    assert outage["until_ns"] - outage["from_ns"] == 20 * 10**9


def test_what_dsdv_may_be():
    with pytest.raises(ValueError, match="dsdv must be 0, 1 or 2, not 3"):
        build("ad_hoc:nodes=8,flows=2,seconds=60,dsdv=3")
    with pytest.raises(ValueError, match="dsdv_loss is for dsdv=1"):
        build("ad_hoc:nodes=8,flows=2,seconds=60,dsdv=2,dsdv_loss=0.1")
