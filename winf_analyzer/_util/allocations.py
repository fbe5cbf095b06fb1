"""A limit that the kernel keeps, for what a library allocates outside its own limit of memory."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from winf_analyzer._util.memory import memory_limit


@contextmanager
def limited_allocations() -> Iterator[None]:
    """Let allocations in the block fail beyond the memory limit, counted from what this process has now.

    DuckDB's own limit does not cover vectors: `range(3000000000)` as a list takes what there is. Where allocations
    fail, it reports that it is out of memory.
    """
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = _private_bytes() + memory_limit()
    if hard != resource.RLIM_INFINITY:
        allowed = min(allowed, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def _private_bytes() -> int:
    """What counts towards `RLIMIT_DATA` so far."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("VmData:"))
