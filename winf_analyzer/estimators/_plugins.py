"""Estimators from other packages, found through the entry point group :data:`GROUP`.

An entry point names an :class:`.Estimator`, the same declaration as those of this package. A plug-in that cannot be
used is a :class:`.PluginWarning` and nothing more: the other estimators run.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate, Derived
from winf_analyzer._aggregate.settings import Mode
from winf_analyzer._schema import schema
from winf_analyzer._util import plugins
from winf_analyzer.estimators._estimator import Estimator, Method

ESTIMATES_SCHEMA = schema("estimates")

GROUP = "winf_analyzer.estimators"
"""Group of the entry points."""

REQUIRED = ("source", "observer", "node", "state", "window_start_ns")
"""Columns that the rows of every estimator have."""


def discover(built_in: Mapping[str, Estimator]) -> dict[str, Estimator]:
    """The usable estimators of other packages by name, sorted; a warning for each that is not usable."""
    found = plugins.discover(GROUP, "estimator", built_in, _declared)
    while unmet := {name: reason for name, row in found.items() if (reason := _unmet(row, {**built_in, **found}))}:
        for name, reason in unmet.items():
            _warn(name, found.pop(name).package, reason)
    return found


def guarded(estimator: Estimator, run: Callable[[], pl.DataFrame]) -> pl.DataFrame | None:
    """The rows of a plug-in; None and a warning where it fails."""
    try:
        return run()
    except plugins.FAILURES as error:
        _warn(estimator.name, estimator.package, plugins.error_text(error))
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
    return replace(
        loaded, name=entry.name, source=loaded.source or plugins.package(entry), package=plugins.package(entry)
    )


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


def _warn(name: str, package: str | None, reason: str) -> None:
    plugins.warn("estimator", name, str(package), reason)
