"""Who may hear whom where no recording shows it: stations in a plane with one range."""

from __future__ import annotations

from itertools import combinations

import pytest

from winf_analyzer._replay.placements import placements


def found(stations, together, apart, heard=None, number=16):
    return list(placements(stations, together, apart, heard or {}, number))


def test_every_placement_keeps_what_is_known():
    """Of a square's sides three are known and one diagonal is not there: the fourth side and the other are open."""
    together, apart = [("a", "b"), ("b", "c"), ("c", "d")], [("a", "c")]
    every = found("abcd", together, apart)
    assert len(set(every)) == len(every) > 1
    assert {pair for hidden in every for pair in hidden} <= {("a", "d"), ("b", "d")}


def test_a_plane_has_no_room_for_six_that_hear_a_seventh_and_none_of_the_others():
    rim = "abcdef"
    assert found("abcdefz", [(name, "z") for name in rim], list(combinations(rim, 2))) == []
    assert found("abcdz", [(name, "z") for name in "abcd"], list(combinations("abcd", 2))), "four have room"


def test_the_station_that_recorded_is_somewhere_too():
    """Who hears both ends of a path, and not the station far behind one, is not beside that station's neighbours."""
    near = {"s": {"a": True, "b": True, "c": False}}
    open_pairs = found("abc", [("a", "b")], [])
    assert frozenset() in open_pairs
    with_recorder = found("abc", [("a", "b"), ("b", "c")], [], near)
    assert frozenset({("a", "c")}) in with_recorder
    assert found("ab", [], [], {"s": {"a": True, "b": True}, "t": {"a": False}}), "t may not hear b"


@pytest.mark.parametrize("number", [1, 3])
def test_no_more_than_asked_for_and_the_same_each_time(number):
    every = found("abcde", [], [], number=number)
    assert len(every) == number
    assert every == found("abcde", [], [], number=number)
