"""Estimates of a dataset: run the estimators over its exchanges and keep what they say."""

import os
from collections.abc import Sequence
from typing import cast

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._mac.override import Override, parse_override
from winf_analyzer._util.durations import parse_ns
from winf_analyzer._util.errors import UsageError
from winf_analyzer.estimators import MODES, Probe, Settings
from winf_analyzer.estimators._run import check_names
from winf_analyzer.estimators._tables import RESTING_ON_ESTIMATES, Asked, fill


@reads_dataset
def estimate(
    dataset: Dataset | str | os.PathLike[str],
    *,
    estimators: str | Sequence[str] | None = None,
    mode: str = "both",
    window: str | int = "1s",
    step: str | int | None = None,
    per_exchange: bool = False,
    running: bool = False,
    node: str | None = None,
    cooperate: bool = True,
    probe: str = "any",
    mac: Override = None,
    again: bool = False,
) -> pl.DataFrame:
    """Estimate capacity and available bandwidth per node, link, path, state and window.

    The dataset's ``estimates`` table is replaced by the result, its ``mac_parameters`` table by the MAC parameters that
    the estimators took, and ``hidden_pairs`` found anew; a comparison of the former estimates is dropped. Its
    ``recommended`` table has the one answer to use per link, in tumbling windows and for the whole recording, whatever
    estimators were asked for.

    Args:
        dataset: a dataset or its path.
        estimators: names of the registry (``winf list estimators``), or one name; all by default.
        mode: ``paper``, ``corrected`` or ``both``.
        window: width of the windows: a duration such as ``500ms``, or nanoseconds.
        step: sliding windows that start every so often, of which a window holds a whole number; tumbling ones by
            default.
        per_exchange: a row for each exchange: its own capacity, and the idle share of the window that ends with it.
        running: everything since the first exchange counts, not only the window.
        node: return only the rows of this node; the table keeps all.
        cooperate: the sender takes the lower of its own and the receiver's values; otherwise both stand.
        probe: which exchanges without RTS/CTS rt_winf measures: ``any``, or ``subtype_1001``, the paper's probes.
        mac: MAC parameters that are known better than the recording shows them: ``"slot_us=20,vo.cw_min=3"``, the
            path of a TOML file, or its content; see :func:`winf_analyzer._mac.override.parse_override`.
        again: compute also what the dataset holds already, made of the same tables with the same settings and code.

    Returns:
        The ``estimates`` table; rates in bit/s, times in ns, null for unknown.

    Raises:
        UsageError: an unknown estimator, mode or probe, an empty list of estimators, a window or step that is no
            duration or do not go together, a node without estimates, a MAC parameter that does not exist or is out of
            bounds.
        DatasetError: no dataset there, or it cannot be written.

    An estimator of another package that fails is left out, with a `winf_analyzer.estimators.PluginWarning`.
    """
    return write_estimates(
        dataset,
        estimators=estimators,
        mode=mode,
        window=window,
        step=step,
        per_exchange=per_exchange,
        running=running,
        node=node,
        cooperate=cooperate,
        probe=probe,
        mac=mac,
        again=again,
    ).collect()


@reads_dataset
def write_estimates(
    dataset: Dataset | str | os.PathLike[str],
    *,
    estimators: str | Sequence[str] | None = None,
    mode: str = "both",
    window: str | int = "1s",
    step: str | int | None = None,
    per_exchange: bool = False,
    running: bool = False,
    node: str | None = None,
    cooperate: bool = True,
    probe: str = "any",
    mac: Override = None,
    again: bool = False,
) -> pl.LazyFrame:
    """:func:`estimate` in bounded memory: the same, but the table is written and scanned instead of held."""
    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    dataset.check_tables("estimates", "mac_parameters", "hidden_pairs", "recommended", *RESTING_ON_ESTIMATES)
    modes = [known for known in MODES if mode in (known, "both")]
    if not modes:
        raise UsageError(f"mode {mode!r} is not one of {', '.join(MODES)}, both.")
    try:  # of what the user gave alone: a ValueError of the work itself is a fault
        settings = Settings(
            window_ns=parse_ns(window),
            step_ns=None if step is None else parse_ns(step),
            per_exchange=per_exchange,
            running=running,
            cooperate=cooperate,
            probe=cast("Probe", probe),
        )
        estimators = [estimators] if isinstance(estimators, str) else estimators
        if estimators is not None and not estimators:  # an empty table would take the place of the estimates
            raise ValueError("estimators: none is named; None stands for all.")
        check_names(estimators)
        parse_override(mac)
    except ValueError as error:
        raise UsageError(str(error)) from None
    fill(dataset, Asked(estimators, modes, settings, mac), again=again)
    return _of_node(dataset.scan("estimates"), node)


def _of_node(estimates: pl.LazyFrame, node: str | None) -> pl.LazyFrame:
    """The estimates of one node, or of all.

    Raises:
        UsageError: there are none of this node.
    """
    if node is None:
        return estimates
    own = estimates.filter(pl.col("node") == node.lower())
    if own.limit(1).collect().is_empty():
        nodes = estimates.select(pl.col("node").drop_nulls().unique()).collect(engine="streaming")["node"]
        raise UsageError(
            f"no estimates of node {node}; nodes with estimates: {', '.join(nodes.sort().head(10)) or 'none'}."
        )
    return own
