"""Which tests take long: `--processor-times FILE` measures it, and `tests/slow.tsv` lists them for `make check`.

Processor time, not the clock: it says the same on a busy machine. Preparing fixtures does not count, since it falls on
whichever test comes first; processes that a test started and waited for do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import ROOT

SLOW_TESTS = ROOT / "tests" / "slow.tsv"


def slow_tests(listed: Path = SLOW_TESTS) -> set[str]:
    """Test functions, as `file::name`, that `make check` leaves out."""
    return {line.split("\t")[1] for line in listed.read_text(encoding="utf-8").splitlines()}


def function(item: pytest.Item) -> str:
    """A test's file and function, the same for all its parameters."""
    return item.nodeid.split("[")[0]


class Recorder:
    """Appends seconds and name of each test to a file; worker processes share it, a line is one write."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        before = sum(os.times()[:4])
        try:
            return (yield)
        finally:
            with self.path.open("a", encoding="utf-8") as lines:
                lines.write(f"{sum(os.times()[:4]) - before:.2f}\t{function(item)}\n")
