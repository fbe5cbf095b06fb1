"""The registry of estimators."""

from functools import cache

from winf_analyzer.estimators._estimator import Estimator
from winf_analyzer.estimators._plugins import discover
from winf_analyzer.estimators.adhoc_probe import ADHOC_PROBE
from winf_analyzer.estimators.busy_share import BUSY_SHARE
from winf_analyzer.estimators.c3tcp import C3TCP
from winf_analyzer.estimators.collision import COLLISION
from winf_analyzer.estimators.idle_gap import IDLE_GAP
from winf_analyzer.estimators.rt_winf import RT_WINF
from winf_analyzer.estimators.saturation import SATURATION
from winf_analyzer.estimators.theoretical_maximum import THEORETICAL_MAXIMUM
from winf_analyzer.estimators.wbest import WBEST

ESTIMATORS: dict[str, Estimator] = {
    row.name: row
    for row in (
        RT_WINF,
        SATURATION,
        IDLE_GAP,
        COLLISION,
        ADHOC_PROBE,
        WBEST,
        C3TCP,
        THEORETICAL_MAXIMUM,
        BUSY_SHARE,
    )
}
"""Every estimator of this package by name."""


@cache
def registry() -> dict[str, Estimator]:
    """Every estimator by name: those of :data:`ESTIMATORS`, then those of other packages.

    Cached: of a plug-in that cannot be used there is one warning per process.
    """
    return ESTIMATORS | discover(ESTIMATORS)
