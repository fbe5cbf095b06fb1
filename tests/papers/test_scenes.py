"""The named topologies have the sizes, rates, times and places that the papers print for their scenes."""

from itertools import pairwise
from math import dist

import pytest

from winf_analyzer._replay.topologies import build, mobiles

SECOND = 1_000_000_000


@pytest.fixture
def direct(monkeypatch):
    """Routes are not looked for: they take long, and what is held here does not depend on them."""

    def paths(seconds, positions_at, ends, out_of_service_at):
        return {name: [(0, [source, target])] for name, source, target in ends}

    monkeypatch.setattr(mobiles, "_paths", paths)


def radio(world):
    """Every wireless link's PHY rate, loss and queue, each set of values once."""
    media = [(link["medium"]["wireless"], link["queue"]) for link in world["links"] if "wireless" in link["medium"]]
    return {(medium["rate_bps"], medium["loss"], queue["packets"]) for medium, queue in media}


def places(world):
    return {node["name"]: tuple(node["position_m"]) for node in world["nodes"] if "position_m" in node}


def tracks(world):
    return [node["waypoints"] for node in world["nodes"] if "waypoints" in node]


def speeds(world):
    return [
        dist(start["position_m"], end["position_m"]) * SECOND / (end["at_ns"] - start["at_ns"])
        for track in tracks(world)
        for start, end in pairwise(track)
        if start["position_m"] != end["position_m"]
    ]


def flow(world, name):
    return next(flow for flow in world["flows"] if flow["name"] == name)


def test_s000_mesh_is_that_of_its_section_5(direct):
    from benchmarks.replay.worlds import mobile_mesh

    world = mobile_mesh(5, 60, 1)
    assert world["hearing"]["range"] | {"capture_db": None} == {
        "decode_m": 250.0,
        "sense_m": 500.0,
        "corrupt_m": 500.0,
        "capture_db": None,
    }
    assert {rate for rate, _, _ in radio(world)} == {11_000_000}
    assert {flow["payload_bytes"] + 40 for flow in world["flows"]} == {1500}
    assert len([node for node in world["nodes"] if node["name"].startswith("mesh-")]) == 16
    assert {flow["path"][0] for flow in world["flows"]} == {flow["path"][-1] for flow in world["flows"]}


@pytest.mark.parametrize("mesh", [5, 9, 12, 16])
@pytest.mark.parametrize("count", [3, 4, 5, 6, 7])
def test_meshes_of_every_size(mesh, count):
    world = build(f"mesh_mobiles:mesh={mesh},mobiles={count},seconds=2")
    names = [node["name"] for node in world["nodes"]]
    assert sorted(name.split("-")[0] for name in names) == ["mesh"] * mesh + ["mobile"] * count
    ends = {end for flow in world["flows"] for end in (flow["path"][0], flow["path"][-1])}
    assert ends == {name for name in names if name.startswith("mobile-")}
    fixed = {name: place for name, place in places(world).items() if name.startswith("mesh-")}
    nearest = [min(dist(place, fixed[other]) for other in fixed if other != name) for name, place in fixed.items()]
    assert all(199 < metres < 201 for metres in nearest), "neighbours are 200 m apart"


@pytest.mark.parametrize(
    ("asked", "side", "slowest", "fastest"),
    [
        ("mesh_mobiles:area_m=800,seconds=300", 800, 10, 30),
        ("mesh_mobiles:area_m=1000,seconds=300", 1000, 10, 30),
        ("building:seconds=300", 400, 1, 30),
        ("building:seconds=300,max_speed=100", 400, 1, 100),
    ],
)
def test_mobiles_keep_their_speeds_and_area(direct, asked, side, slowest, fastest):
    world = build(asked)
    found = speeds(world)
    assert slowest * 0.999 <= min(found)
    assert max(found) <= fastest * 1.001
    assert max(found) - min(found) > 0.5 * (fastest - slowest), "every leg has a speed of its own"
    ways = [point["position_m"] for track in tracks(world) for point in track]
    assert all(0 <= x <= side and 0 <= y <= side for x, y in ways)
    assert max(x for x, _ in ways) > 0.9 * side


@pytest.mark.parametrize("count", [10, 20, 30])
def test_s000_building_is_that_of_its_table_1(direct, count):
    world = build(f"building:mobiles={count}")
    assert world["duration_ns"] == 600 * SECOND
    assert len(tracks(world)) == count
    mesh = {name: place for name, place in places(world).items() if name.startswith("mesh-")}
    assert len(mesh) == 6
    assert all(0 <= x <= 400 and 0 <= y <= 400 for x, y in mesh.values())
    others = places(build(f"building:mobiles={count},seed=2"))
    assert all(mesh[name] != others[name] for name in mesh)
    assert world["mac"]["preset"] == "802.11b"


