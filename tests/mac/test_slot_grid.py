"""The slot time out of histograms of gaps."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from winf_analyzer._mac import slot_grid


def gaps(slot, offset, count, cw=15, jitter=0, seed=1, elsewhere=0):
    """Gaps of a backlogged sender, and some of one that had nothing to send."""
    draw = random.Random(seed)
    backlogged = [offset + slot * draw.randint(0, cw) + draw.randint(-jitter, jitter) for _ in range(count)]
    return Counter(backlogged + [draw.randint(offset, 1000) for _ in range(elsewhere)])


@pytest.mark.parametrize(("slot", "offset"), [(20, 50), (9, 34), (9, 28), (9, 43), (13, 42)])
@pytest.mark.parametrize(("count", "jitter", "elsewhere"), [(40, 0, 0), (100, 1, 0), (100, 0, 200), (1000, 1, 1000)])
def test_the_period_is_the_slot(slot, offset, count, jitter, elsewhere):
    found = slot_grid.fit(gaps(slot, offset, count, jitter=jitter, elsewhere=elsewhere))
    assert found.period_us == slot
    assert found.confidence > 0.99
    assert abs((found.phase_us - offset + slot / 2) % slot - slot / 2) < 1


@pytest.mark.parametrize(("slot", "offset"), [(12, 40), (15, 46), (21, 58)])
def test_slots_of_long_distances_are_told_in_light_traffic(slot, offset):
    """Where two in five packets find the medium idle, and less than 0.8 of all gaps are on the grid."""
    found = slot_grid.fit(gaps(slot, offset, 400, elsewhere=300))
    assert found is not None
    assert found.period_us == slot


@pytest.mark.parametrize("slots", [range(0, 16, 4), range(0, 6)])
def test_gaps_that_repeat_in_a_few_slots_are_no_slots_of_long_distances(slots):
    """As those between packets at equal intervals: 90 of each, and as many anywhere."""
    draw = random.Random(1)
    histogram = Counter({46 + 15 * slot: 90 for slot in slots}) + Counter(draw.randint(320, 1000) for _ in range(600))
    found = slot_grid.fit(histogram)
    assert found is None or found.period_us != 15


@pytest.mark.parametrize("slot", [14, 16, 19])
def test_other_slots_are_not_told_in_light_traffic(slot):
    assert slot_grid.fit(gaps(slot, 46, 400, elsewhere=300)) is None


@pytest.mark.parametrize("histogram", [{}, {50: 1000}, {50: 1000, 51: 10}, {100: 300, 350: 300}, {34: 5, 43: 5, 52: 4}])
def test_too_few_different_gaps_tell_nothing(histogram):
    assert slot_grid.fit(histogram) is None


def test_packets_at_equal_intervals_repeat_a_few_gaps_which_determine_no_period():
    """Of four stations, 300 packets a second each: 547 and 927 us lie 19 slots of 20 us apart."""
    repeated = {28: 1794, 547: 1768, 640: 293, 927: 207, 926: 86}
    found = slot_grid.fit(repeated | {28 + 9 * slots: 6 for slots in range(2, 10)})
    assert found.period_us == 9
    alone = slot_grid.fit(repeated)
    assert alone is None or alone.confidence < 0.9


@pytest.mark.parametrize("seed", range(20))
def test_gaps_that_fall_anywhere_are_no_comb(seed):
    draw = random.Random(seed)
    found = slot_grid.fit(Counter(draw.randint(30, 1000) for _ in range(300)))
    assert found is None or found.confidence < 0.99


@examples(200)
@given(st.dictionaries(st.integers(0, 1000), st.integers(1, 10**6), max_size=40))
def test_any_histogram_is_read(histogram):
    found = slot_grid.fit(histogram)
    assert found is None or (0 <= found.confidence <= 1 and 0 < found.samples <= sum(histogram.values()))
