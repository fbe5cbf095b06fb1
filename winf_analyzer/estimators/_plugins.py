"""Estimators from other packages, found through the entry point group :data:`GROUP`.

An entry point names a function like those of this package, or a whole :class:`.Estimator` row. A plug-in that cannot
be used is a :class:`PluginWarning` and nothing more: the other estimators run.
"""

import inspect
import warnings
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import polars as pl

from winf_analyzer.estimators.estimator import Estimator
from winf_analyzer.estimators.schema import ESTIMATES_SCHEMA

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
            _warn(entry, "its name is taken")
            continue
        try:
            found[entry.name] = _row(entry, entry.load())
        except Exception as error:  # whatever the foreign code raises
            _warn(entry, f"it cannot be loaded: {_said(error)}")
    return found


def rows_of(estimator: Estimator, *arguments: Any) -> pl.DataFrame | None:
    """What a plug-in's function returns, ready for the table; None and a warning where that cannot be used.

    Numbers that are not finite become null: the table has no other word for unknown.
    """
    try:
        rows = estimator.function(*arguments)
        rows = rows.collect() if isinstance(rows, pl.LazyFrame) else rows
        if not isinstance(rows, pl.DataFrame):
            raise TypeError(f"it returned {type(rows).__name__}, not a polars.DataFrame")
        if missing := [name for name in REQUIRED if name not in rows.columns]:
            raise ValueError(f"its rows lack {', '.join(missing)}")
        known = {name: dtype for name, dtype in ESTIMATES_SCHEMA.items() if name in rows.columns}
        return rows.select(_cast(name, dtype) for name, dtype in known.items())
    except Exception as error:  # whatever the foreign code raises
        warnings.warn(
            f"estimator {estimator.name!r} of {estimator.source} is left out: {_said(error)}.",
            PluginWarning,
            stacklevel=2,
        )
        return None


def _row(entry: EntryPoint, loaded: Any) -> Estimator:
    if isinstance(loaded, Estimator):
        return loaded._replace(name=entry.name)
    if not callable(loaded):
        raise TypeError(f"{entry.value} is neither a function nor an Estimator")
    inspect.signature(loaded).bind(None, None, None)
    described = (inspect.getdoc(loaded) or "an estimator without a description").splitlines()[0].rstrip(".")
    return Estimator(entry.name, described, _package(entry), loaded)


def _cast(name: str, dtype: pl.DataType) -> pl.Expr:
    value = pl.col(name).cast(dtype)
    return pl.when(value.is_finite()).then(value).alias(name) if dtype.is_float() else value


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.module


def _warn(entry: EntryPoint, reason: str) -> None:
    sentence = f"estimator {entry.name!r} of {_package(entry)} is left out: {reason}."
    warnings.warn(sentence, PluginWarning, stacklevel=3)


def _said(error: Exception) -> str:
    first = str(error).splitlines()
    return f"{type(error).__name__}: {first[0]}".rstrip(". ") if first else type(error).__name__
