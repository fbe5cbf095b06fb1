"""Work done ahead of its use: nothing is lost, nothing is made too early, errors arrive."""

import threading

import pytest

from winf_analyzer._util.prefetch import ahead


def test_the_items_come_in_order_and_all_of_them():
    assert list(ahead(range(100))) == list(range(100))
    assert list(ahead([])) == []


def test_one_is_made_while_the_one_before_is_in_use():
    begun = [threading.Event() for _ in range(4)]

    def items():
        for number, event in enumerate(begun):
            event.set()
            yield number

    for number in ahead(items()):
        if number + 1 < len(begun):
            assert begun[number + 1].wait(timeout=10)
        assert not any(event.is_set() for event in begun[number + 2 :])


def test_an_error_arrives_after_what_was_made_before_it():
    def items():
        yield 1
        raise ValueError("no more")

    made = ahead(items())
    assert next(made) == 1
    with pytest.raises(ValueError, match="no more"):
        next(made)


def test_who_stops_early_gets_no_more():
    made = ahead(iter(range(10)))
    assert next(made) == 0
    made.close()
    assert list(made) == []
