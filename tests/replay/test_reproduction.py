"""Worlds that a third station recorded: whether they deliver what the flows delivered."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from winf_analyzer._replay.reproduction import _delivered, _without_pairs, difference, reproduced
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
    return _delivered(WORLD)


@pytest.fixture(scope="module")
def apart():
    return _delivered(_without_pairs(WORLD, ACROSS))


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


def test_one_station_may_be_the_one_that_others_do_not_hear():
    """Of three pairs two share the medium; who answers the third hears all, who sends to it hears nobody else."""
    rows = [*ROWS, ("e", "f")]
    links = [pair for row in rows for pair in permutations(row)]
    across = tuple(pair for pair in permutations("abcdef", 2) if pair not in links)
    parts = {
        "nodes": [{"name": name} for name in "abcdef"],
        "links": [{"from": a, "to": b, "medium": {"wireless": {"rate_bps": 11_000_000}}} for a, b in links],
        "flows": [{"name": f"{a} > {b}", "path": [a, b]} for a, b in rows],
        "hearing": {"graph": {"decodes": [list(pair) for pair in (*links, *across)]}},
    }
    pairs = {pair for pair in across if "e" in pair}
    delivered = _delivered(_without_pairs(WORLD | parts, tuple(pairs)))
    world, _, notes = reproduced(WORLD | parts, replace(unknowns(delivered), assumed_pairs=across))
    assert set(across) - {tuple(pair) for pair in world["hearing"]["graph"]["decodes"]} == pairs
    assert notes[0].startswith("e and stations")


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
    delivered = _delivered(HIDDEN)
    told = replace(unknowns(delivered), assumed_pairs=())
    world, _, notes = reproduced(HIDDEN, replace(told, missing_packets={"a": 0, "c": 0}))
    assert world["mac"] == HIDDEN["mac"] | {"rts_retry_limit": 255}
    assert "at most 0 packets were given up" in notes[0]
    many = replace(told, missing_packets={"a": 1000, "c": 1000})
    assert reproduced(HIDDEN, many)[0] is HIDDEN, "as many are missing as would be given up"
    assert reproduced(HIDDEN, replace(told, missing_packets={"b": 0}))[0] is HIDDEN, "who gives up was not heard"
    assert "rts_retry_limit" not in reproduced(WORLD, unknowns(_delivered(WORLD)))[0]["mac"]


def test_recordings_of_the_senders_are_taken_as_they_are():
    own = Unknowns(model_errors={"throughput_bps": 0.01}, assumed_pairs=ACROSS)
    assert reproduced(WORLD, own) == (WORLD, own, [])


def test_differences_count_the_same_either_way_and_starved_flows_do_not():
    assert difference({"x": 2.0}, {"x": 1.0}) == pytest.approx(difference({"x": 1.0}, {"x": 2.0}))
    assert difference({"x": 1.0, "y": 0.0}, {"x": 1.0, "y": 0.01}) == 0
    assert difference({"x": 0.0}, {"x": 1.0}) > 2, "a flow that starves in the replay alone"
    assert difference({}, {"x": 1.0}) == 0


def test_a_world_that_cannot_be_run_is_left_to_the_replay_to_refuse():
    broken = WORLD | {"flows": [{"name": "a > d", "path": ["a", "d"]}]}
    assert reproduced(broken, unknowns({"a > d": 1e6})) == (broken, unknowns({"a > d": 1e6}), [])
    with pytest.raises(ValueError, match="link"):
        _delivered(broken)
