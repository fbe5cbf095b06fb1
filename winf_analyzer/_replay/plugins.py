"""Controllers of other packages, found through the entry point group :data:`GROUP`.

An entry point names a class, or any callable: called with the constants that the user set, it makes a controller
(see :mod:`.interface`). One that cannot be used is a :class:`PluginWarning` and nothing more.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Collection
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

GROUP = "winf_analyzer.controllers"
"""Group of the entry points."""


class PluginWarning(UserWarning):
    """A controller of another package cannot be used; the sentence says which, of which package, and why."""


class Plugin(NamedTuple):
    """A controller of another package."""

    name: str
    description: str
    package: str
    make: Callable[..., Any]


def discover(taken: Collection[str]) -> dict[str, Plugin]:
    """The usable controllers of other packages by name, sorted; a warning for each that is not usable."""
    found: dict[str, Plugin] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        if entry.name in taken or entry.name in found:
            _warn(entry, "its name is taken")
            continue
        try:
            make = entry.load()
        except Exception as error:  # whatever the foreign code raises
            _warn(entry, f"it cannot be loaded: {type(error).__name__}: {error}")
            continue
        if not callable(make):
            _warn(entry, f"{entry.value} cannot be called to make a controller")
            continue
        found[entry.name] = Plugin(entry.name, described(make), _package(entry), make)
    return found


def described(controller: object) -> str:
    """The first line of its documentation."""
    return (inspect.getdoc(controller) or "a controller without a description").splitlines()[0].rstrip(".")


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.module


def _warn(entry: EntryPoint, reason: str) -> None:
    sentence = f"controller {entry.name!r} of {_package(entry)} is left out: {reason}."
    warnings.warn(sentence, PluginWarning, stacklevel=3)
