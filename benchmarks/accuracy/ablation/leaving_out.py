"""A model without one of its rules, and which rules had something to say of a recording."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from benchmarks.accuracy.ablation.rules import RULES, Rule
from winf_analyzer._models.saturation.interval import bounds

MIN_SHARE = 0.03
"""Share of the variance below which a term makes an interval wider by less than 1.5 %."""


@contextlib.contextmanager
def without(rule: Rule) -> Iterator[None]:
    """The model has not this rule meanwhile."""
    module = importlib.import_module(rule.module)
    function = getattr(module, rule.function)
    setattr(module, rule.function, rule.without(function))
    try:
        yield
    finally:
        setattr(module, rule.function, function)


@contextlib.contextmanager
def without_term(name: str) -> Iterator[None]:
    """This term of :func:`.bounds.terms` is 0 meanwhile."""
    terms = bounds.terms
    bounds.terms = lambda: terms() | {name: pl.lit(0.0)}
    try:
        yield
    finally:
        bounds.terms = terms


@contextlib.contextmanager
def acting() -> Iterator[set[str]]:
    """Collects the names of the rules without which something of the model returned anything else."""
    found: set[str] = set()
    kept = []
    for place, rules in groupby(sorted(RULES, key=_place), key=_place):
        module = importlib.import_module(place[0])
        function = getattr(module, place[1])
        kept.append((module, place[1], function))
        setattr(module, place[1], _watched(function, list(rules), found))
    try:
        yield found
    finally:
        for module, name, function in kept:
            setattr(module, name, function)


@contextlib.contextmanager
def terms_of(sender: str, receiver: str) -> Iterator[set[str]]:
    """Collects the names of the terms that are a :data:`MIN_SHARE` of the variance of an interval of this link."""
    found: set[str] = set()
    with_margin = bounds.with_margin

    def watched(rows: pl.DataFrame) -> pl.DataFrame:
        of_link = rows.filter(pl.col("sender") == sender, pl.col("receiver") == receiver)
        squares = bounds.margin_terms(of_link).select((pl.all() ** 2).fill_nan(0.0).fill_null(0.0))
        shares = squares.select(pl.all() / pl.sum_horizontal(pl.all()))
        found.update(name for name in shares.columns if (shares[name] > MIN_SHARE).any())
        return with_margin(rows)

    bounds.with_margin = watched
    try:
        yield found
    finally:
        bounds.with_margin = with_margin


def _place(rule: Rule) -> tuple[str, str]:
    return rule.module, rule.function


def _watched(function: Any, rules: Sequence[Rule], found: set[str]) -> Any:
    def called(*given: Any, **named: Any) -> Any:
        result = function(*given, **named)
        for rule in rules:
            if rule.name not in found and not _alike(result, rule.without(function)(*given, **named)):
                found.add(rule.name)
        return result

    return called


def _alike(one: Any, other: Any) -> bool:
    """Whether what a rule says, `one`, is the same without it; what it adds to a table counts."""
    if isinstance(one, pl.DataFrame):
        return set(one.columns) == set(other.columns) and one.equals(other.select(one.columns))
    if isinstance(one, pl.Expr):
        return bool(one.meta.eq(other))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)
