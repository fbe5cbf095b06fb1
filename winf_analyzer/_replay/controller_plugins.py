"""Controllers of other packages, found through the entry point group :data:`GROUP`.

An entry point names a class, or any callable: called with the constants that the user set, it returns a controller (see
:mod:`winf_analyzer.controllers`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from importlib.metadata import EntryPoint
from typing import Any, NamedTuple

from winf_analyzer._util import plugins

GROUP = "winf_analyzer.controllers"
"""Group of the entry points."""


class ControllerPlugin(NamedTuple):
    """A controller of another package."""

    name: str
    description: str
    package: str
    make: Callable[..., Any]


def discover(reserved: Collection[str]) -> dict[str, ControllerPlugin]:
    """The usable controllers of other packages by name, sorted; the others give a :class:`.PluginWarning`."""
    return plugins.discover(GROUP, "controller", reserved, _plugin)


def _plugin(entry: EntryPoint, loaded: Any) -> ControllerPlugin:
    if not callable(loaded):
        raise TypeError(f"{entry.value} cannot be called to make a controller")
    text = plugins.description(loaded, "a controller without a description")
    return ControllerPlugin(entry.name, text, plugins.package(entry), loaded)
