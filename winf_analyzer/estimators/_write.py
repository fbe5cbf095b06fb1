"""Estimates of a dataset: run the estimators over its exchanges and keep what they say."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, cast

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._util.durations import parse_ns
from winf_analyzer._util.errors import UsageError
from winf_analyzer._util.prefetch import beside, prefetched

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._aggregate.settings import Mode, Settings
    from winf_analyzer._mac.override import Override

PART_ROWS = 100_000
"""Estimates are written once as many have come together."""

READ = ("exchanges", "frames", "neighbours", "capabilities", "audit")
"""Tables that estimates are made of."""

RESTING_ON_ESTIMATES = ("comparison", "scores")
"""Tables about other estimates than the new ones; they are emptied."""


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
    import polars as pl

    from winf_analyzer import _hidden as hidden
    from winf_analyzer import _recommended as answers
    from winf_analyzer import estimators as registry
    from winf_analyzer._aggregate import recorder_pauses
    from winf_analyzer._aggregate.aggregate import compressed
    from winf_analyzer._dataset.making import fingerprint, made
    from winf_analyzer._dataset.sequence_numbers import heard_in
    from winf_analyzer._mac.of_dataset import mac_parameters
    from winf_analyzer._mac.override import parse_override
    from winf_analyzer._schema import schema
    from winf_analyzer.estimators._run import Task, check_names, estimate_together

    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    dataset.check_tables("estimates", "mac_parameters", "hidden_pairs", "recommended", *RESTING_ON_ESTIMATES)
    modes = [known for known in registry.MODES if mode in (known, "both")]
    if not modes:
        raise UsageError(f"mode {mode!r} is not one of {', '.join(registry.MODES)}, both.")
    try:  # of what the user gave alone: a ValueError of the work itself is a fault
        settings = registry.Settings(
            window_ns=parse_ns(window),
            step_ns=None if step is None else parse_ns(step),
            per_exchange=per_exchange,
            running=running,
            cooperate=cooperate,
            probe=cast("registry.Probe", probe),
        )
        estimators = [estimators] if isinstance(estimators, str) else estimators
        if estimators is not None and not estimators:  # an empty table would take the place of the estimates
            raise ValueError("estimators: none is named; None stands for all.")
        check_names(estimators)
        override = parse_override(mac)
    except ValueError as error:
        raise UsageError(str(error)) from None
    key = fingerprint(dataset, READ, {"estimators": estimators, "modes": modes, "settings": settings, "mac": override})
    has_plugins = len(registry.registry()) > len(registry.ESTIMATORS)  # whose code may have changed
    if not (again or has_plugins) and made(dataset, "estimate", key):
        return _of_node(dataset.scan("estimates"), node)
    same = fingerprint(dataset, READ, {"settings": settings, "mac": override})
    others = _of_others(dataset, estimators, modes) if _made_with(dataset, same) else None
    with (
        dataset.change("estimate") as change,
        beside(hidden.find, dataset.scan("exchanges"), dataset.scan("neighbours")) as pairs,
    ):
        change.made["estimate"] = {"key": key, "settings": same}
        parameters = mac_parameters(dataset, mac)
        exchanges, frames = dataset.scan("exchanges"), dataset.scan("frames")
        pauses = recorder_pauses.found(heard_in(dataset))
        asked = exchanges, estimators, modes, settings, frames, parameters, pauses
        has_answer = answers.MODE in modes and (estimators is None or answers.ESTIMATOR in estimators)
        needed = _recommended_of(settings, has_answer=has_answer)
        if per_exchange:  # whose sums are too many to be held
            each = registry.estimate_each(*asked)
            found = [compressed(_alone(dataset, kind, parameters, pauses)) for kind in needed]
        else:
            each, found = estimate_together(*asked, [(Task(answers.ESTIMATOR, answers.MODE), kind) for kind in needed])
        kept = () if others is None else others.collect_batches(chunk_size=PART_ROWS, maintain_order=True)
        change.replace("estimates", prefetched(_together(chain(each, kept))))
        whole, *windows = (pl.read_ipc(rows).lazy() for rows in found)
        written = dataset.scan("estimates").filter(
            pl.col("estimator") == answers.ESTIMATOR, pl.col("mode") == answers.MODE
        )
        of_windows = windows[0] if windows else written
        seconds = partial(
            _alone, dataset, replace(_tumbling(settings), window_ns=answers.CHANGE_NS), parameters, pauses
        )
        of_links = answers.recommended(dataset, of_windows, whole, settings.window_ns, seconds)
        change.replace("recommended", [of_links])
        change.replace("mac_parameters", [parameters])
        change.replace("hidden_pairs", [pairs.result()])
        for table in RESTING_ON_ESTIMATES:
            if dataset.paths(table):
                change.replace(table, [pl.DataFrame(schema=schema(table))])
    return _of_node(dataset.scan("estimates"), node)


def _made_with(dataset: Dataset, settings: str) -> bool:
    """Whether the dataset's estimates are of the same recording, windows and MAC parameters."""
    return (
        bool(dataset.paths("estimates"))
        and dataset.metadata.get("made", {}).get("estimate", {}).get("settings") == settings
    )


