"""Truths that chance decides, one by one, fixed before the eighth scores: beside the scores of worlds.

There are the scores where the truth is known to a third of the goal, where it is not, and of what is left of each
error beyond the standard error of its truth. No prediction is in none of these, but those of flows that starve.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from benchmarks.replay.counterfactual.precision import REACH, STEPS
from benchmarks.replay.counterfactual.predictions import Prediction
from benchmarks.replay.counterfactual.scores import errors, summary
from benchmarks.replay.tables import Check, checks, table

Summed = Callable[[Sequence[Prediction]], str]
"""Says how good predictions are."""


def is_known(prediction: Prediction) -> bool:
    """Whether the truth is: of all flows of its world and question."""
    return prediction.imprecision <= 1


def beyond(prediction: Prediction) -> Prediction:
    """The same with a figure that is nearer to the truth by the standard error of the truth, and no further than it.

    Its error is what is left.
    """
    if prediction.error is None or prediction.true is None or prediction.predicted is None:
        return prediction
    left = max(abs(prediction.predicted - prediction.true) - prediction.true_error * abs(prediction.true), 0.0)
    sign = 1 if prediction.predicted >= prediction.true else -1
    return replace(prediction, predicted=prediction.true + sign * left)


def section(
    predictions: Sequence[Prediction],
    goals: Mapping[str, tuple[float, float]],
    cell: Summed,
    observers: Mapping[str, str],
) -> str:
    """Markdown: scores apart, and the goals where the truth is known.

    Args:
        predictions: those that are judged.
        goals: by figure, of the median and of the 90th percentile.
        cell: says how good predictions are.
        observers: names of those who recorded.
    """
    rows, found = [], []
    for figure, goal in goals.items():
        of_figure = [each for each in predictions if each.figure == figure]
        parts = {
            "truth known": [each for each in of_figure if is_known(each)],
            "truth not known": [each for each in of_figure if not is_known(each)],
            "all, beyond the truth's standard error": [beyond(each) for each in of_figure],
        }
        for name, some in parts.items():
            by_observer = {key: [each for each in some if each.observer == key] for key in observers}
            rows.append([f"{figure}, {name}", *(_counted(each, cell) for each in by_observer.values())])
            if some is parts["truth known"]:
                found += [
                    Check(f"{observers[key]}, {figure}, truth known: {_goal(goal)}", cell(each), _is_met(each, goal))
                    for key, each in by_observer.items()
                ]
    return INTRODUCTION + table(["", *observers.values()], rows) + "\n\n" + checks(found)


def _counted(predictions: Sequence[Prediction], cell: Summed) -> str:
    return f"{cell(predictions)} of {len(errors(predictions))}"


def _is_met(predictions: Sequence[Prediction], goal: tuple[float, float]) -> bool:
    found = summary(predictions)
    return found is not None and found[0] <= goal[0] and found[1] <= goal[1]


def _goal(goal: tuple[float, float]) -> str:
    return "median at most {:.0f} %, 90th percentile at most {:.0f} %".format(*(100 * share for share in goal))


INTRODUCTION = f"""## Where the truth is known

Of all held-out worlds, answer by answer, fixed before the eighth scores: predictions whose truth is known to a third of
the goal (below) are apart from those whose truth is not, even with as many seeds as are run; and each error is
shortened by one standard error of its own truth. A truth that even {REACH} times {STEPS[-1]} seeds would
not make known is left at {STEPS[-2]}. Behind each cell is how many predictions it is of.

"""
