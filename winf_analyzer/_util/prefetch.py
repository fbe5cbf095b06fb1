"""Iteration with prefetching."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def prefetched(items: Iterable[T]) -> Iterator[T]:
    """The items; each is computed on another thread while the previous one is in use. Two are in memory at a time."""
    iterator = iter(items)
    with ThreadPoolExecutor(max_workers=1) as executor:
        pending = executor.submit(_next_of, iterator)
        while item := pending.result():
            pending = executor.submit(_next_of, iterator)
            yield item.pop()


def _next_of(items: Iterator[T]) -> list[T]:
    """The next item in a list, which is empty at the end."""
    return list(islice(items, 1))
