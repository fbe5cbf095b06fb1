"""Durations as users write them."""

from __future__ import annotations

import pytest

from winf_analyzer._util.durations import parse_ns, parse_offset_ns


def test_a_duration_and_an_offset_are_read():
    assert [parse_ns(text) for text in ("500ms", " 1.5S ", "2m", 7)] == [500_000_000, 1_500_000_000, 120_000_000_000, 7]
    assert [parse_offset_ns(text) for text in ("2.5s", "-300ms", "0", "+1s")] == [2_500_000_000, -300_000_000, 0, 10**9]


@pytest.mark.parametrize(
    ("duration", "said"),
    [
        ("soon", "'soon' is not a duration; write for example 500ms, 1s or 2m"),
        ("5", "'5' is not a duration; write for example 500ms, 1s or 2m"),
        ("--1s", "'--1s' is not a duration; write for example 500ms, 1s or 2m"),
        (True, "True is not a duration; write for example 500ms, 1s or 2m"),
        (1.5, "1.5 is not a duration; write for example 500ms, 1s or 2m"),
        (None, "None is not a duration; write for example 500ms, 1s or 2m"),
        ("0s", "'0s': a duration is greater than zero"),
        ("0", "'0': a duration is greater than zero"),
        ("-1s", "'-1s': a duration is greater than zero"),
        (-1, "-1: a duration is greater than zero"),
        ("99999999999h", "'99999999999h': a duration is at most 876000h"),
    ],
)
def test_what_is_no_duration_is_told_why(duration, said):
    with pytest.raises(ValueError, match="duration") as raised:
        parse_ns(duration)
    assert str(raised.value) == said


@pytest.mark.parametrize("offset", ["soon", True, 1.5])
def test_what_is_no_offset_is_told(offset):
    with pytest.raises(ValueError, match="is not an offset; write for example"):
        parse_offset_ns(offset)
