"""Who takes part in a replay: controllers in the modes asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from winf_analyzer import _core
from winf_analyzer._replay import plugins
from winf_analyzer._util.errors import UsageError
from winf_analyzer.controllers import Controller

MODES = ("paper", "corrected", "both", "paper_greedy")
"""What can be asked for; ``both`` is ``paper`` and ``corrected``."""

ALL = "all"
"""Every controller of the registry."""

Settings = Mapping[str, Mapping[str, Any]]
"""Constants that replace a controller's defaults, by its name."""

MAX_MIN = "max_min"
"""The computed max-min fair allocation, which takes part like a controller."""

_OWN_MODES = ["corrected"]
"""The mode of controllers from outside."""


class ControllerEntry(NamedTuple):
    """A row of the registry."""

    name: str
    description: str
    source: str
    modes: list[str]
    implemented_in: str
    make: Callable[..., Any] | None = None
    """Makes a controller that is written in Python, called with its constants; None: the engine has it."""


class Contender(NamedTuple):
    """A controller in one mode."""

    name: str
    mode: str
    what: str | Controller
    """Constants that replace its defaults, as JSON; or the controller itself."""


def registry() -> dict[str, ControllerEntry]:
    """Every controller by name: those of the engine, then those of other packages."""
    own = {row[0]: ControllerEntry(*row) for row in _core.controllers()}
    others = plugins.discover(own)
    rows = (
        ControllerEntry(row.name, row.description, row.package, _OWN_MODES, row.package, row.make)
        for row in others.values()
    )
    return own | {row.name: row for row in rows}


def contenders(
    asked: Sequence[str | Controller] | None, mode: str, settings: Settings, world: str
) -> tuple[list[Contender], list[str]]:
    """Those who take part, and notes about what is not as it was asked for.

    Args:
        asked: names of the registry or ``all``, and controllers written in Python; all of the registry by default.
        mode: of :data:`MODES`. A controller that has none of the modes asked for runs in its last one.
        settings: constants by controller.
        world: the world as JSON. Where the max-min fair allocation cannot be computed, ``all`` leaves it out.

    Raises:
        UsageError: an unknown controller or mode, or settings of a controller that does not take part.
        ValueError: the world cannot be run.
    """
    known = registry()
    if mode not in MODES:
        raise UsageError(f"mode {mode!r} is not one of {', '.join(MODES)}.")
    objects = {_name(entry): entry for entry in asked or [] if not isinstance(entry, str)}
    if taken := [name for name in objects if name in known]:
        raise UsageError(f"a controller is called {taken[0]!r} already; give yours another attribute `name`.")
    names = [ALL] if asked is None else [entry if isinstance(entry, str) else _name(entry) for entry in asked]
    chosen = list(dict.fromkeys(name for entry in names for name in (known if entry == ALL else [entry])))
    notes = []
    if MAX_MIN in chosen and MAX_MIN not in names and not _core.has_max_min(world):
        chosen.remove(MAX_MIN)
        notes.append(f"{MAX_MIN} is left out: it needs a world without wires, changes and links of different rates")
    if unknown := [name for name in chosen if name not in known and name not in objects]:
        raise UsageError(f"no controller {unknown[0]!r}; there are {', '.join(known)}.")
    adjustable = [name for name in chosen if name in known and name != MAX_MIN]
    if stray := [name for name in settings if name not in adjustable]:
        raise UsageError(f"{stray[0]!r} has no constants to set here; {', '.join(adjustable) or 'no controller'} has.")
    wanted = ["paper", "corrected"] if mode == "both" else [mode]
    taking_part = []
    for name in chosen:
        if name in objects:
            taking_part.append(Contender(name, _OWN_MODES[0], objects[name]))
            continue
        row = known[name]
        modes = [mode for mode in wanted if mode in row.modes]
        if not modes:
            modes = row.modes[-1:]
            notes.append(f"{name} has no mode {mode}: it runs as {modes[0]}")
        taking_part += [Contender(name, mode, _made(row, settings.get(name, {}))) for mode in modes]
    return taking_part, notes


def _name(controller: object) -> str:
    name = getattr(controller, "name", None)
    return name if isinstance(name, str) else type(controller).__name__


def _made(row: ControllerEntry, constants: Mapping[str, Any]) -> str | Controller:
    """The constants as the engine reads them; of a plug-in the controller that they make."""
    if row.make is None:
        return json.dumps(constants)
    try:
        made: Controller = row.make(**constants)
    except Exception as error:  # whatever the foreign code raises
        raise UsageError(f"controller {row.name!r} of {row.source}: {type(error).__name__}: {error}") from error
    return made