@pytest.mark.parametrize(("heavy", "rate_bps"), [(0, 64_000), (1, 128_000)])
def test_s000_building_traffic(direct, heavy, rate_bps):
    world = build(f"building:heavy={heavy}")
    assert {flow["source"]["cbr"]["rate_bps"] for flow in world["flows"]} == {rate_bps}
    assert {flow["stop_ns"] - flow["start_ns"] for flow in world["flows"]} == {240 * SECOND}
    starts = [flow["start_ns"] for flow in world["flows"]]
    assert len(set(starts)) == len(starts) == 4 * 10
    sources = [flow["path"][0] for flow in world["flows"]]
    assert {sources.count(source) for source in sources} == {4}


def test_s000_one_mesh_node_is_out_for_100_s(monkeypatch):
    asked = []

    def paths(seconds, positions_at, ends, out_of_service_at):
        asked.append([out_of_service_at(float(second)) for second in range(seconds)])
        return {name: [(0, [source, target])] for name, source, target in ends}

    monkeypatch.setattr(mobiles, "_paths", paths)
    build("building")
    (out_of_service,) = asked
    down = [second for second, nodes in enumerate(out_of_service) if nodes]
    assert len(down) == 100
    assert down == list(range(down[0], down[0] + 100))
    assert len({*map(frozenset, out_of_service)} - {frozenset()}) == 1, "always the same node"


def test_a_node_out_of_service_forwards_nothing():
    neighbours = {"a": ["m", "n"], "m": ["a", "b"], "n": ["a", "o"], "o": ["n", "b"], "b": ["m", "o"]}
    assert mobiles._shortest(neighbours, "a", "b", set()) == ["a", "m", "b"]
    assert mobiles._shortest(neighbours, "a", "b", {"m"}) == ["a", "n", "o", "b"]


def test_s001_string_is_that_of_its_section_5():
    world = build("string_cross")
    assert radio(world) == {(11_000_000, 0.0, 20)}
    assert world["hearing"] == {"range": {"decode_m": 22.5}}
    assert world["mac"] == {"preset": "802.11b", "rts_threshold_bytes": 0}
    place = places(world)
    assert all(dist(place[a], place[b]) == 20 for a, b in [*pairwise(["N1", "N2", "N3", "N4"]), ("N5", "N6")])
    near = {frozenset((a, b)) for a in place for b in place if a != b and dist(place[a], place[b]) <= 22.5}
    assert frozenset(("N3", "N5")) in near
    assert frozenset(("N2", "N5")) not in near
    assert frozenset(("N1", "N3")) not in near
    tcp, cross = flow(world, "tcp"), flow(world, "cross")
    assert (tcp["path"], tcp["start_ns"], tcp["payload_bytes"]) == (["N1", "N2", "N3", "N4"], 3 * SECOND, 1000)
    assert (cross["start_ns"], cross["stop_ns"]) == (15 * SECOND, 30 * SECOND)
    assert world["duration_ns"] == 45 * SECOND


def test_s001_grid_is_that_of_its_section_5():
    world = build("grid_cross")
    assert radio(world) == {(11_000_000, 0.0, 20)}
    assert len(world["nodes"]) == 20
    assert [flow(world, name)["path"] for name in ("long", "short")] == [
        ["10", "11", "12", "13", "14"],
        ["5", "11", "17"],
    ]
    udp = flow(world, "udp")
    assert (udp["path"], udp["start_ns"], udp["stop_ns"]) == (["8", "4"], 30 * SECOND, 70 * SECOND)
    place = places(world)
    hears = {name: {other for other in place if dist(place[name], place[other]) <= 22.5} for name in place}
    assert not hears["8"] & {"5", "11", "17"}, "the cross traffic is out of the short flow's hearing"
    assert hears["8"] & {"12", "13", "14"}
    assert world["duration_ns"] == 100 * SECOND


def test_s002_mesh_is_that_of_its_section_3(direct):
    world = build("mesh_mobiles")
    assert world["duration_ns"] == 300 * SECOND
    assert world["mac"] == {"preset": "802.11b"}
    assert world["hearing"]["range"]["decode_m"] == 250.0
    assert world["hearing"]["range"]["sense_m"] == world["hearing"]["range"]["corrupt_m"] == 500.0
    assert {rate for rate, _, _ in radio(world)} == {11_000_000}
    assert {flow["payload_bytes"] + 40 for flow in world["flows"]} == {1440}
    farthest = max(coordinate for track in tracks(world) for point in track for coordinate in point["position_m"])
    assert 0.9 * 800 < farthest <= 800


@pytest.mark.parametrize("name", ["stack", "diamond", "half_diamond", "chain_cross"])
def test_s003_worlds_are_those_of_its_table_1(name):
    world = build(name)
    assert radio(world) == {(11_000_000, 0.0, 64)}
    assert {flow["payload_bytes"] for flow in world["flows"]} == {512}
    assert world["duration_ns"] == 200 * SECOND
    assert world["mac"] == {"preset": "802.11b", "rts_threshold_bytes": 0}
    assert set(world["hearing"]["graph"]) == {"decodes", "symmetric"}, "who is not decoded does not interfere"
    assert all(flow["transport"]["sack"] and flow["transport"]["ecn"] for flow in world["flows"])
    assert not any(flow["transport"].get("delayed_ack", False) for flow in world["flows"])


