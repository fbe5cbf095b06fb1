"""How well a mean of seeds is known, and how many seeds a mean is made of.

The rule is the same for what simulators did and for what replays predict, and looks at nothing but the scatter of the
seeds themselves: never at how far a prediction is from the truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, sqrt
from statistics import fmean, stdev

GOALS = {"goodput": (0.02, 0.06), "RTT, median": (0.10, 0.25)}
"""By figure, at most: median and 90th percentile of the relative error."""

PART = 1 / 3
"""A mean is known where its standard error is at most this part of the goal for the 90th percentile."""

STEPS = (3, 6, 12, 24)
"""Seeds of the simulator: from one step to the next until the means of all flows are known, or to the last one."""

REACH = 4
"""The last step, which costs as much as all before it, is left out where so many times its seeds would not do either,
by the scatter of the step before: what chance decides stays unknown, whatever number of seeds can be run."""

REPLAY_SEEDS, MORE_REPLAY_SEEDS = 3, STEPS[-1]
"""Seeds of a prediction; the more where the mean of the fewer is not known."""

STARVED = 0.05
"""A flow with less than this share of the fastest one starves: its few packets make no mean to compare."""

Values = Mapping[str, Sequence[float]]
"""Of a flow, by figure: those of its seeds."""


def is_worth_more(seeds: int, off: float) -> bool:
    """Whether a mean that is not known gets the next step, see :data:`STEPS` and :data:`REACH`.

    Args:
        seeds: those that it has.
        off: their :func:`imprecision`.
    """
    beyond = seeds >= STEPS[-2] and seeds * off**2 > REACH * STEPS[-1]
    return off > 1 and not beyond


def standard_error(values: Sequence[float]) -> float:
    """Half of the interval that holds the true mean in 68 % of cases, as a share of the mean; infinite for one value.

    That is the standard error times Student's factor: a scatter that few seeds show is less than the true one too
    often.
    """
    if len(values) < 2:
        return inf
    freedom = len(values) - 1
    # The expansion of Student's quantile around the normal one (Abramowitz and Stegun, 26.7.5), at one.
    student = 1 + 1 / (2 * freedom) + 1 / (4 * freedom**2)
    mean = fmean(values)
    return student * stdev(values) / sqrt(len(values)) / mean if mean else inf


def imprecision(flows: Sequence[Values]) -> float:
    """The largest standard error of the flows that do not starve, as a multiple of what is allowed; up to 1: known."""
    fastest = max(fmean(values["goodput"]) for values in flows)
    return max(
        standard_error(values[figure]) / (PART * high)
        for values in flows
        if fmean(values["goodput"]) >= STARVED * fastest
        for figure, (_, high) in GOALS.items()
    )
