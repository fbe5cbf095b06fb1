"""Links whose first attempts fail more often than repetitions."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.failures import by_attempt

SLOT, EXCHANGE, ANSWER, WINDOW = 9_000, 600_000, 44_000, 16


def link(first, later, *, failed_ns=EXCHANGE - ANSWER, aggregating=0, windows=None):
    """Sums of a link: attempts and failures of first attempts, and of all second ones."""
    (tried, failed), (again, failed_again) = first, later
    attempts, done = tried + again, tried + again - failed - failed_again
    return {
        "medium": 0,
        "sender": "a",
        "receiver": "b",
        "first_alone": tried,
        "first_alone_failed": failed,
        "alone": attempts,
        "alone_failed": failed + failed_again,
        "alone_windows": tried + 2 * again if windows is None else windows,
        "alone_failed_ns": (failed + failed_again) * failed_ns,
        "aggregating": aggregating,
        "done": done,
        "air_ns": EXCHANGE * done,
        "answer_ns": ANSWER * attempts,
        "slot_ns": SLOT * attempts,
        "window_slots": WINDOW * attempts,
        "accesses": attempts,
    }


def quicker(*links):
    found = by_attempt.quicker(pl.DataFrame(list(links)).with_columns(pl.col(pl.Int64).exclude("medium").cast(float)))
    return found["quicker"].to_list()


def test_second_attempts_that_always_arrive_end_the_backoffs():
    # Alike, of every packet half has another attempt: sum over n to 6 of 2^-n (16 2^n - 1) / 2; seen are 7.5 and 15.5.
    alike = sum(0.5**number * (16 * 2**number - 1) / 2 for number in range(7))
    seen = 7.5 + 15.5
    expected = (alike - seen) * SLOT / (2 * EXCHANGE + seen * SLOT)
    assert quicker(link((1000, 1000), (1000, 0))) == [pytest.approx(expected)]


def test_windows_count_that_were_seen():
    two = link((1000, 1000), (2000, 1000), windows=1000 * (1 + 2 + 4))
    alike = sum((2 / 3) ** number * (16 * 2**number - 1) / 2 for number in range(7))
    seen = 7.5 + 15.5 + 31.5
    assert quicker(two) == [pytest.approx((alike - seen) * SLOT / (3 * EXCHANGE + seen * SLOT))]


def test_attempts_that_fail_at_a_higher_rate_are_shorter():
    slow, fast = quicker(link((1000, 1000), (1000, 0))), quicker(link((1000, 1000), (1000, 0), failed_ns=200_000))
    less = EXCHANGE - 200_000 - ANSWER
    backoffs = 23 * SLOT
    assert fast == [pytest.approx((slow[0] * (2 * EXCHANGE + backoffs) + less) / (2 * EXCHANGE - less + backoffs))]


@pytest.mark.parametrize(
    "alike",
    [
        link((1000, 400), (667, 267)),
        link((1000, 300), (300, 200)),
        link((20, 20), (20, 0)),
        link((60, 30), (40, 10)),
        link((1000, 1000), (1000, 0), aggregating=800),
    ],
    ids=["all fail alike", "repetitions fail more often", "too few", "chance", "aggregates"],
)
def test_no_other_link_is_quicker(alike):
    assert quicker(alike) == []
