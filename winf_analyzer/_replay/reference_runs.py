"""Replays of the recorded flows in the world made of their recording: what they should do is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from winf_analyzer import _core
from winf_analyzer._replay.runs import companions
from winf_analyzer._replay.scenarios import shortened
from winf_analyzer._replay.topologies.world import KEPT_CONTROLLER_NAME, World

FLOW_SECONDS = 60.0
"""What is replayed at most of the flows under study, together."""


def reference_runs(world: World, seeds: Sequence[int]) -> tuple[World, Sequence[Any]]:
    """One run per seed, and the part of the world that they are of.

    Raises:
        ValueError: the world cannot be run.
        RuntimeError: a run failed.
    """
    part, _ = shortened(world, FLOW_SECONDS)
    flows = [(KEPT_CONTROLLER_NAME, "corrected", "{}")]
    return part, list(_core.replay("reproduction", json.dumps(part), flows, seeds, **companions(part)))
