"""Tasks on a Ray cluster: plain functions on plain values, retried where a worker or its node ends.

A task that ends its process every time is poisoned: it is told apart from the others, which go on. Paths are those of a
file system that all nodes share.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from winf_analyzer import _core
from winf_analyzer._util.errors import UsageError, WinfError

RETRIES = 3
"""How often a task is tried again after the end of its process, on any node."""

PER_CORE = 4
"""Tasks that are begun for each core of the cluster: results that wait, and work for nodes that join."""


REACHED_S = 10
"""Seconds within which the head of the cluster takes a connection."""

CONNECTED_S = 60
"""Seconds within which it answers as one, or the cluster of this machine has begun: Ray itself would go on trying."""


class Poisoned(NamedTuple):
    """In place of a result."""

    reason: str


@contextmanager
def connected() -> Iterator[Any]:
    """Ray, connected to the cluster of ``RAY_ADDRESS``, or to one of this machine; without dashboard and telemetry.

    Raises:
        UsageError: Ray is not installed.
        WinfError: there is no cluster at that address, or it does not answer within :data:`REACHED_S` and
            :data:`CONNECTED_S`.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise UsageError("--engine ray: Ray is not installed. Install winf_analyzer[ray].") from None
    if ray.is_initialized():
        yield ray
        return
    _reach_head(os.environ.get("RAY_ADDRESS", ""))
    _connect(ray)
    try:
        yield ray
    finally:
        ray.shutdown()


def _reach_head(address: str) -> None:
    """Refuse a head, ``host:port`` or ``ray://host:port``, to which no connection can be made.

    Raises:
        WinfError: there is none.
    """
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not colon or not port.isdecimal():
        return  # no place in a network: ``auto`` and ``local``
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACHED_S).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise WinfError(f"--engine ray: nothing answers at RAY_ADDRESS={address} ({error}).") from None


def _connect(ray: Any) -> None:
    """Initialize Ray, from a thread that is given up where its native code waits for ever.

    Raises:
        WinfError: there is no cluster, or what is there does not answer in time.
    """
    failed: list[BaseException] = []

    def initialize() -> None:
        try:
            ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=initialize, daemon=True)
    thread.start()
    thread.join(CONNECTED_S)
    if thread.is_alive():
        raise WinfError(f"--engine ray: no cluster answers within {CONNECTED_S} s.")
    for error in failed:
        if isinstance(error, ConnectionError | RuntimeError | ValueError):
            raise WinfError(f"--engine ray: no cluster ({error}).") from None
        raise error


def results(function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Call a function of a module with the arguments of every task, on the nodes of the cluster.

    Args:
        function: its arguments and results can be pickled; called twice it does the same.
        tasks: arguments, in the order in which they are begun.

    Yields:
        Arguments and result of each task, or :class:`Poisoned`, as they are ready.

    Raises:
        WinfError: a node has another version of winf.
        Exception: what the function raised.
    """
    with connected() as ray:
        remote = ray.remote(num_cpus=1, max_retries=RETRIES)(_call)
        where = str(Path.cwd()), _core.__version__
        waiting: dict[Any, tuple[Any, ...]] = {}
        coming = iter(tasks)
        try:
            while True:
                room = max(1, int(PER_CORE * ray.cluster_resources().get("CPU", 1))) - len(waiting)
                waiting |= {remote.remote(where, function, task): task for task in islice(coming, max(0, room))}
                if not waiting:
                    return
                (ready,), _ = ray.wait(list(waiting), num_returns=1)
                yield waiting.pop(ready), _result(ray, ready)
        finally:
            for reference in waiting:
                ray.cancel(reference, force=True)


def _result(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None  # the function's own
    except ray.exceptions.RayError as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        return Poisoned(f"its process ended {RETRIES + 1} times ({type(error).__name__}: {reason})")


def _call(where: tuple[str, str], function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Run a task on a node."""
    folder, version = where
    if version != _core.__version__:
        raise WinfError(f"a node of the cluster has winf {_core.__version__}, this one {version}.")
    os.chdir(folder)
    return function(*arguments)
