"""The runs of a world, or a share of them for one of several machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from winf_analyzer import _core
from winf_analyzer._replay.controller_runs import ControllerRun
from winf_analyzer._replay.topologies import World
from winf_analyzer._replay.topologies.world import KEPT_CONTROLLER_NAME
from winf_analyzer._util.errors import UsageError
from winf_analyzer._util.shards import Shard


class Runs:
    """Every controller with every seed, in this order; of a share every ``n``-th of them.

    Args:
        replay_id: name of the replay in the tables.
        world: the world as JSON.
        controllers: what runs.
        seeds: with which seeds.
        shard: the share.
        options: those of the engine.

    Raises:
        UsageError: there are fewer runs than shards.
        ValueError: the world cannot be run.
    """

    def __init__(
        self,
        replay_id: str,
        world: str,
        controllers: Sequence[ControllerRun],
        seeds: Sequence[int],
        shard: Shard,
        **options: Any,
    ) -> None:
        every = [(number, seed) for number in range(len(controllers)) for seed in seeds]
        if len(every) < shard.count:
            raise UsageError(f"--shard {shard}: there are only {len(every)} runs.")
        if shard.is_whole:  # of all controllers side by side
            self._replays = [_core.replay(replay_id, world, controllers, seeds, **options)]
            return
        own: dict[int, list[int]] = {}
        for number, seed in shard.of(every):
            own.setdefault(number, []).append(seed)
        self._replays = [
            _core.replay(replay_id, world, [controllers[number]], taken, **options) for number, taken in own.items()
        ]

    def __len__(self) -> int:
        return sum(len(replay) for replay in self._replays)

    def __iter__(self) -> Iterator[_core.ReplayRun]:
        for replay in self._replays:
            yield from replay


def companions(world: World) -> dict[str, Any]:
    """The controller of flows that keep one whatever runs, if there are any."""
    kept = any(flow.get("controller") for flow in world["flows"])
    return {"companions": [(KEPT_CONTROLLER_NAME, "corrected", "{}")]} if kept else {}
