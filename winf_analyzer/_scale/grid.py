"""The points of a sweep: worlds, controllers, values of parameters, and seeds, from a TOML file.

::

    name = "queues"                       # default: the file's
    topologies = ["stack", "mesh.toml"]   # names of `winf list topologies`, or files beside this one
    recordings = ["run.winf"]             # datasets beside this one
    controllers = ["new_reno", "wcp"]     # default: all
    mode = "corrected"
    seeds = 10                            # or a list
    duration = "10s"                      # default: the world's
    transfers = true                      # of recordings: bulk transfers in place of UDP

    [set]                                 # keys of `winf replay --set`; every value of one with every value of others
    queue = [10, 20, 50]
    "link.loss" = [0.0, 0.05]
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from winf_analyzer import _core
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._replay.controller_runs import ControllerRun, controller_runs
from winf_analyzer._replay.scenarios import WORLD_KEYS, parse_rate
from winf_analyzer._replay.worlds import world_for
from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer._util.toml_files import read_toml

MAX_POINTS = 1_000_000
MAX_FILE_BYTES = 1 << 20

_KINDS: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "topologies": (list,),
    "recordings": (list,),
    "controllers": (list,),
    "mode": (str,),
    "seeds": (int, list),
    "duration": (str, int),
    "transfers": (bool,),
    "set": (dict,),
}


class Point(NamedTuple):
    """One run."""

    name: str
    """A hash of all that its results depend on, and of what the grid calls it."""
    case: Case
    seed: int


@dataclass(frozen=True, eq=False)
class Case:
    """A world, and what runs in it with every seed."""

    world: str
    """Topology or recording, as the grid names it."""
    world_json: str
    run: ControllerRun
    parameters: dict[str, Any]
    duration_ns: int
    has_companions: bool
    """Whether flows keep a controller of their own."""

    def point(self, seed: int) -> Point:
        """The case with one seed."""
        run = [self.run.name, self.run.mode, str(self.run.controller), seed]
        determines = [_core.__version__, self.world, self.world_json, self.parameters, *run]
        return Point(hashlib.sha256(json.dumps(determines, sort_keys=True).encode()).hexdigest()[:16], self, seed)


@dataclass(frozen=True)
class Grid:
    """A grid as it is declared, checked."""

    name: str
    folder: Path
    """What its files are named in relation to."""
    declared: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> Grid:
        """Read a file.

        Raises:
            UsageError: it cannot be read, or is no grid; the message says what is wrong.
        """
        declared = read_toml(path, "grid", MAX_FILE_BYTES)
        try:
            _check(declared)
        except ValueError as error:
            raise UsageError(f"{path}: {error}.") from None
        return cls(declared.get("name", path.stem), path.parent, declared)

    @property
    def seeds(self) -> list[int]:
        """Seeds of every case."""
        seeds = self.declared.get("seeds", 1)
        return list(range(1, seeds + 1)) if isinstance(seeds, int) else list(seeds)

    def points(self) -> list[Point]:
        """All points, in the order of worlds, parameters, controllers, seeds.

        Raises:
            UsageError: a world, controller, key or value does not exist or does not fit.
        """
        return [case.point(seed) for case in self._cases() for seed in self.seeds]

    def _cases(self) -> Iterator[Case]:
        keys = list(self.declared.get("set", {}))
        for name, options in self._worlds():
            for values in product(*self.declared.get("set", {}).values()):
                parameters = dict(zip(keys, values, strict=True))
                yield from self._cases_of(name, options, parameters)

    def _worlds(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for name in self.declared.get("topologies", []):
            yield name, {"dataset": None, "topology": self.folder / name if name.endswith(".toml") else name}
        for name in self.declared.get("recordings", []):
            transfers = self.declared.get("transfers", False)
            yield name, {"dataset": Dataset.open(self.folder / name), "topology": None, "transfers": transfers}

    def _cases_of(self, name: str, options: dict[str, Any], parameters: dict[str, Any]) -> Iterator[Case]:
        changes = {key: value for key, value in parameters.items() if key.partition(".")[0] in WORLD_KEYS}
        settings = _settings({key: value for key, value in parameters.items() if key not in changes})
        world = world_for(**options, changes=changes, duration=self.declared.get("duration")).world
        text = json.dumps(world)
        try:
            runs, _ = controller_runs(
                self.declared.get("controllers"), self.declared.get("mode", "corrected"), settings, text
            )
            _core.replay(name, text, runs, [1], threads=1)  # runs nothing, and says what is wrong
        except ValueError as error:
            raise UsageError(f"{name} with {parameters or 'no parameters'}: {error}") from None
        for run in runs:
            if not isinstance(run.controller, str):
                raise UsageError(f"controller {run.name!r}: a sweep runs the engine's own controllers only.")
            kept = any(flow.get("controller") for flow in world["flows"])
            yield Case(name, text, run, parameters, world["duration_ns"], kept)


def varied(parameters: Mapping[str, Any]) -> tuple[str | None, float | None]:
    """The first parameter, and its value where that is a number, a rate or a factor."""
    for key, value in parameters.items():
        if isinstance(value, bool):
            return key, None
        if isinstance(value, int | float):
            return key, float(value)
        try:
            return key, float(parse_rate(value, 1.0) if not str(value).endswith("x") else str(value)[:-1])
        except (WinfError, ValueError):
            return key, None
    return None, None


def _settings(constants: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Constants by controller of keys such as ``cbr.rate_bps``."""
    settings: dict[str, dict[str, Any]] = {}
    for key, value in constants.items():
        controller, *path = key.split(".")
        if not (controller and path and all(path)):
            raise UsageError(f"{key}: write CONTROLLER.CONSTANT, or a key of the world: {', '.join(WORLD_KEYS)}.")
        table = settings.setdefault(controller, {})
        for part in path[:-1]:
            table = table.setdefault(part, {})
        table[path[-1]] = value
    return settings


def _check(declared: dict[str, Any]) -> None:
    """Refuse other keys, other types, and too many points.

    Raises:
        ValueError: with what is wrong.
    """
    for key, value in declared.items():
        if key not in _KINDS:
            raise ValueError(f"no key {key!r}; a grid has {', '.join(_KINDS)}")
        if not isinstance(value, _KINDS[key]) or (isinstance(value, bool) and bool not in _KINDS[key]):
            raise ValueError(f"{key} must be {' or '.join(kind.__name__ for kind in _KINDS[key])}")
    for key in ("topologies", "recordings", "controllers"):
        if not all(isinstance(name, str) for name in declared.get(key, [])):
            raise ValueError(f"{key} must be a list of names")
    if not (declared.get("topologies") or declared.get("recordings")):
        raise ValueError("name topologies or recordings")
    for key, values in declared.get("set", {}).items():
        if not isinstance(values, list) or not values or any(isinstance(value, list | dict) for value in values):
            raise ValueError(f'[set] {key} must be a list of values; a key with a dot is quoted: "link.loss" = [0.1]')
    seeds = declared.get("seeds", 1)
    of_list = seeds if isinstance(seeds, list) else range(min(seeds, MAX_POINTS + 1))
    if not of_list or not all(type(seed) is int and 0 <= seed < 2**63 for seed in of_list):
        raise ValueError("seeds must be a positive number, or a list of numbers from 0 on")
    number = len(of_list) * len([*declared.get("topologies", []), *declared.get("recordings", [])])
    for values in declared.get("set", {}).values():
        number *= len(values)
    if number > MAX_POINTS:
        raise ValueError(f"more than {MAX_POINTS} points")
