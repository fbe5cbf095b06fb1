"""Of many cases that are alike, those of `make test`: the others are nightly."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import pytest

Case = TypeVar("Case")


def one_of_each(cases: Iterable[Case], kind: Callable[[Case], Hashable]) -> list[Any]:
    """Every case as a parameter; the first of each kind, in the order given, is not nightly."""
    return _first_of_each((kind(case), case) for case in cases)


def one_of(some: int, cases: Iterable[Case]) -> list[Any]:
    """Every case as a parameter; of so many that follow one another the first is not nightly."""
    return _first_of_each((number // some, case) for number, case in enumerate(cases))


def _first_of_each(cases: Iterable[tuple[Hashable, Any]]) -> list[Any]:
    seen: set[Hashable] = set()
    parameters = []
    for kind, case in cases:
        marks = pytest.mark.nightly(f"another of {kind}") if kind in seen else ()
        seen.add(kind)
        parameters.append(pytest.param(case, marks=marks))
    return parameters
