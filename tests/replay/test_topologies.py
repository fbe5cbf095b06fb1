"""Named topologies: what their papers' texts say about them, and what can be asked for."""

from itertools import pairwise

import pytest

from winf_analyzer._replay.topologies import TOPOLOGIES, build


def neighbourhood(world, link):
    """L(i -> j) of S003: the declared links with an end in N[i] U N[j]."""
    near = set(link)
    for a, b in world["hearing"]["graph"]["decodes"]:
        if a in link:
            near.add(b)
        if b in link:
            near.add(a)
    links = {(entry["from"], entry["to"]) for entry in world["links"]}
    return {other for other in links if near & set(other)}


def links_of(world, nodes):
    names = {str(node) for node in nodes}
    return {(entry["from"], entry["to"]) for entry in world["links"] if {entry["from"], entry["to"]} <= names}


def test_stack_has_one_congested_region():
    world = build("stack")
    assert neighbourhood(world, ("4", "5")) == links_of(world, range(1, 10))
    assert neighbourhood(world, ("1", "2")) == links_of(world, range(1, 7))


def test_diamond_has_two_congested_regions():
    world = build("diamond")
    assert neighbourhood(world, ("1", "2")) == links_of(world, range(1, 7))
    assert neighbourhood(world, ("7", "8")) == links_of(world, range(4, 10))


def test_half_diamond_has_one_region_inside_another():
    world = build("half_diamond")
    assert neighbourhood(world, ("7", "8")) < neighbourhood(world, ("4", "5"))


def test_chain_cross_has_two_regions_apart():
    world = build("chain_cross")
    assert ("6", "7") in neighbourhood(world, ("4", "5"))
    assert ("6", "7") not in neighbourhood(world, ("1", "2"))
    assert {("8", "9"), ("10", "11")} < neighbourhood(world, ("1", "2"))


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_path_runs_over_declared_links(name):
    world = build(name)
    links = {frozenset((link["from"], link["to"])) for link in world["links"]}
    names = {node["name"] for node in world["nodes"]}
    for flow in world["flows"]:
        for path in (flow["path"], *(reroute["path"] for reroute in flow.get("reroutes", []))):
            assert set(path) <= names
            assert all(frozenset(hop) in links for hop in pairwise(path)), (flow["name"], path)


def test_the_same_seed_gives_the_same_mobiles():
    assert build("building:seed=7") == build("building:seed=7")
    assert build("building:seed=7") != build("building:seed=8")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("nowhere", "'nowhere' is not one of chain, grid"),
        ("chain:four", "hops must be a number"),
        ("chain:hops=2,colour=1", "no parameter colour; it has hops, rts"),
        ("chain:0", "hops must be at least 1"),
        ("mesh_mobiles:mobiles=1", "mobiles must be at least 2"),
        ("chain:1e9", "must be a number"),
        ("chain:1000000000", "between 0 and 100000"),
    ],
)
def test_what_cannot_be_built_is_said(asked, message):
    with pytest.raises(ValueError, match=message):
        build(asked)


def test_parameters_by_place_and_by_name():
    assert len(build("chain:7")["nodes"]) == 8
    assert build("chain:7") == build("chain:hops=7")
