"""What of an error chance explains.

A model without any error is off, too: the mean of its seeds is beside the mean of the simulator's. How far, follows
from how far one seed of the simulator is from the mean of its others, and from how many there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

from benchmarks.replay.counterfactual.precision import MORE_REPLAY_SEEDS, REPLAY_SEEDS, STEPS
from benchmarks.replay.counterfactual.scatter import Apart
from benchmarks.replay.counterfactual.scores import weighted_quantile


def of_means(seeds: int) -> float:
    """How far means of seeds are apart, as a share of how far one seed is from the mean of the others.

    Of independent runs, by their standard deviations. A model without any error has the scatter of the simulator, and
    so as many seeds as the rule gives it.

    Args:
        seeds: of the simulator.
    """
    of_replay = REPLAY_SEEDS if seeds <= STEPS[0] else MORE_REPLAY_SEEDS
    return sqrt((1 / seeds + 1 / of_replay) / (1 + 1 / (seeds - 1)))


Key = tuple[str, str]
"""World and figure."""


def by_chance(found: Iterable[Apart]) -> dict[Key, tuple[float, float]]:
    """Median and 90th percentile of the error of a model without error, by world and figure."""
    values: dict[Key, list[tuple[float, float]]] = {}
    for each in found:
        error = of_means(each.seeds) * each.error
        # Each flow counts once, whatever the number of its seeds.
        values.setdefault((each.world, each.figure), []).append((error, 1 / each.seeds))
    return {key: (weighted_quantile(of_key, 0.5), weighted_quantile(of_key, 0.9)) for key, of_key in values.items()}
