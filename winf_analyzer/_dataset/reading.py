"""Errors of the libraries that read parts, told as what is wrong with the dataset."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.checking import fault_of
from winf_analyzer._dataset.dataset import CHECK, Dataset
from winf_analyzer._util import parquet
from winf_analyzer._util.errors import DatasetError, WinfError

if TYPE_CHECKING:
    from winf_analyzer._dataset.manifest import Part

P = ParamSpec("P")
R = TypeVar("R")


def reads_dataset(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function whose first argument is a dataset say which part is damaged, where it fails for that reason."""

    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        given = arguments[0] if arguments else named.get("dataset")
        if not isinstance(given, Dataset | str | os.PathLike):
            return function(*arguments, **named)
        with told(given.path if isinstance(given, Dataset) else Path(given)):
            return function(*arguments, **named)

    return call


@contextmanager
def told(root: Path) -> Iterator[None]:
    """Raise the damage of a dataset in place of an error that it explains.

    An error of a library in a dataset that is whole is a fault of winf, and stays what it is.
    """
    try:
        yield
    except (WinfError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # Polars panics with an exception that is no `Exception`
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        damage = _damage(root)
        if damage is None:
            raise
        raise DatasetError(f"{root}: {damage} {CHECK}") from error


def _damage(root: Path) -> str | None:
    try:
        named = list(manifest.parts(manifest.load(root)))
    except DatasetError:
        return None
    for part in named:
        if fault := fault_of(root, part) or _unreadable(root, part):
            return f"{part.path} {fault}"
    return None


def _unreadable(root: Path, part: Part) -> str | None:
    """Whether the values of a part can be decoded at all."""
    import polars as pl

    try:
        parquet.scan(root / part.path).select(pl.all().null_count()).collect(engine="streaming")
        parquet.scan(root / part.path).tail(1).collect(engine="streaming")
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        return "holds values that cannot be decoded."
    return None
