"""Plug-ins of other packages, found through entry points.

A plug-in that cannot be used is a :class:`PluginWarning` and is left out; it never stops a run.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Collection
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

T = TypeVar("T")

FAILURES = (Exception, SystemExit)
"""Whatever foreign code raises: `sys.exit` in it ends no run, least of all as a success. Ctrl-C is none of it."""


class PluginWarning(UserWarning):
    """A plug-in of another package cannot be used; the message says which, of which package, and why."""


def discover(group: str, kind: str, reserved: Collection[str], make: Callable[[EntryPoint, Any], T]) -> dict[str, T]:
    """Load the plug-ins of a group, sorted by name.

    Args:
        group: the entry point group.
        kind: what its members are, for warnings: ``estimator``, ``controller``.
        reserved: names that plug-ins cannot have.
        make: turns an entry point and the object it names into a registry row; an exception means that the plug-in
            cannot be used.

    Returns:
        The rows by name. A plug-in that cannot be loaded or made is left out with a :class:`PluginWarning`.
    """
    rows: dict[str, T] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        if entry.name in reserved or entry.name in rows:
            warn(kind, entry.name, package(entry), "its name is taken")
            continue
        try:
            rows[entry.name] = make(entry, entry.load())
        except FAILURES as error:
            warn(kind, entry.name, package(entry), f"it cannot be loaded: {error_text(error)}")
    return rows


def warn(kind: str, name: str, source: str, reason: str) -> None:
    """Warn that a plug-in is left out; ``source`` is its package and version."""
    warnings.warn(f"{kind} {name!r} of {source} is left out: {reason}.", PluginWarning, stacklevel=3)


def package(entry: EntryPoint) -> str:
    """Name and version of the package that an entry point belongs to; the module if it belongs to none."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.module


def description(plugin: object, default: str) -> str:
    """The first line of a plug-in's docstring, without a final full stop."""
    return (inspect.getdoc(plugin) or default).splitlines()[0].rstrip(".")


def error_text(error: BaseException) -> str:
    """Type and first line of an error message, without a final full stop."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}".rstrip(". ") if lines else type(error).__name__
