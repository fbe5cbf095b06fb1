"""Estimates of a dataset: run the estimators over its exchanges and keep what they say."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from winf_analyzer.dataset import Dataset
from winf_analyzer.durations import parse_ns
from winf_analyzer.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

RESTING_ON_ESTIMATES = ("comparison", "scores")
"""Tables about other estimates than the new ones; they are emptied."""


def estimate(
    dataset: Dataset | str | os.PathLike[str],
    *,
    estimators: Sequence[str] | None = None,
    mode: str = "both",
    window: str | int = "1s",
    step: str | int | None = None,
    per_exchange: bool = False,
    running: bool = False,
    node: str | None = None,
    cooperate: bool = True,
    probe: str = "any",
) -> pl.DataFrame:
    """Estimate capacity and available bandwidth per node, link, path, state and window.

    The dataset's ``estimates`` table is replaced by the result; a comparison of the former ones is dropped.

    Args:
        dataset: a dataset or its path.
        estimators: names of the registry (``winf list estimators``); all by default.
        mode: ``paper``, ``corrected`` or ``both``.
        window: width of the windows: a duration such as ``500ms``, or nanoseconds.
        step: sliding windows that start every so often, of which a window holds a whole number; tumbling ones by
            default.
        per_exchange: a row for each exchange: its own capacity, and the idle share of the window that ends with it.
        running: everything since the first exchange counts, not only the window.
        node: return only the rows of this node; the table keeps all.
        cooperate: the sender takes the lower of its own and the receiver's values; otherwise both stand.
        probe: which exchanges without RTS/CTS rt_winf measures: ``any``, or ``subtype_1001``, the paper's probes.

    Returns:
        The ``estimates`` table; rates in bit/s, times in ns, null for unknown.

    Raises:
        UsageError: an unknown estimator, mode or probe, a window or step that is no duration or do not go together, a
            node without estimates.
        DatasetError: no dataset there, or it cannot be written.

    An estimator of another package that fails is left out, with a `winf_analyzer.estimators.PluginWarning`.
    """
    import polars as pl

    from winf_analyzer import estimators as registry

    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    modes = [known for known in registry.MODES if mode in (known, "both")]
    if not modes:
        raise UsageError(f"mode {mode!r} is not one of {', '.join(registry.MODES)}, both.")
    try:
        settings = registry.Settings(
            window_ns=parse_ns(window),
            step_ns=None if step is None else parse_ns(step),
            per_exchange=per_exchange,
            running=running,
            cooperate=cooperate,
            probe=cast("registry.Probe", probe),
        )
        estimates = registry.estimate(dataset.scan("exchanges"), estimators, modes, settings, dataset.scan("frames"))
    except ValueError as error:
        raise UsageError(str(error)) from None
    dataset.replace_table("estimates", estimates)
    for table in RESTING_ON_ESTIMATES:
        if dataset.parts(table):
            dataset.replace_table(table, dataset.scan(table).clear())
    if node is None:
        return estimates
    own = estimates.filter(pl.col("node") == node.lower())
    if own.is_empty():
        known = ", ".join(estimates["node"].drop_nulls().unique().sort().head(10))
        raise UsageError(f"no estimates of node {node}; nodes with estimates: {known or 'none'}.")
    return own
