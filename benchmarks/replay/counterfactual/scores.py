"""How good the predictions are: errors, intervals, and whether the better of two controllers is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import median

from benchmarks.replay.counterfactual.predictions import Prediction
from benchmarks.replay.counterfactual.questions import CONTROLLERS

DIFFERENT = 0.05
"""Two controllers whose true goodputs differ by less are not ranked."""


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies, nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * (len(ordered) - 1))))]


def weighted_quantile(values: Sequence[tuple[float, float]], share: float) -> float:
    """The least value with this share of the weight at or below it.

    Args:
        values: each with its weight.
        share: of all weights.
    """
    ordered = sorted(values)
    most, below = share * sum(weight for _, weight in ordered), 0.0
    for value, weight in ordered:
        below += weight
        if below >= most * (1 - 1e-9):
            return value
    return ordered[-1][0]


def errors(predictions: Iterable[Prediction]) -> list[float]:
    """Absolute errors of flows that do not starve."""
    found = [prediction.error for prediction in predictions if not prediction.starved]
    return [abs(error) for error in found if error is not None]


def coverage(predictions: Iterable[Prediction]) -> tuple[int, int]:
    """How many intervals hold the truth, of how many."""
    known = [prediction.covered for prediction in predictions if not prediction.starved]
    return sum(bool(covered) for covered in known), sum(covered is not None for covered in known)


def summary(predictions: Sequence[Prediction]) -> tuple[float, float, float | None] | None:
    """Median and 90th percentile of the error, and coverage; None without a prediction."""
    values = errors(predictions)
    if not values:
        return None
    held, known = coverage(predictions)
    return median(values), quantile(values, 0.9), held / known if known else None


def ranked(predictions: Sequence[Prediction]) -> tuple[int, int]:
    """Of how many pairs of controllers the better was named, and how many pairs differ by enough."""
    totals: dict[tuple[str, str, str], list[float]] = {}
    for prediction in predictions:
        if prediction.figure == "goodput" and prediction.predicted is not None and prediction.true is not None:
            total = totals.setdefault((prediction.world, prediction.observer, prediction.question), [0.0, 0.0])
            total[0] += prediction.predicted
            total[1] += prediction.true
    right = pairs = 0
    names = [question.name for question in CONTROLLERS]
    for place in sorted({key[:2] for key in totals}):
        for one, other in combinations(names, 2):
            if (*place, one) in totals and (*place, other) in totals:
                first, second = totals[*place, one], totals[*place, other]
                if abs(first[1] - second[1]) > DIFFERENT * max(first[1], second[1]):
                    pairs += 1
                    right += (first[0] > second[0]) == (first[1] > second[1])
    return right, pairs
