"""Estimators of path capacity and available bandwidth, over the `exchanges` table.

One estimator, one file, one row of :data:`ESTIMATORS`, one test. Adding one touches nothing else.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol, get_args

import polars as pl

from winf_analyzer.estimators import nodes, paths
from winf_analyzer.estimators.idle_gap import idle_gap
from winf_analyzer.estimators.medium import Recording, recording
from winf_analyzer.estimators.rt_winf import rt_winf
from winf_analyzer.estimators.saturation import saturation
from winf_analyzer.estimators.schema import ESTIMATES, ESTIMATES_SCHEMA, EXCHANGES_SCHEMA
from winf_analyzer.estimators.settings import Mode, Probe, Settings

__all__ = [
    "ESTIMATES",
    "ESTIMATES_SCHEMA",
    "ESTIMATORS",
    "EXCHANGES_SCHEMA",
    "MODES",
    "Estimator",
    "EstimatorFunction",
    "Mode",
    "Probe",
    "Recording",
    "Settings",
    "estimate",
]

MODES: tuple[Mode, ...] = get_args(Mode)


class EstimatorFunction(Protocol):
    """What an estimator is: a pure function of a recording's `exchanges`.

    It returns columns of :data:`ESTIMATES`, at least source, observer, node, state and window_start_ns;
    :func:`estimate` adds estimator, mode and window_ns, and nulls for what it leaves out. Unknown is null, never 0.
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


ESTIMATORS: dict[str, Estimator] = {
    row.name: row
    for row in (
        Estimator(
            "rt_winf",
            "capacity from the time between RTS, CTS, DATA and ACK, available bandwidth from the idle share",
            "Barreto: XCP-Winf and RCP-Winf, sec. 3; Res, Barreto, Sargento, IEEE Globecom Workshops 2010",
            rt_winf,
        ),
        Estimator(
            "saturation",
            "available bandwidth as what a backlogged sender would add, from every station's load and airtime",
            "after Bianchi, IEEE JSAC 18(3), 2000, with stations that are not backlogged, aggregation and loss",
            saturation,
        ),
        Estimator(
            "idle_gap",
            "available bandwidth as the header's data rate times the idle share; measures no capacity",
            "Lee et al., Advances in Multimedia 2007; Barreto: XCP-Winf and RCP-Winf, sec. 2.1 and 3",
            idle_gap,
        ),
    )
}
"""Every estimator by name."""


def estimate(
    exchanges: pl.LazyFrame,
    names: Iterable[str] = tuple(ESTIMATORS),
    modes: Iterable[Mode] = MODES,
    settings: Settings = Settings(),  # noqa: B008 (frozen)
    frames: pl.LazyFrame | None = None,
) -> pl.DataFrame:
    """The `estimates` table of the named estimators in the given modes.

    Args:
        exchanges: the `exchanges` table; of its columns those of :data:`EXCHANGES_SCHEMA` are read.
        names: keys of :data:`ESTIMATORS`.
        modes: of :data:`MODES`.
        settings: windows, cooperation, MAC parameters.
        frames: the `frames` table, for what `exchanges` does not tell: rt_winf's probes of subtype 1001, and transport
            sequence numbers, by which c3tcp follows a packet along its path.

    Returns:
        The columns of :data:`ESTIMATES` in order; estimators and modes in the order asked for.

    Raises:
        ValueError: a name or mode that does not exist; the message lists those that do.
    """
    names, modes = list(names), list(modes)
    _refuse_unknown(names, ESTIMATORS)
    _refuse_unknown(modes, MODES)
    prepared = recording(exchanges, settings, frames)
    hops = paths.find(prepared)
    tables = [
        _conform(_completed(ESTIMATORS[name].function(prepared, mode, settings), hops), name, mode, settings)
        for name in names
        for mode in modes
    ]
    return pl.concat([pl.DataFrame(schema=ESTIMATES_SCHEMA), *tables])


def _completed(rows: pl.DataFrame, hops: pl.DataFrame) -> pl.DataFrame:
    """With the rows of nodes and paths, which follow from those of links where the estimator gives none itself."""
    if not {"sender", "receiver", "exchanges", "covered_ns"} <= set(rows.columns):
        return rows
    added = paths.along(rows, hops)
    if "path" in rows.columns:
        added = added.join(rows.filter(pl.col("path").is_not_null()), on=["path", "window_start_ns"], how="anti")
    return pl.concat([rows, nodes.together(rows), added], how="diagonal_relaxed")


def _conform(rows: pl.DataFrame, name: str, mode: Mode, settings: Settings) -> pl.DataFrame:
    """All columns of the table, in order and type."""
    rows = rows.with_columns(
        estimator=pl.lit(name), mode=pl.lit(mode), window_ns=pl.lit(settings.window_ns, dtype=pl.Int64)
    )
    return rows.select(
        (pl.col(column) if column in rows.columns else pl.lit(None)).cast(dtype).alias(column)
        for column, dtype in ESTIMATES_SCHEMA.items()
    ).sort("source", "observer", "window_start_ns", "state", "node", "sender", "receiver", "path")


def _refuse_unknown(asked: Iterable[str], options: Iterable[str]) -> None:
    for name in asked:
        if name not in options:
            raise ValueError(f"{name!r} is not one of {', '.join(options)}")
