"""Recordings of one pair of stations and nobody else: which loads they leave open, and what the answer makes of it."""

from __future__ import annotations

import polars as pl
import pytest
from test_late_repetitions import ACK_US, BITS, DATA_US, DIFS_US, SIFS_US, contend, recorded

from winf_analyzer._models.saturation.unheard import lone_pairs


def test_the_load_beside_which_no_failure_is_still_likely():
    beside = [(0.1, 1.0), (0.3, 2.9), (0.5, 3.1), (0.6, 9.0)]
    assert lone_pairs.largest(beside, destroyed=1.0) == 0.3
    assert lone_pairs.largest(beside, destroyed=0.5) == 0.5
    assert lone_pairs.largest(beside, destroyed=0.1) == lone_pairs.MAX_LOAD
    assert lone_pairs.largest([(0.1, 40.0)], destroyed=1.0) == 0


def test_repetitions_that_were_seen_leave_more_open():
    """Up to three are likely beside 7.7 expected ones; of these a fifth may be late."""
    beside = [(0.1, 2.9), (0.2, 7.0), (0.3, 10.0)]
    assert lone_pairs.largest(beside, 1.0) == 0.1
    assert lone_pairs.largest(beside, 1.0, repeated=3) == 0.2
    assert lone_pairs.largest(beside, 1.0, repeated=6) == 0.3
    many = [(share, 10 * collisions) for share, collisions in beside]
    assert lone_pairs.largest(many, 1.0, repeated=100, late=2) == 0.1
    assert lone_pairs.largest(many, 1.0, repeated=100, late=9, late_anyway=1.0) == 0.2


def test_many_repetitions_are_judged_in_no_time():
    """A day has millions: as many as were expected do not contradict a load, and a hundredth less do."""
    beside = [(0.1, 10e6), (0.3, 10.1e6)]
    assert lone_pairs.largest(beside, 1.0, repeated=10_000_000, late=10_000_000) == 0.1
    assert lone_pairs.largest(beside, 1.0, repeated=10_097_000, late=10_097_000) == 0.3


@pytest.mark.parametrize("missing", [0.05, 0.1])
def test_missing_frames_make_nothing_more_certain(missing, tmp_path):
    """Seen from the sender's own packets alone, a load beside it is as possible as where all of them were recorded."""
    exchange_us = DIFS_US + DATA_US + SIFS_US + ACK_US
    for others in (0.0, 0.3e6 / exchange_us):
        (folder := tmp_path / f"{others}").mkdir()
        answer = recorded(contend((30, others), 10), folder, missing=missing)
        full = sum(answered for _, answered, _ in contend((10_000, others), 20)) / 20
        assert answer["available_low_bps"] <= BITS * (full - 30) <= answer["available_high_bps"]


def test_a_light_sender_whose_neighbour_is_not_in_the_recording_gets_bounds_that_hold_both_and_no_value(tmp_path):
    """Truth beside the unheard load and alone: the recording, in which nothing failed, is the same."""
    exchange_us = DIFS_US + DATA_US + SIFS_US + ACK_US
    answer = recorded(contend((30, 0), 5), tmp_path)
    for others in (0.0, 0.4e6 / exchange_us):
        full = sum(answered for _, answered, _ in contend((10_000, others), 20)) / 20
        assert answer["available_low_bps"] <= BITS * (full - 30) <= answer["available_high_bps"]
    assert (answer["available_bps"], answer["grade"]) == (None, "unknown")
    assert "others_unbounded" in answer["reasons"]


def test_a_sender_whose_frames_bound_what_others_may_send_has_a_value(tmp_path):
    alone = contend((150, 0), 5)
    full = sum(answered for _, answered, _ in contend((10_000, 0), 20)) / 20
    answer = recorded(alone, tmp_path)
    assert answer["available_bps"] == pytest.approx(BITS * (full - 150), rel=0.05)
    assert "others_unbounded" not in answer["reasons"]


@pytest.mark.parametrize(
    ("changed", "lone"),
    [
        ({}, True),
        ({"sender": ["b", "a"], "receiver": ["a", "b"]}, True),
        ({"receiver": [None, "b"]}, True),
        ({"receiver": [None, None]}, False),
        ({"receiver": ["b", "c"]}, False),
        ({"to_groups": [1.0, 0.0]}, False),
        ({"sender": ["node-0", "node-0"], "receiver": ["node-1", "node-1"]}, False),
    ],
)
def test_what_a_recording_of_one_pair_is(changed, lone):
    links = pl.DataFrame(
        {"medium": [3, 3], "sender": ["a", "a"], "receiver": ["b", "b"], "to_groups": [0.0, 0.0]} | changed,
        schema_overrides={"medium": pl.UInt32, "receiver": pl.String},
    )
    assert lone_pairs.media(links) == ([3] if lone else [])
