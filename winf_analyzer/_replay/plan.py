"""What a replay runs: controllers in a world, with seeds, and in how many drawn worlds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from winf_analyzer._replay import intervals
from winf_analyzer._replay.controller_runs import ControllerRun, ControllerSettings, controller_runs
from winf_analyzer._replay.fitness import Doubt
from winf_analyzer._replay.runs import Runs, companions
from winf_analyzer._replay.scenarios import shortened
from winf_analyzer._replay.topologies import World
from winf_analyzer._replay.unknowns import Unknowns
from winf_analyzer._replay.worlds import ReplayWorld
from winf_analyzer._util.errors import UsageError
from winf_analyzer._util.shards import Shard
from winf_analyzer.controllers import Controller

MAX_SEEDS = 10_000
"""Maximum number of seeds of a replay."""

DRAWS, MIN_DRAWS = 10, 5
"""Default number of draws for a recording, and the least from which an interval is told."""


class ReplayPlan(NamedTuple):
    """A checked request."""

    name: str
    """Of the replay in the tables."""
    world: World
    cut: str
    """What of the world is left out, for it has more than was to be replayed."""
    origin_ns: int | None
    """The start of the world on the recording's clock; None of a declared world."""
    unknowns: Unknowns
    runs: list[ControllerRun]
    seeds: list[int]
    draws: int
    doubts: list[Doubt]
    """What speaks against the recordings."""
    notes: list[str]
    """Deviations from the request, and what is assumed of the recording."""

    @property
    def studied(self) -> list[dict[str, Any]]:
        """The flows under study."""
        return [flow for flow in self.world["flows"] if not flow.get("background")]

    @property
    def is_unaffected(self) -> bool:
        """Several controllers are asked for, and no flow has one: nothing is acknowledged."""
        return len(self.runs) > 1 and not any(flow.get("ack_bytes", 1) for flow in self.studied)

    @property
    def is_repeatable(self) -> bool:
        """The same plan has the same tables: draws are not kept, and the code of others may have changed."""
        return not self.draws and all(isinstance(run.controller, str) for run in self.runs)

    @property
    def fastest_bps(self) -> float | None:
        """Rate of the fastest wireless link, bit/s."""
        return intervals.fastest_radio_bps(self.world)

    def engine_runs(self, share: Shard, threads: int) -> Runs:
        """The runs of this share.

        Raises:
            UsageError: there are fewer runs than shares.
            ValueError: the world cannot be run.
        """
        options = {"origin_ns": self.origin_ns, "threads": threads, **companions(self.world)}
        return Runs(self.name, json.dumps(self.world), self.runs, self.seeds, share, **options)

    def inputs(self) -> dict[str, Any]:
        """Everything besides a recording that the tables depend on."""
        return {"world": json.dumps(self.world), "runs": self.runs, "seeds": self.seeds}

    def facts(self) -> dict[str, Any]:
        """What ``dataset.json`` records of it."""
        return {
            "world": self.world.get("name"),
            "duration_ns": self.world.get("duration_ns"),
            "cut": self.cut,
            "seeds": self.seeds,
            "draws": self.draws,
            "doubts": [doubt._asdict() for doubt in self.doubts],
            "controllers": [
                {"name": run.name, "mode": run.mode, "settings": _controller_facts(run.controller)} for run in self.runs
            ],
        }


def planned(
    found: ReplayWorld,
    *,
    name: str | None,
    controllers: str | Sequence[str | Controller] | None,
    mode: str,
    settings: ControllerSettings,
    seeds: list[int],
    draws: int,
    flow_seconds: float | None,
    hint: str,
) -> ReplayPlan:
    """The plan of a request, as :func:`winf_analyzer.replay` describes it.

    Args:
        found: the world, which is shortened to `flow_seconds`.
        name: of the replay; by default that of the world.
        controllers: what is to run.
        mode: in which modes.
        settings: constants that override defaults.
        seeds: of :func:`seed_list`.
        draws: of :func:`number_of_draws`.
        flow_seconds: the most that the flows under study run in all.
        hint: what to do about a world without any.

    Raises:
        UsageError: there is nothing to run.
    """
    world, cut = (found.world, "") if flow_seconds is None else shortened(found.world, flow_seconds)
    if all(flow.get("background") for flow in world.get("flows", [])):
        raise UsageError(f"the world has no flows under study; {hint}.")
    with naming(world):
        runs, notes = controller_runs(controllers, mode, settings, json.dumps(world))
    name = name or world.get("name") or "replay"
    notes += found.notes
    return ReplayPlan(
        name, world, cut, found.origin_ns, found.unknowns, runs, seeds, draws, doubts=found.doubts, notes=notes
    )


@contextmanager
def naming(world: World) -> Iterator[None]:
    """Says of errors in which world they are."""
    try:
        yield
    except ValueError as error:
        # The engine is handed the world as JSON, which nobody wrote by hand: places in it tell a user nothing.
        said = re.sub(r" at line \d+ column \d+$", "", str(error))
        raise UsageError(f"{world.get('name') or 'the world'}: {said}") from None


def number_of_draws(draws: int | None, *, recorded: bool) -> int:
    """How many worlds are drawn.

    Raises:
        UsageError: too few to tell an interval, or too many.
    """
    number = (DRAWS if recorded else 0) if draws is None else draws
    if number and not MIN_DRAWS <= number <= MAX_SEEDS:
        raise UsageError(f"draws: between {MIN_DRAWS} and {MAX_SEEDS}, or 0 for none.")
    return number


def _controller_facts(constants_or_controller: str | Controller) -> Any:
    """What ``dataset.json`` records of a controller: its constants, or the representation of the object."""
    return (
        json.loads(constants_or_controller)
        if isinstance(constants_or_controller, str)
        else repr(constants_or_controller)
    )


def seed_list(seeds: int | Sequence[int]) -> list[int]:
    """The seeds: so many from 1, or those given.

    Raises:
        UsageError: none, too many, or one that is negative.
    """
    # One more than allowed is enough to see that there are too many.
    found = list(range(1, min(seeds, MAX_SEEDS + 1) + 1)) if isinstance(seeds, int) else list(dict.fromkeys(seeds))
    if not found or len(found) > MAX_SEEDS or not all(0 <= seed < 2**63 for seed in found):
        raise UsageError(f"seeds: between 1 and {MAX_SEEDS} non-negative numbers.")
    return found
