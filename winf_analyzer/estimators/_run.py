"""Runs estimators over exchanges: each once, after those it depends on, in one pass for all their inputs."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

import polars as pl

from winf_analyzer._aggregate import sort_keys, windows
from winf_analyzer._aggregate.aggregate import (
    Aggregate,
    Both,
    Derived,
    InWindows,
    Partials,
    compressed,
    parted,
    with_whole,
)
from winf_analyzer._aggregate.chunks import Context
from winf_analyzer._aggregate.nodes import aggregate_node
from winf_analyzer._aggregate.reader import open_exchanges
from winf_analyzer._aggregate.settings import Mode, Settings
from winf_analyzer._paths.paths import aggregate_path, with_paths
from winf_analyzer._schema import schema
from winf_analyzer._util.memory import release
from winf_analyzer._util.prefetch import prefetched
from winf_analyzer._util.progress import enter
from winf_analyzer.estimators._plugins import checked, guarded
from winf_analyzer.estimators._registry import registry

ESTIMATES_SCHEMA = schema("estimates")

MODES: tuple[Mode, ...] = get_args(Mode)

PIECE_ROWS = 50_000
"""Estimates that are cast to the columns of the table at a time."""

TOGETHER_LINKS = 50_000
"""Links of all windows up to which the whole recording is estimated together with its windows, which takes as few
operations on tables as one of them, and the memory of both."""

ORDER = ("source", "observer", "window_start_ns", "state", "node", "sender", "receiver", "path")
"""What the estimates of an estimator and mode are sorted by."""


_UNKNOWN = {name: pl.lit(None, dtype).alias(name) for name, dtype in ESTIMATES_SCHEMA.items()}
"""Columns that an estimator does not have: to make them for each takes as long as all else for a short table."""


class Task(NamedTuple):
    """An estimator in a mode."""

    name: str
    mode: Mode


Key = Aggregate | Derived | Task
"""What is worked out of a recording."""


def estimate(
    exchanges: pl.LazyFrame,
    names: Iterable[str] | None = None,
    modes: Iterable[Mode] = MODES,
    settings: Settings = Settings(),  # noqa: B008 (frozen)
    frames: pl.LazyFrame | None = None,
    parameters: pl.DataFrame | None = None,
    pauses: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """The `estimates` table of the named estimators in the given modes.

    Args:
        exchanges: the `exchanges` table; of its columns those of :data:`.EXCHANGES_SCHEMA` are read. Rows must come in
            the same order whenever it is collected.
        names: keys of :func:`.registry`; all by default.
        modes: of :data:`MODES`.
        settings: windows, cooperation, MAC parameters for all.
        frames: the `frames` table, for what `exchanges` does not tell: rt_winf's probes of subtype 1001, and transport
            sequence numbers, by which c3tcp follows a packet along its path.
        parameters: the `mac_parameters` table; inferred from the exchanges where it is not given.
        pauses: when the recorders recorded nothing though stations sent: of :func:`.recorder_pauses.found`.

    Returns:
        The columns of :data:`.ESTIMATES` in order; estimators and modes in the order asked for.

    Raises:
        ValueError: a name or mode that does not exist; the message lists those that do.
    """
    tables = estimate_each(exchanges, names, modes, settings, frames, parameters, pauses)
    return pl.concat([pl.DataFrame(schema=ESTIMATES_SCHEMA), *tables])


def estimate_each(
    exchanges: pl.LazyFrame,
    names: Iterable[str] | None = None,
    modes: Iterable[Mode] = MODES,
    settings: Settings = Settings(),  # noqa: B008 (frozen)
    frames: pl.LazyFrame | None = None,
    parameters: pl.DataFrame | None = None,
    pauses: pl.DataFrame | None = None,
) -> Iterator[pl.DataFrame]:
    """:func:`estimate` in pieces, for results that are too long to be held together.

    A piece is of one estimator and mode; of long recordings, of some of its windows.
    """
    yield from estimate_together(exchanges, names, modes, settings, frames, parameters, pauses, others=())[0]


def estimate_together(
    exchanges: pl.LazyFrame,
    names: Iterable[str] | None,
    modes: Iterable[Mode],
    settings: Settings,
    frames: pl.LazyFrame | None,
    parameters: pl.DataFrame | None,
    pauses: pl.DataFrame | None,
    others: Iterable[tuple[Task, Settings]],
) -> tuple[Iterator[pl.DataFrame], list[bytes]]:
    """What :func:`estimate_each` yields, and the estimates of other tasks in longer windows, of the same pass.

    The latter are :func:`.compressed`: they are wanted when the former have been written.

    Args:
        exchanges: as of :func:`estimate_each`, like all that are not named here.
        names: the same.
        modes: the same.
        settings: the same; not :attr:`.Settings.per_exchange` if there are `others`.
        frames: the same.
        parameters: the same.
        pauses: the same.
        others: tasks whose inputs are sums per window and link, with settings that differ in the windows alone:
            tumbling ones that hold those of `settings`, or their steps, as a whole. They get no rows of paths.
    """
    known = registry()
    names, modes = list(known if names is None else names), list(modes)
    _refuse_unknown(names, known)
    _refuse_unknown(modes, MODES)
    tasks = list(dict.fromkeys(Task(name, mode) for name in names for mode in modes))
    needs = _needs(tasks, settings)
    others_need = [(task, longer, _needs([task], longer)) for task, longer in others]
    reader = with_paths(open_exchanges(exchanges, settings, frames, parameters, pauses))
    taken = dict.fromkeys(key for some in (needs, *(more for *_, more in others_need)) for key in some)
    partials = reader.aggregate([key for key in taken if isinstance(key, Aggregate)])
    enter("summing up the estimates")
    reader = replace(reader, whole=None)  # which is as large as all sums together
    release()
    more, known_already = [], dict[Key, Any]()
    for task, longer, needed in others_need:
        context, sums = reader.in_windows(longer), InWindows(partials, longer)
        if (
            task in tasks
            and partials.links <= TOGETHER_LINKS
            and settings.is_tumbling
            and not settings.versions
            and context.windows["medium"].is_unique().all()
        ):
            found, rows = _with_whole(task, tasks, reader.context, partials, context, sums)
            known_already |= found
        else:
            rows = Evaluation(context, sums, needed, [task]).take(task)
        tables = _conformed(rows, context, task)
        more.append(compressed(pl.concat([pl.DataFrame(schema=ESTIMATES_SCHEMA), *tables])))
    if known_already:
        needs = _needs(tasks, settings, known_already)
        partials.keep(needs)
    return _tables(Evaluation(reader.context, partials, needs, tasks, known_already), tasks), more


def _with_whole(
    task: Task, tasks: Iterable[Task], context: Context, partials: Partials, whole: Context, sums: InWindows
) -> tuple[dict[Key, pl.DataFrame], pl.DataFrame]:
    """The results of the estimator of a task in the modes that are asked for, and that of the task for the whole."""
    media = context.media.height
    own = [other for other in tasks if other.name == task.name]
    both = Both(partials, sums, media)
    evaluation = Evaluation(with_whole(context, whole), both, _needs(own, context.settings), own)
    results = {other: parted(evaluation.take(other), media) for other in own}
    return {other: in_windows for other, (in_windows, _) in results.items()}, results[task][1]


def _tables(evaluation: "Evaluation", tasks: Iterable[Task]) -> Iterator[pl.DataFrame]:
    """The estimates of the tasks, in pieces."""
    for task, rows in prefetched((task, evaluation.take(task)) for task in tasks):
        yield from _conformed(rows, evaluation.context, task)
        del rows


def _conformed(rows: pl.DataFrame | None, context: Context, task: Task) -> Iterator[pl.DataFrame]:
    """The estimates of a task in pieces; none of a plug-in that failed."""
    if rows is not None and rows.is_empty():
        yield pl.DataFrame(schema=ESTIMATES_SCHEMA)
        return
    for some in windows.pieces(rows, PIECE_ROWS) if rows is not None else ():
        yield _conform(some, context.hops, task, context.settings, registry()[task.name].derived)


def _needs(tasks: Iterable[Task], settings: Settings, known: Collection[Key] = ()) -> dict[Key, Mapping[str, Key]]:
    """What the tasks take, directly or not, each with what it takes itself by name; what is `known` takes nothing."""
    needs: dict[Key, Mapping[str, Key]] = {}
    pending: list[Key] = list(tasks)
    while pending:
        key = pending.pop()
        if key not in needs:
            needs[key] = {} if key in known else _taken_by(key, settings)
            pending += needs[key].values()
    return needs


def _taken_by(key: Key, settings: Settings) -> Mapping[str, Key]:
    if isinstance(key, Aggregate):
        return {}
    if isinstance(key, Derived):
        return dict(key.inputs)
    method = registry()[key.name].method(key.mode)
    if settings.per_exchange and not method.per_exchange:
        return {}
    return {**method.inputs, **{name: Task(name, key.mode) for name in method.after}}


class Evaluation:
    """Works out each key once, and forgets it with its last use."""

    def __init__(
        self,
        context: Context,
        partials: Partials | InWindows | Both,
        needs: Mapping[Key, Mapping[str, Key]],
        tasks: Iterable[Task],
        known: Mapping[Key, Any] = MappingProxyType({}),
    ) -> None:
        """`known`: results that are there already."""
        self.context, self._partials, self._needs = context, partials, needs
        self._uses_left = Counter(tasks) + Counter(key for taken in needs.values() for key in taken.values())
        self._results: dict[Key, Any] = dict(known)

    def take(self, key: Key) -> Any:
        """The result for a key; None for a plug-in that failed. Called once per use."""
        self._uses_left[key] -= 1
        last = not self._uses_left[key]
        if isinstance(key, Aggregate):
            # Combined for each use: meanwhile the partial results of a long recording stay compressed.
            return self._partials.combined(key, drop=last)
        if key not in self._results:
            self._results[key] = self._result(key)
        found = self._results.pop(key) if last else self._results[key]
        # Columns can be added to a frame in place; nobody else sees that of a clone.
        return found.clone() if isinstance(found, pl.DataFrame) else found

    def _result(self, key: Derived | Task) -> Any:
        if isinstance(key, Derived):
            return key.function(self.context, **self._arguments(key))
        estimator = registry()[key.name]
        method, settings = estimator.method(key.mode), self.context.settings
        if settings.per_exchange and not method.per_exchange:
            return pl.DataFrame(schema={"medium": pl.UInt32(), **ESTIMATES_SCHEMA})
        if estimator.package is None:
            return method.finish(self.context, **self._arguments(key))
        return guarded(estimator, lambda: checked(method.finish(self.context, **self._arguments(key))))

    def _arguments(self, key: Key) -> dict[str, Any]:
        arguments = {name: self.take(taken) for name, taken in self._needs[key].items()}
        if failed := [name for name, rows in arguments.items() if rows is None]:
            raise RuntimeError(f"{failed[0]}, which it depends on, failed")
        return arguments


def _conform(
    rows: pl.DataFrame, hops: pl.DataFrame, task: Task, settings: Settings, derived: Mapping[str, pl.Expr]
) -> pl.DataFrame:
    """All columns of the table, in order and type, with the rows of nodes and paths.

    Those follow from the rows of links where the estimator gives none itself.
    """
    if {"sender", "receiver", "exchanges", "covered_ns"} <= set(rows.columns):
        whole = [rows, aggregate_node(rows)]
        if not hops.is_empty():
            added = aggregate_path(rows, hops)
            if "path" in rows.columns:
                own = rows.filter(pl.col("path").is_not_null())
                added = added.join(own, on=["path", "window_start_ns"], how="anti")
            whole.append(added)
        rows = pl.concat(whole, how="diagonal_relaxed")
    rows = rows.with_columns(
        value.alias(name) for name, value in derived.items() if set(value.meta.root_names()) <= set(rows.columns)
    )
    given = {"estimator": task.name, "mode": task.mode, "window_ns": settings.window_ns}
    there = [name for name in rows.columns if name in ESTIMATES_SCHEMA and name not in given]
    columns = {name: _UNKNOWN[name] for name in ESTIMATES_SCHEMA}
    columns |= {name: pl.col(name).cast(ESTIMATES_SCHEMA[name]) for name in there}
    columns |= {name: pl.lit(value, ESTIMATES_SCHEMA[name]).alias(name) for name, value in given.items()}
    return sort_keys.sort(rows[there], ORDER).select(columns.values())


def check_names(names: Iterable[str] | None) -> None:
    """Raise ValueError if one of the names is no key of :func:`.registry`; the message lists those that are."""
    if names is not None:
        _refuse_unknown(names, registry())


def _refuse_unknown(asked: Iterable[str], options: Iterable[str]) -> None:
    for name in asked:
        if name not in options:
            raise ValueError(f"{name!r} is not one of {', '.join(options)}")
