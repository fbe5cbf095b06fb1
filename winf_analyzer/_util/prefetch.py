"""Work done ahead of its use."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def ahead(items: Iterable[T]) -> Iterator[T]:
    """The items, each made on a thread of its own while the one before is in use; two are held at a time."""
    coming = iter(items)
    with ThreadPoolExecutor(max_workers=1) as maker:
        made = maker.submit(_next_of, coming)
        while item := made.result():
            made = maker.submit(_next_of, coming)
            yield item.pop()


def _next_of(items: Iterator[T]) -> list[T]:
    """The next one, if there is one."""
    return list(islice(items, 1))
