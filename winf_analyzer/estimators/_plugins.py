"""Estimators from other packages, found through the entry point group :data:`GROUP`.

An entry point names an :class:`.Estimator`, the same declaration as those of this package. A plug-in that cannot be
used is a :class:`PluginWarning` and nothing more: the other estimators run.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate, Derived
from winf_analyzer._aggregate.settings import Mode
from winf_analyzer._schema.estimates import ESTIMATES_SCHEMA
from winf_analyzer.estimators._estimator import Estimator, Method

GROUP = "winf_analyzer.estimators"
"""Group of the entry points."""

REQUIRED = ("source", "observer", "node", "state", "window_start_ns")
"""Columns that the rows of every estimator have."""


class PluginWarning(UserWarning):
    """An estimator of another package cannot be used; the sentence says which, of which package, and why."""


def discover(built_in: Mapping[str, Estimator]) -> dict[str, Estimator]:
    """The usable estimators of other packages by name, sorted; a warning for each that is not usable."""
    found: dict[str, Estimator] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        if entry.name in built_in or entry.name in found:
            _warn(entry.name, _package(entry), "its name is taken")
            continue
        try:
            found[entry.name] = _declared(entry, entry.load())
        except Exception as error:  # whatever the foreign code raises
            _warn(entry.name, _package(entry), f"it cannot be loaded: {_said(error)}")
    while unmet := {name: reason for name, row in found.items() if (reason := _unmet(row, {**built_in, **found}))}:
        for name, reason in unmet.items():
            _warn(name, found.pop(name).package, reason)
    return found


def guarded(estimator: Estimator, run: Callable[[], pl.DataFrame]) -> pl.DataFrame | None:
    """The rows of a plug-in; None and a warning where it fails."""
    try:
        return run()
    except Exception as error:  # whatever the foreign code raises
        _warn(estimator.name, estimator.package, _said(error))
        return None


def checked(rows: Any) -> pl.DataFrame:
    """What a plug-in returned, ready for the table; raises where it cannot be used.

    Numbers that are not finite become null: the table has no other word for unknown.
    """
    rows = rows.collect() if isinstance(rows, pl.LazyFrame) else rows
    if not isinstance(rows, pl.DataFrame):
        raise TypeError(f"it returned {type(rows).__name__}, not a polars.DataFrame")
    if missing := [name for name in REQUIRED if name not in rows.columns]:
        raise ValueError(f"its rows lack {', '.join(missing)}")
    known = {name: dtype for name, dtype in ESTIMATES_SCHEMA.items() if name in rows.columns}
    return rows.select(_cast(name, dtype) for name, dtype in known.items())


def _declared(entry: EntryPoint, loaded: Any) -> Estimator:
    if not isinstance(loaded, Estimator):
        raise TypeError(f"{entry.value} is no Estimator")
    for method in (loaded.paper, loaded.corrected):
        if not isinstance(method, Method) or not callable(method.finish):
            raise TypeError("its methods are no Method with a function")
        _check_inputs(method.inputs)
        if twice := set(method.inputs) & set(method.after):
            raise ValueError(f"{min(twice)} is an input and an estimator")
    return replace(loaded, name=entry.name, source=loaded.source or _package(entry), package=_package(entry))


def _check_inputs(inputs: Mapping[str, Any]) -> None:
    for name, value in inputs.items():
        if not isinstance(value, Aggregate | Derived):
            raise TypeError(f"its input {name} is neither an Aggregate nor Derived")
        hash(value)
        if isinstance(value, Derived):
            _check_inputs(value.inputs)


def _unmet(row: Estimator, known: Mapping[str, Estimator]) -> str | None:
    """Why its dependencies cannot be had, if they cannot."""
    modes: tuple[Mode, ...] = ("paper", "corrected")
    for mode in modes:
        pending, seen = list(row.method(mode).after), set[str]()
        while pending:
            name = pending.pop()
            if name not in known:
                return f"there is no estimator {name!r}, which it depends on"
            if name == row.name:
                return "it depends on itself"
            if name not in seen:
                seen.add(name)
                pending += known[name].method(mode).after
    return None


def _cast(name: str, dtype: pl.DataType) -> pl.Expr:
    value = pl.col(name).cast(dtype)
    return pl.when(value.is_finite()).then(value).alias(name) if dtype.is_float() else value


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.module


def _warn(name: str, package: str | None, reason: str) -> None:
    warnings.warn(f"estimator {name!r} of {package} is left out: {reason}.", PluginWarning, stacklevel=3)


def _said(error: Exception) -> str:
    first = str(error).splitlines()
    return f"{type(error).__name__}: {first[0]}".rstrip(". ") if first else type(error).__name__
