"""What the model is off by itself: the shares by which intervals over the draws have to be longer.

A recording leaves things open, and worlds are drawn over them; what the model gets wrong in every drawn world is not
among the draws. ``winf_analyzer/_replay/unknowns.py`` has a share for it per figure, for recordings of the senders
themselves and for those of a station beside them. They are those that ``--development`` prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil

from benchmarks.replay.counterfactual.predictions import FIGURES, Prediction
from benchmarks.replay.counterfactual.runs import OBSERVERS

HELD = 0.9
"""Share of the truths that intervals are to hold."""


def needed(prediction: Prediction) -> float | None:
    """The least share by which the interval over the draws has to be longer to hold the truth; None without one.

    0 where the world says by itself that it is off by as much, whatever the model is.
    """
    if prediction.drawn is None or prediction.true is None or prediction.predicted is None or prediction.starved:
        return None
    low, high = prediction.drawn
    # An interval always holds the figure that is predicted.
    low, high = min(low, prediction.predicted), max(high, prediction.predicted)
    if prediction.true < low:
        share = 1 - prediction.true / low
    else:
        share = prediction.true / high - 1 if prediction.true > high else 0.0
    return 0.0 if share <= prediction.unreproduced else share


def model_error(predictions: Iterable[Prediction]) -> float | None:
    """The least share, in hundredths, that nine of ten intervals need; None without an interval."""
    shares = sorted(share for each in predictions if (share := needed(each)) is not None)
    return ceil(100 * shares[ceil(HELD * len(shares)) - 1]) / 100 if shares else None


def model_errors(predictions: Sequence[Prediction]) -> dict[str, dict[str, float]]:
    """By observer and column of a replay's summary."""
    found: dict[str, dict[str, float]] = {}
    for observer in OBSERVERS:
        for figure, (column, low, _) in FIGURES.items():
            ours = [each for each in predictions if each.observer == observer and each.figure == figure]
            share = model_error(ours) if low else None
            if share is not None:
                found.setdefault(observer, {})[column] = share
    return found