def _of_others(dataset: Dataset, estimators: Sequence[str] | None, modes: Sequence[Mode]) -> pl.LazyFrame | None:
    """The rows that the dataset has of estimators and modes that are not asked for now."""
    import polars as pl

    asked = pl.col("mode").is_in(list(modes))
    if estimators is not None:
        asked &= pl.col("estimator").is_in(list(estimators))
    elif len(modes) > 1:
        return None
    return dataset.scan("estimates").filter(~asked)


def _of_node(estimates: pl.LazyFrame, node: str | None) -> pl.LazyFrame:
    """The estimates of one node, or of all.

    Raises:
        UsageError: there are none of this node.
    """
    import polars as pl

    if node is None:
        return estimates
    own = estimates.filter(pl.col("node") == node.lower())
    if own.limit(1).collect().is_empty():
        nodes = estimates.select(pl.col("node").drop_nulls().unique()).collect(engine="streaming")["node"]
        raise UsageError(
            f"no estimates of node {node}; nodes with estimates: {', '.join(nodes.sort().head(10)) or 'none'}."
        )
    return own


WHOLE_NS = 1 << 62
"""A window that holds any recording: ns since the epoch until the year 2116."""


def _recommended_of(settings: Settings, *, has_answer: bool) -> list[Settings]:
    """The windows of the estimates that `recommended` rests on: one that holds the recording, and tumbling ones.

    Those are left out that the table of estimates has: with `has_answer` it has the estimator in `settings`.
    """
    # One window that the recording covers a small part of.
    whole = replace(_tumbling(settings), window_ns=WHOLE_NS, min_cover=0.0)
    return [whole] if has_answer and _tumbling(settings) == settings else [whole, _tumbling(settings)]


def _tumbling(settings: Settings) -> Settings:
    return replace(settings, step_ns=None, running=False, per_exchange=False)


def _alone(dataset: Dataset, settings: Settings, parameters: pl.DataFrame, pauses: pl.DataFrame) -> pl.DataFrame:
    """The estimates that `recommended` rests on, in a pass of their own."""
    import polars as pl

    from winf_analyzer._recommended import ESTIMATOR, MODE
    from winf_analyzer.estimators import ESTIMATES_SCHEMA, estimate_each

    exchanges, frames = dataset.scan("exchanges"), dataset.scan("frames")
    each = estimate_each(exchanges, [ESTIMATOR], [MODE], settings, frames, parameters, pauses)
    return pl.concat([pl.DataFrame(schema=ESTIMATES_SCHEMA), *each])


def _together(tables: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Parts of :data:`PART_ROWS` and more: one, where there is little."""
    import polars as pl

    from winf_analyzer.estimators import ESTIMATES_SCHEMA

    held, height, written = [pl.DataFrame(schema=ESTIMATES_SCHEMA)], 0, 0
    for table in tables:
        held.append(table)
        height += table.height
        if height >= PART_ROWS:
            yield pl.concat(held)
            held, height, written = held[:1], 0, written + 1
    if height or not written:
        yield pl.concat(held)
