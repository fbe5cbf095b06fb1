"""The controllers of a replay in the requested modes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from winf_analyzer import _core
from winf_analyzer._replay import controller_plugins
from winf_analyzer._util.errors import UsageError
from winf_analyzer._util.plugins import FAILURES
from winf_analyzer.controllers import Controller

MODES = ("paper", "corrected", "both", "paper_greedy")
"""Modes that can be requested; ``both`` is ``paper`` and ``corrected``."""

ALL = "all"
"""Every controller of the registry."""

ControllerSettings = Mapping[str, Mapping[str, Any]]
"""Constants that replace a controller's defaults, by its name."""

MAX_MIN = "max_min"
"""The computed max-min fair allocation, which is listed as a controller."""

WCP_CAP = "wcp_cap"
"""The controller whose model knows of airtime alone, so that it grants nothing on wires."""

_PLUGIN_MODES = ["corrected"]
"""Modes of controllers written in Python."""


class ControllerEntry(NamedTuple):
    """A row of the registry."""

    name: str
    description: str
    source: str
    modes: list[str]
    implemented_in: str
    make: Callable[..., Any] | None = None
    """Makes a controller written in Python from its constants; None for the engine's own."""


class ControllerRun(NamedTuple):
    """A controller to run in one mode."""

    name: str
    mode: str
    controller: str | Controller
    """Constants that override its defaults, as JSON; or the controller itself."""


def registry() -> dict[str, ControllerEntry]:
    """Every controller by name: those of the engine, then those of other packages."""
    built_in = {row[0]: ControllerEntry(*row) for row in _core.controllers()}
    plugin_rows = controller_plugins.discover(built_in)
    rows = (
        ControllerEntry(row.name, row.description, row.package, _PLUGIN_MODES, row.package, row.make)
        for row in plugin_rows.values()
    )
    return built_in | {row.name: row for row in rows}


def check_named(requested: str | Sequence[str | Controller] | None, mode: str) -> None:
    """Refuse what no world has, before one is made.

    Raises:
        UsageError: an unknown mode, or the name of no controller.
    """
    if mode not in MODES:
        raise UsageError(f"mode {mode!r} is not one of {', '.join(MODES)}.")
    registered = registry()
    entries = [requested] if isinstance(requested, str) else requested or ()
    known = {ALL, *registered, *(_controller_name(entry) for entry in entries if not isinstance(entry, str))}
    if unknown := [entry for entry in entries if isinstance(entry, str) and entry not in known]:
        raise UsageError(f"no controller {unknown[0]!r}; there are {', '.join(registered)}.")


def controller_runs(
    requested: str | Sequence[str | Controller] | None, mode: str, settings: ControllerSettings, world: str
) -> tuple[list[ControllerRun], list[str]]:
    """The controllers to run, and notes on deviations from the request.

    Args:
        requested: names of the registry or ``all``, and controllers written in Python; by default ``all``.
        mode: of :data:`MODES`. A controller without any requested mode runs in its last one.
        settings: constants by controller.
        world: the world as JSON. If the max-min fair allocation cannot be computed for it, ``all`` excludes it; so it
            does WCPCap where all links are wires.

    Raises:
        UsageError: an unknown controller or mode, settings of a controller that does not run, or one that cannot run.
        ValueError: the world cannot be run.
    """
    check_named(requested, mode)
    registered = registry()
    requested = [requested] if isinstance(requested, str) else requested
    python_controllers = {_controller_name(entry): entry for entry in requested or [] if not isinstance(entry, str)}
    if taken_names := [name for name in python_controllers if name in registered]:
        raise UsageError(f"the name {taken_names[0]!r} is taken; set the attribute `name` of your controller.")
    requested_names = (
        [ALL]
        if requested is None
        else [entry if isinstance(entry, str) else _controller_name(entry) for entry in requested]
    )
    chosen = list(
        dict.fromkeys(name for entry in requested_names for name in (registered if entry == ALL else [entry]))
    )
    notes = []
    if MAX_MIN in chosen and MAX_MIN not in requested_names and not _core.has_max_min(world):
        chosen.remove(MAX_MIN)
        notes.append(f"{MAX_MIN} is left out: it requires a world without wired links and changes")
    if WCP_CAP in chosen:
        wires, message = _on_wires(world)
        if wires and WCP_CAP in requested_names:
            raise UsageError(f"{WCP_CAP} cannot run in a world of wires alone: {message}.")
        if wires:
            chosen.remove(WCP_CAP)
            message = f"is left out: {message}"
        notes += [f"{WCP_CAP} {message}"] if message else []
    adjustable = [name for name in chosen if name in registered and name != MAX_MIN]
    if unused := [name for name in settings if name not in adjustable]:
        raise UsageError(f"{unused[0]!r} has no constants to set; {', '.join(adjustable) or 'no controller'} has.")
    modes_requested = ["paper", "corrected"] if mode == "both" else [mode]
    runs = []
    for name in chosen:
        if name in python_controllers:
            runs.append(ControllerRun(name, _PLUGIN_MODES[0], python_controllers[name]))
            continue
        row = registered[name]
        modes = [mode for mode in modes_requested if mode in row.modes]
        if not modes:
            modes = row.modes[-1:]
            notes.append(f"{name} has no mode {mode}: it runs as {modes[0]}")
        runs += [ControllerRun(name, mode, _controller_of(row, settings.get(name, {}))) for mode in modes]
    return runs, notes


def _on_wires(world: str) -> tuple[bool, str]:
    """Whether all links are wires, which leaves WCPCap nothing to grant, and what to say of wires if there are any.

    S003 sec. III-B divides the airtime of neighbourhoods; it has no rule for a link that takes none.
    """
    declared = json.loads(world)
    links = declared.get("links", [])
    wires = {frozenset((link.get("from"), link.get("to"))) for link in links if "wired" in link.get("medium", {})}
    if links and all("wired" in link.get("medium", {}) for link in links):
        return True, "its model divides airtime, of which wires take none"
    over = [
        str(flow.get("name"))
        for flow in declared.get("flows", [])
        if any(frozenset(hop) in wires for hop in pairwise(flow.get("path", [])))
    ]
    named = ", ".join(over[:3]) + (f" and {len(over) - 3} more" if over[3:] else "")
    return False, f"does not see bottlenecks on the wires of {named}: its model divides airtime alone" if over else ""


def _controller_name(controller: object) -> str:
    name = getattr(controller, "name", None)
    return name if isinstance(name, str) else type(controller).__name__


def _controller_of(row: ControllerEntry, constants: Mapping[str, Any]) -> str | Controller:
    """The constants as the engine reads them; for a plug-in the controller made from them."""
    if row.make is None:
        return json.dumps(constants)
    try:
        controller: Controller = row.make(**constants)
    except FAILURES as error:
        raise UsageError(f"controller {row.name!r} of {row.source}: {type(error).__name__}: {error}") from error
    return controller
