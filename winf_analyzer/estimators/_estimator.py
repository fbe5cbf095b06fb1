"""What a row of the registry of estimators is."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import polars as pl

from winf_analyzer.estimators.medium import Recording
from winf_analyzer.estimators.settings import Mode, Settings
from winf_analyzer.estimators.stretches import Request


class EstimatorFunction(Protocol):
    """What an estimator is: a pure function of a recording's `exchanges`.

    It returns columns of :data:`.ESTIMATES`, at least source, observer, node, state and window_start_ns;
    :func:`.estimate` adds estimator, mode and window_ns, and nulls for what it leaves out. Unknown is null, never 0.
    No input makes it fail: exchanges that cannot be understood are no samples.
    """

    def __call__(self, recording: Recording, mode: Mode, settings: Settings, /) -> pl.DataFrame:
        """The estimates of one mode."""
        ...


class Estimator(NamedTuple):
    """A row of the registry."""

    name: str
    description: str
    source: str
    function: EstimatorFunction
    gathers: Callable[[Recording, Mode, Settings], Sequence[Request]] = lambda *_: ()
    """What the function will gather from the stretches of a recording, so that one pass does for all estimators; what
    is not told here is gathered when it is asked for."""
