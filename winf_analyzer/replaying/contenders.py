"""Who takes part in a replay: controllers in the modes asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from winf_analyzer import _core
from winf_analyzer.errors import UsageError

MODES = ("paper", "corrected", "both", "paper_greedy")
"""What can be asked for; ``both`` is ``paper`` and ``corrected``."""

ALL = "all"
"""Every controller of the registry."""

Settings = Mapping[str, Mapping[str, Any]]
"""Constants that replace a controller's defaults, by its name."""


class Controller(NamedTuple):
    """A row of the registry."""

    name: str
    description: str
    source: str
    modes: list[str]


class Contender(NamedTuple):
    """A controller in one mode."""

    name: str
    mode: str
    settings: str
    """Constants that replace its defaults, as JSON."""


def registry() -> dict[str, Controller]:
    """Every controller by name."""
    return {row[0]: Controller(*row) for row in _core.controllers()}


def contenders(names: Sequence[str] | None, mode: str, settings: Settings) -> tuple[list[Contender], list[str]]:
    """Those who take part, and notes about modes that a controller does not have.

    Args:
        names: names of the registry, or ``all``; all by default.
        mode: of :data:`MODES`. A controller that has none of the modes asked for runs in its last one.
        settings: constants by controller.

    Raises:
        UsageError: an unknown controller or mode, or settings of a controller that does not take part.
    """
    known = registry()
    if mode not in MODES:
        raise UsageError(f"mode {mode!r} is not one of {', '.join(MODES)}.")
    asked = ["paper", "corrected"] if mode == "both" else [mode]
    chosen = list(dict.fromkeys(known if names is None or ALL in names else names))
    if unknown := [name for name in chosen if name not in known]:
        raise UsageError(f"no controller {unknown[0]!r}; there are {', '.join(known)}.")
    if stray := [name for name in settings if name not in chosen]:
        raise UsageError(f"settings of {stray[0]!r}, which does not take part; {', '.join(chosen)} do.")
    taking_part, notes = [], []
    for name in chosen:
        modes = [mode for mode in asked if mode in known[name].modes]
        if not modes:
            modes = known[name].modes[-1:]
            notes.append(f"{name} has no mode {mode}: it runs as {modes[0]}")
        given = json.dumps(settings.get(name, {}))
        taking_part += [Contender(name, mode, given) for mode in modes]
    return taking_part, notes
