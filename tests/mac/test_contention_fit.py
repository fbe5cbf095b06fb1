"""AIFSN and CWmin out of histograms of slots."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from winf_analyzer._mac import contention_fit, measured

FIRSTS = {1: 0.01, 2: 1.0, 3: 0.01, 7: 0.01}
EQUAL = {}


def won(cw, rivals, count, seed=1):
    """Backoffs with which a sender went first, against others who draw alike."""
    draw = random.Random(seed)
    backoffs = []
    while len(backoffs) < count:
        own = draw.randint(0, cw)
        if all(draw.randint(0, cw) > own for _ in range(rivals)):
            backoffs.append(own)
    return Counter(backoffs)


@pytest.mark.parametrize("cw", [3, 7, 15, 31, 63])
@pytest.mark.parametrize("first", [2, 3, 7])
def test_a_lone_sender_shows_its_plateau(cw, first):
    teeth = {first + backoff: count for backoff, count in won(cw, 0, 200).items()}
    found = contention_fit.fit(teeth, FIRSTS, EQUAL, all_drawn=True)
    assert (found.zero_slot, found.cw_min) == (first, cw)
    assert min(found.zero_slot_confidence, found.cw_min_confidence) > 0.99


@pytest.mark.parametrize("cw", [7, 15, 31])
@pytest.mark.parametrize("rivals", [1, 3])
def test_rivals_slope_the_plateau_but_leave_its_edge(cw, rivals):
    found = contention_fit.fit(won(cw, rivals, 3000), {0: 1.0}, EQUAL, all_drawn=True)
    assert found.cw_min == cw


def test_senders_with_nothing_to_send_do_not_widen_it():
    draw = random.Random(1)
    teeth = won(15, 0, 100) + Counter(draw.randint(0, 300) for _ in range(100))
    found = contention_fit.fit(teeth, {0: 1.0}, EQUAL, all_drawn=True)
    assert found.cw_min == 15
    assert found.cw_min_confidence > 0.99


@pytest.mark.parametrize(
    ("cw", "mean", "empty"),
    [(3, 40, 0.5), (7, 6, 0.5), (15, 40, 0.5), (3, 3, 1), (7, 6, 1), (15, 12, 1), (31, 25, 1)],
)
def test_a_backoff_is_over_before_a_packet_that_came_later_goes(cw, mean, empty):
    """Of a sender whose queue is empty that often when its exchange ends, and then for `mean` slots."""
    draw = random.Random(1)
    times = [int(draw.expovariate(1 / mean)) if draw.random() < empty else 0 for _ in range(400)]
    found = contention_fit.fit(
        Counter(max(draw.randint(0, cw), slots) for slots in times), {0: 1.0}, EQUAL, all_drawn=True
    )
    assert found.cw_min == cw
    assert found.cw_min_confidence > 0.99


def test_gaps_that_are_too_short_move_no_aifs():
    """One in twelve ends earlier than AIFS lets it: stamps that are off, or a frame between that was not heard."""
    draw = random.Random(1)
    slots = Counter(3 + backoff for backoff in won(15, 0, 100).elements()) + Counter(
        draw.randint(1, 2) for _ in range(8)
    )
    found = contention_fit.fit(
        slots, {first: 1.0 if first == 3 else 0.01 for first in range(1, 6)}, EQUAL, all_drawn=True
    )
    assert (found.zero_slot, found.cw_min) == (3, 15)
    assert min(found.zero_slot_confidence, found.cw_min_confidence) > 0.99


def test_without_a_plateau_nothing_is_sure():
    draw = random.Random(1)
    found = contention_fit.fit(Counter(draw.randint(0, 1023) for _ in range(60)), {0: 1.0}, EQUAL, all_drawn=True)
    assert found.cw_min_confidence < 0.99


@examples(60)
@given(st.dictionaries(st.integers(-5, 5000), st.integers(1, 10**6), max_size=20), st.booleans())
def test_any_histogram_is_read(teeth, all_drawn):
    found = contention_fit.fit(teeth, FIRSTS, EQUAL, all_drawn=all_drawn)
    assert found is None or (0 <= found.zero_slot_confidence <= 1.0001 and 0 <= found.cw_min_confidence <= 1.0001)


def test_what_falls_off_is_told_from_a_plateau_by_its_upper_half():
    flat = contention_fit.fit(won(31, 0, 1000), {0: 1.0}, EQUAL, all_drawn=True)
    assert flat.upper_share == pytest.approx(0.5, abs=0.05)
    draw = random.Random(1)
    falling = contention_fit.fit(
        Counter(int(draw.expovariate(0.1)) for _ in range(1000)), {0: 1.0}, EQUAL, all_drawn=True
    )
    assert falling.upper_share < 0.4


def test_the_sum_of_two_backoffs_is_no_plateau():
    draw = random.Random(1)
    sums = Counter(draw.randint(0, 15) + draw.randint(0, 15) for _ in range(2000))
    found = contention_fit.fit(sums, {0: 1.0}, EQUAL, all_drawn=True)
    assert found.cw_min == 31
    assert found.middle_share > 0.7
    assert not measured._is_even(found)
    assert measured._is_even(contention_fit.fit(won(31, 0, 2000), {0: 1.0}, EQUAL, all_drawn=True))