@pytest.mark.parametrize("hops", range(1, 11))
def test_s004_chain_is_that_of_its_section_5(hops):
    world = build(f"chain:{hops}")
    assert radio(world) == {(11_000_000, 0.0, 25)}
    assert len(world["nodes"]) == hops + 1
    assert world["mac"] == {"preset": "802.11b"}
    heard = world["hearing"]["range"]
    assert heard["sense_m"] > 2 * heard["decode_m"]
    assert heard["decode_m"] / 2 < 200 < heard["decode_m"], "only neighbours communicate"
    (one,) = world["flows"]
    assert one["payload_bytes"] + 40 == 1300
    assert one.get("ack_bytes", 40) == 40
    assert one["transport"]["maximum_timeout_ns"] == 2 * SECOND
    assert not one["transport"].get("ecn", False)
    assert not one["transport"].get("delayed_ack", False)


def test_s004_mesh_access_is_that_of_its_section_5():
    world = build("mesh_access")
    assert radio(world) == {(22_000_000, 0.0, 50)}
    assert world["mac"] == {"preset": "802.11b", "control_rate_bps": 2_000_000}
    wires = {link["to"]: link["medium"]["wired"] for link in world["links"] if "wired" in link["medium"]}
    assert wires["R"] == {"rate_bps": 100_000_000, "delay_ns": 50_000_000}
    assert wires["BS"] == {"rate_bps": 1_000_000_000, "delay_ns": 1_000_000}
    starts = [flow["start_ns"] // SECOND for flow in world["flows"]]
    assert [starts.count(second) for second in (0, 20, 40)] == [9, 9, 9]
    assert {tuple(flow["path"][1:3]) for flow in world["flows"]} == {("R", "BS")}
    assert {flow["name"][:2] for flow in world["flows"]} == {f"{arm}{group}" for arm in "TBR" for group in (1, 2, 3)}


@pytest.mark.parametrize(("nodes", "flows"), [(8, 4), (256, 128)])
def test_s000_ad_hoc_network(direct, nodes, flows):
    world = build(f"ad_hoc:nodes={nodes},flows={flows},seconds=2")
    assert len(tracks(world)) == len(world["nodes"]) == nodes
    assert len(world["flows"]) == flows
    assert {flow["source"]["cbr"]["rate_bps"] for flow in world["flows"]} == {64_000}
    assert all(flow["path"][0] != flow["path"][-1] for flow in world["flows"])
    assert places(world) != places(build(f"ad_hoc:nodes={nodes},flows={flows},seconds=2,seed=2"))
    near = [sum(dist(a, b) <= 250 for b in places(world).values()) - 1 for a in places(world).values()]
    assert sum(near) / nodes <= 8 * 1.3, "about eight neighbours in the mean, fewer at the edge"


@pytest.mark.parametrize(("threshold_w", "metres"), [(3.652e-10, 250.0), (1.559e-11, 550.0)])
def test_ranges_are_those_of_two_ray_ground(threshold_w, metres):
    """ns-2's 0.28183815 W between antennas 1.5 m high, and its thresholds of reception and carrier sense."""
    power_w, height_m = 0.28183815, 1.5
    reach = (power_w * height_m**4 / threshold_w) ** 0.25
    assert reach == pytest.approx(metres, rel=0.001)
    heard = build("chain")["hearing"]["range"]
    assert metres in (heard["decode_m"], heard["sense_m"])


def test_s000_two_mobiles_are_two_mesh_nodes_apart():
    from benchmarks.replay.reference.record_rt_winf_ns2 import FLOWS, SCENES

    nodes = {(name, flows): (count, rts) for name, count, rts, flows, *_ in SCENES}
    assert nodes["two nodes", 0] == (2, 1)
    assert nodes["mesh", 0] == (4, 1), "three radio hops"
    assert {nodes["flows", flows] for flows in FLOWS} == {(4, 1)}
    assert {nodes["probes", flows] for flows in FLOWS} == {(4, 0)}, "probes stand for RTS and CTS"
    datagrams_kbps = next(row[-1] for row in SCENES if row[0] == "two nodes")
    assert datagrams_kbps == 64


def test_s001_flows_of_fig_8_share_their_first_hops():
    from winf_analyzer._papers.reproductions._worlds import several_flows

    world = several_flows("F1, F2 and F3, told apart", 10.0)
    paths = {one["name"]: one["path"] for one in world["flows"]}
    assert len(world["nodes"]) == 7
    assert paths["F1"][:3] == paths["F2"][:3] == ["N1", "N2", "N3"]
    assert paths["F3"] == ["N7", "N6"]
    heard = {frozenset(pair) for pair in world["hearing"]["graph"]["decodes"]}
    assert {frozenset(("N6", node)) for node in ("N2", "N3", "N4")} <= heard
    assert world["mac"]["rts_threshold_bytes"] == 0
    assert all(link["queue"]["per_flow"] for link in world["links"])
    assert [one["name"] for one in several_flows("F3 alone", 10.0)["flows"]] == ["F3"]
