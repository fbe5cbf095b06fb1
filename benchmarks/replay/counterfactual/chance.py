"""What of an error chance explains.

A model without any error is off, too: the mean of its seeds is beside the mean of the simulator's. How far, follows
from how far one seed of the simulator is from the mean of its others, and from how many there are. Goals are judged on
all worlds; here besides on those in which a model without error would meet them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt
from statistics import median

from benchmarks.replay.counterfactual.precision import MORE_REPLAY_SEEDS, REPLAY_SEEDS, STEPS
from benchmarks.replay.counterfactual.predictions import Prediction
from benchmarks.replay.counterfactual.scatter import Apart
from benchmarks.replay.counterfactual.scores import errors, weighted_quantile
from benchmarks.replay.tables import table


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


def decided_by_chance(chance: Mapping[Key, tuple[float, float]], goals: Mapping[str, tuple[float, float]]) -> set[Key]:
    """Worlds and figures for which a model without error would miss the goal for the 90th percentile."""
    return {key for key, (_, high) in chance.items() if key[1] in goals and high > goals[key[1]][1]}


def apart_by_chance(
    predictions: Sequence[Prediction],
    chance: Mapping[Key, tuple[float, float]],
    goals: Mapping[str, tuple[float, float]],
    cell: Callable[[Sequence[Prediction]], str],
    observers: Mapping[str, str],
) -> str:
    """Markdown: per figure the worlds that repeat and those that chance decides, errors beside those of chance.

    ``cell`` says how good predictions are.
    """
    decided = decided_by_chance(chance, goals)
    rows = []
    for figure in goals:
        ours = [each for each in predictions if each.figure == figure]
        for name, is_decided in (("seeds within the goal", False), ("chance decides", True)):
            some = [each for each in ours if ((each.world, figure) in decided) == is_decided]
            worlds = list(dict.fromkeys(each.world for each in some))
            by_observer = [[each for each in some if each.observer == observer] for observer in observers]
            rows.append(
                [
                    f"{figure}, {name}",
                    f"{len(worlds)}" + (f": {', '.join(worlds)}" if is_decided and worlds else ""),
                    _cell([chance[world, figure] for world in worlds if (world, figure) in chance]),
                    *(cell(each) for each in by_observer),
                    *(_within(each, chance) for each in by_observer),
                ]
            )
    header = ["", "worlds", "chance", *observers.values(), *(f"within chance, {name}" for name in observers.values())]
    return INTRODUCTION + table(header, rows)


def _within(predictions: Sequence[Prediction], chance: Mapping[Key, tuple[float, float]]) -> str:
    """Of how many predictions the error is no larger than chance makes nine of ten."""
    known = [
        (abs(each.error), chance[each.world, each.figure][1])
        for each in predictions
        if not each.starved and each.error is not None and (each.world, each.figure) in chance
    ]
    return f"{sum(error <= high for error, high in known)} of {len(errors(predictions))}"


def _cell(values: Sequence[tuple[float, float]]) -> str:
    if not values:
        return "–"
    return f"{100 * median(middle for middle, _ in values):.1f} / {100 * max(high for _, high in values):.1f} %"


INTRODUCTION = """## What chance explains

A model without any error is off too, for its mean is one of few seeds beside one of few of the simulator. How far
follows from how far one seed of the simulator is from the mean of its others, and from how many seeds the rule gives to
both. Goals are judged on all worlds, above. Here the worlds in which nine of ten errors of such a model are within the
goal are apart from those in which they are not; there nobody could meet it with so few seeds. Columns: worlds; median
and largest 90th percentile of chance's errors; the errors found; and how many of these are no larger than nine of ten
of chance's.

"""
