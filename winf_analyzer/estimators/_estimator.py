"""What an estimator is: a declaration of what it takes and how that becomes rows of `estimates`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from winf_analyzer._aggregate.aggregate import Input
from winf_analyzer._aggregate.settings import Mode


@dataclass(frozen=True, eq=False)
class Method:
    """One mode of an estimator."""

    finish: Callable[..., pl.DataFrame]
    """Called once per recording with the :class:`.Context`, and by name the results of `inputs` and `after`.

    It returns columns of the `estimates` table, at least source, observer, node, state and window_start_ns; estimator,
    mode and window_ns are added, and null for what it leaves out. Unknown is null, never 0. No exchanges make it fail:
    those that cannot be understood are no samples.
    """
    inputs: Mapping[str, Input] = field(default_factory=dict)
    """What is computed of the exchanges, for all estimators in one pass over the recording."""
    after: tuple[str, ...] = ()
    """Estimators whose rows of the same mode it takes."""
    per_exchange: bool = True
    """It has rows of windows that belong to a single exchange; otherwise it is not called for them."""


@dataclass(frozen=True, eq=False)
class Estimator:
    """A row of the registry."""

    name: str
    description: str
    source: str
    """Paper and section; of a plug-in that gives none, its package."""
    paper: Method
    """The formulas as published."""
    corrected: Method
    """Dimensionally consistent, the known biases removed."""
    derived: Mapping[str, pl.Expr] = field(default_factory=dict)
    """Columns that follow from others of the same row, of links, nodes and paths alike."""
    package: str | None = None
    """Name and version of the package of a plug-in, set by the registry; None: this one."""

    def method(self, mode: Mode) -> Method:
        """The method of a mode."""
        return self.paper if mode == "paper" else self.corrected

    @property
    def implemented_in(self) -> str:
        """The module of its `finish`."""
        return self.corrected.finish.__module__
