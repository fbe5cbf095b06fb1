"""Work on other threads: iteration with prefetching, and a call beside others."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


def prefetched(items: Iterable[T]) -> Iterator[T]:
    """The items; each is computed on another thread while the previous one is in use. Two are in memory at a time."""
    iterator = iter(items)
    with _one_thread() as executor:
        pending = executor.submit(_next_of, iterator)
        while item := pending.result():
            pending = executor.submit(_next_of, iterator)
            yield item.pop()


@contextmanager
def beside(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Iterator["Future[T]"]:
    """The result of a call on another thread, which begins with the block."""
    with _one_thread() as executor:
        yield executor.submit(function, *args, **kwargs)


@contextmanager
def _one_thread() -> Iterator[ThreadPoolExecutor]:
    """A thread that is waited for, except after an error: Ctrl-C is not to wait for what nobody will use."""
    executor = ThreadPoolExecutor(max_workers=1)
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    executor.shutdown()


def _next_of(items: Iterator[T]) -> list[T]:
    """The next item in a list, which is empty at the end."""
    return list(islice(items, 1))
