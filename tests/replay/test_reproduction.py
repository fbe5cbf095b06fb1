"""Worlds that a third station recorded: whether they deliver what the flows delivered."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import log, log1p

import pytest

from winf_analyzer._replay import reproduction
from winf_analyzer._replay.reference_runs import reference_runs
from winf_analyzer._replay.reproduction import (
    NOTABLE,
    SEEDS,
    _apart,
    _Compared,
    _compared,
    _failing,
    _told_apart,
    _without_pairs,
    difference,
    losses_beside_collisions,
    repetitions_apart,
    reproduced,
    throughputs,
)
from winf_analyzer._replay.unknowns import THIRD_PARTY, Unknowns

ROWS = [("a", "b"), ("c", "d")]
LINKS = [pair for one, other in ROWS for pair in ((one, other), (other, one))]
ACROSS = tuple(pair for pair in permutations("abcd", 2) if pair not in LINKS)
WORLD = {
    "name": "rows",
    "duration_ns": 6_000_000_000,
    "mac": {"preset": "802.11b"},
    "nodes": [{"name": name} for name in "abcd"],
    "links": [{"from": a, "to": b, "medium": {"wireless": {"rate_bps": 11_000_000}}} for a, b in LINKS],
    "flows": [{"name": f"{a} > {b}", "path": [a, b]} for a, b in ROWS],
    "hearing": {"graph": {"decodes": [list(pair) for pair in (*LINKS, *ACROSS)]}},
}


@pytest.fixture(scope="module")
def together():
    return throughputs(WORLD)


@pytest.fixture(scope="module")
def apart():
    return throughputs(_without_pairs(WORLD, ACROSS))


def unknowns(delivered):
    return Unknowns(model_errors=THIRD_PARTY, delivered_bps=delivered, assumed_pairs=ACROSS)


def test_rows_that_deliver_what_each_does_alone_do_not_hear_each_other(together, apart):
    assert sum(apart.values()) > 1.7 * sum(together.values())
    world, found, notes = reproduced(WORLD, unknowns(apart))
    assert {tuple(pair) for pair in world["hearing"]["graph"]["decodes"]} == set(LINKS)
    assert found.model_errors == THIRD_PARTY
    assert "do not hear" not in notes[0]
    assert "assumed not to" in notes[0]
    assert len(notes) == 1
    assert len(WORLD["hearing"]["graph"]["decodes"]) == 12, "the given one stays"


def test_what_is_delivered_already_is_not_assumed_otherwise(together, apart):
    assert reproduced(WORLD, unknowns(together)) == (WORLD, unknowns(together), [])
    kept = replace(unknowns(apart), assumed_pairs=())
    assert reproduced(WORLD, kept)[0] is WORLD, "a recording shows who hears whom"


@pytest.mark.parametrize("factor", [0.25, 4.0])
def test_what_no_assumption_delivers_makes_intervals_longer(factor, together, apart):
    delivered = {name: factor * bps for name, bps in (apart if factor > 1 else together).items()}
    world, found, notes = reproduced(WORLD, unknowns(delivered))
    assert found.model_errors["throughput_bps"] == pytest.approx(3.0 if factor < 1 else 7.0, rel=0.2)
    assert world is WORLD
    assert "intervals are so much longer" in notes[-1]


THREE_ROWS = [*ROWS, ("e", "f")]
THREE_LINKS = [pair for row in THREE_ROWS for pair in permutations(row)]
THREE_ACROSS = tuple(pair for pair in permutations("abcdef", 2) if pair not in THREE_LINKS)
THREE = WORLD | {
    "nodes": [{"name": name} for name in "abcdef"],
    "links": [{"from": a, "to": b, "medium": {"wireless": {"rate_bps": 11_000_000}}} for a, b in THREE_LINKS],
    "flows": [{"name": f"{a} > {b}", "path": [a, b]} for a, b in THREE_ROWS],
    "hearing": {"graph": {"decodes": [list(pair) for pair in (*THREE_LINKS, *THREE_ACROSS)]}},
}


def test_what_bulk_transfers_deliver_in_place_of_flows_is_no_error():
    slow = [flow | {"source": {"cbr": {"rate_bps": 200_000}}, "ack_bytes": 0} for flow in WORLD["flows"]]
    delivered = throughputs(WORLD | {"flows": slow})
    assert reproduced(WORLD, unknowns(delivered))[1].model_errors["throughput_bps"] > 5
    as_they_were = replace(unknowns(delivered), flows_as_recorded=tuple(slow))
    world, left, notes = reproduced(WORLD, as_they_were)
    assert (world, left, notes) == (WORLD, as_they_were, [])


@pytest.fixture(scope="module")
def starving():
    """What three rows deliver of which the outer ones do not hear each other: the one between them starves."""
    outer = tuple(pair for pair in THREE_ACROSS if set(pair) <= set("abef"))
    return throughputs(_without_pairs(THREE, outer))


def test_a_flow_that_starves_shows_whom_its_stations_hear(starving):
    assert starving["c > d"] < 0.15 * starving["a > b"]
    world, _, _ = reproduced(THREE, replace(unknowns(starving), assumed_pairs=THREE_ACROSS))
    assert difference(throughputs(world), starving) < log1p(NOTABLE)
    heard = {tuple(pair) for pair in world["hearing"]["graph"]["decodes"]} - set(THREE_LINKS)
    assert not [pair for pair in heard if set(pair) <= set("abef")], "the outer rows do not hear each other"
    assert {pair for pair in heard if set(pair) & set("ab")}, "both hear the one between them"
    assert {pair for pair in heard if set(pair) & set("ef")}
    assert {pair[::-1] for pair in heard} == heard


def test_intervals_are_drawn_over_all_placements_that_deliver_as_much(monkeypatch, apart):
    """As if all in which a and c do not hear each other delivered the same."""

    def each(who, hidden, world, _):
        return _Compared(who, hidden, 0.05 if ("a", "c") in hidden else 1.0, 0.0, 0.0)

    monkeypatch.setattr(reproduction, "_compared", each)
    world, found, _ = reproduced(WORLD, unknowns(apart))
    graphs = [{tuple(pair) for pair in each["graph"]["decodes"]} for each in found.hearings]
    assert len(graphs) > 1
    assert not [graph for graph in graphs if ("a", "c") in graph]
    assert world["hearing"] in found.hearings
    drawn = [found.draw(world, number)["hearing"] for number in range(60)]
    assert {str(each) for each in drawn} == {str(each) for each in found.hearings}
    assert found.draw(world, 7) == found.draw(world, 7)
    assert replace(found, hearings=()).draw(world, 7)["hearing"] == world["hearing"]


def compared(delivered, repeated=0.0, chance=0.0, pairs=1):
    return _Compared("who", ACROSS[:pairs], delivered, repeated, chance)


ALL = len(ACROSS)


@pytest.mark.parametrize(("chance", "number"), [(0.0, 1), (0.3, 2)])
def test_placements_that_chance_alone_tells_apart_are_all_likely(chance, number):
    best, other = compared(0.2, chance=chance), compared(0.4, pairs=2)
    chosen, likely = _told_apart(compared(1.0), [best, other, compared(2.0, pairs=ALL)])
    assert (chosen, likely) == (best, [best, other][:number])


def test_none_hear_each_other_where_one_run_may_be_as_far_off():
    """Two senders, one of which takes the medium for long times: seeds are further off than what was recorded."""
    none, best = compared(0.4, 0.2, chance=0.9, pairs=ALL), compared(0.1, 0.2)
    assert _told_apart(compared(0.3, 0.4), [best, none]) == (none, [none, best])
    sure = none._replace(chance=0.05)
    assert _told_apart(compared(0.3, 0.4), [best, sure])[0] == best, "its seeds agree, and it is off"
    assert _told_apart(compared(0.2, 0.1), [none]) == (None, []), "more is repeated then than was"
    assert _told_apart(compared(0.45), [none._replace(repeated=0.0)]) == (None, []), "behind RTS nothing tells"


def test_without_anything_that_is_clearly_nearer_all_hear_each_other():
    assert _told_apart(compared(0.3, 0.1), [compared(0.25, 0.1), compared(0.3, 0.3, pairs=ALL)]) == (None, [])


def test_all_apart_is_among_what_is_tried_whatever_is_drawn(monkeypatch):
    monkeypatch.setattr(reproduction, "placements", lambda *_: [frozenset({("a", "c")})])
    tried = [set(hidden) for _, hidden in _apart(WORLD, unknowns({}))]
    assert tried == [{("a", "c"), ("c", "a")}, set(ACROSS)]
    monkeypatch.setattr(reproduction, "placements", lambda *_: [])
    assert next(set(hidden) for _, hidden in _apart(WORLD, unknowns({}))) == set(ACROSS)


def test_repetitions_count_besides_what_is_delivered(apart):
    """Rows that share the medium collide more often than a row alone does with its own acknowledgements."""
    alone = _failing(reference_runs(_without_pairs(WORLD, ACROSS), SEEDS)[1])
    assert set(alone) == set(LINKS)
    told = replace(unknowns(apart), assumed_pairs=ACROSS, repeated=alone)
    assert _compared("", ACROSS, WORLD, told).repeated == 0
    assert _compared("", (), WORLD, told).repeated > 0.2
    other = replace(told, repeated=dict.fromkeys(LINKS, 0.5))
    assert _compared("", ACROSS, WORLD, other).total > _compared("", ACROSS, WORLD, told).total + 1


def test_shares_of_repetitions_are_apart_by_their_logarithm_either_way():
    link, other = ("a", "b"), ("b", "a")
    assert repetitions_apart({link: 0.2}, {link: 0.02}) == pytest.approx(repetitions_apart({link: 0.02}, {link: 0.2}))
    assert repetitions_apart({link: 0.2, other: 0.0}, {link: 0.2, other: 0.001}) < 0.03, "so few are chance"
    assert repetitions_apart({link: 0.2}, {other: 0.9}) == 0, "a link without enough attempts in a replay"


def test_what_is_repeated_more_often_than_collisions_explain_was_lost():
    """The receiver loses a tenth of the frames of a, of which it is unknown how many did not collide."""
    link, back = LINKS[:2]
    lossy = WORLD | {
        "links": [
            each | {"medium": {"wireless": {"rate_bps": 11_000_000, "loss": 0.1}}} if each["from"] == "a" else each
            for each in WORLD["links"]
        ]
    }
    failing = _failing(reference_runs(lossy, SEEDS)[1])
    told = replace(
        unknowns(throughputs(lossy)), repeated=failing, losses_or_collisions={link: 0.15, back: 0.15}, assumed_pairs=()
    )
    world, found, notes = reproduced(WORLD, told)
    losses = {(each["from"], each["to"]): each["medium"]["wireless"].get("loss") for each in world["links"]}
    assert losses[link] == pytest.approx(0.1, abs=0.025)
    assert losses[back] is None, "its repetitions are collisions"
    assert f"a > b {100 * losses[link]:.0f} %" in notes[0]
    assert difference(throughputs(world), told.delivered_bps) < 0.03
    drawn = [
        {(each["from"], each["to"]): each["medium"]["wireless"]["loss"] for each in found.draw(world, n)["links"][:2]}
        for n in range(50)
    ]
    assert all(losses[link] / 2 <= each[link] <= 0.15 for each in drawn)
    assert min(each[back] for each in drawn) < 0.02, "of the other it stays unknown"
    assert losses_beside_collisions(replace(told, losses_or_collisions={link: 0.04}), {link: 0.0}) == {link: 0.04}
    assert losses_beside_collisions(replace(told, losses_or_collisions={}), {link: 0.0}) == {}


HIDDEN = {
    "name": "hidden",
    "duration_ns": 8_000_000_000,
    "mac": {"preset": "802.11b", "rts_threshold_bytes": 0},
    "nodes": [{"name": name} for name in "abc"],
    "links": [{"from": a, "to": b, "medium": {"wireless": {}}} for a, b in (*permutations("ab"), *permutations("bc"))],
    "flows": [{"name": f"{a} > b", "path": [a, "b"]} for a in "ac"],
    "hearing": {"graph": {"decodes": [["a", "b"], ["b", "a"], ["b", "c"], ["c", "b"]]}},
}


def test_rts_are_sent_until_they_are_answered_if_no_packets_are_missing():
    delivered = throughputs(HIDDEN)
    told = replace(unknowns(delivered), assumed_pairs=())
    world, _, notes = reproduced(HIDDEN, replace(told, missing_packets={"a": 0, "c": 0}))
    assert world["mac"] == HIDDEN["mac"] | {"rts_retry_limit": 255}
    assert "at most 0 packets were given up" in notes[0]
    many = replace(told, missing_packets={"a": 1000, "c": 1000})
    assert reproduced(HIDDEN, many)[0] is HIDDEN, "as many are missing as would be given up"
    assert reproduced(HIDDEN, replace(told, missing_packets={"b": 0}))[0] is HIDDEN, "who gives up was not heard"
    assert "rts_retry_limit" not in reproduced(WORLD, unknowns(throughputs(WORLD)))[0]["mac"]


def test_recordings_of_the_senders_are_taken_as_they_are():
    own = Unknowns(model_errors={"throughput_bps": 0.01}, assumed_pairs=ACROSS)
    assert reproduced(WORLD, own) == (WORLD, own, [])


def test_differences_count_the_same_either_way_and_starved_flows_do_not():
    assert difference({"x": 2.0}, {"x": 1.0}) == pytest.approx(difference({"x": 1.0}, {"x": 2.0}))
    assert difference({"x": 1.0, "y": 0.0}, {"x": 1.0, "y": 0.01}) == 0
    assert difference({"x": 1.0, "y": 1.0}, {"x": 1.0, "y": 0.01}) == pytest.approx(log(20) / 2), "it starved before"
    assert difference({"x": 0.0}, {"x": 1.0}) > 2, "a flow that starves in the replay alone"
    assert difference({}, {"x": 1.0}) == 0


def test_a_world_that_cannot_be_run_is_left_to_the_replay_to_refuse():
    broken = WORLD | {"flows": [{"name": "a > d", "path": ["a", "d"]}]}
    assert reproduced(broken, unknowns({"a > d": 1e6})) == (broken, unknowns({"a > d": 1e6}), [])
    with pytest.raises(ValueError, match="link"):
        throughputs(broken)
