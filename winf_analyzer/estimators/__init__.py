"""Estimators of path capacity and available bandwidth, over the `exchanges` table.

One estimator, one file, one row of :data:`ESTIMATORS`, one test. Adding one touches nothing else.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol, get_args

import polars as pl

from winf_analyzer.estimators.idle_gap import idle_gap
from winf_analyzer.estimators.rt_winf import rt_winf
from winf_analyzer.estimators.schema import ESTIMATES, ESTIMATES_SCHEMA, EXCHANGES_SCHEMA
from winf_analyzer.estimators.settings import Mode, Settings

__all__ = [
    "ESTIMATES",
    "ESTIMATES_SCHEMA",
    "ESTIMATORS",
    "EXCHANGES_SCHEMA",
    "MODES",
    "Estimator",
    "EstimatorFunction",
    "Mode",
    "Settings",
    "estimate",
]

MODES: tuple[Mode, ...] = get_args(Mode)


class EstimatorFunction(Protocol):
    """What an estimator is: a pure function of the `exchanges` table.

    It returns columns of :data:`ESTIMATES`, at least source, observer, node, state and window_start_ns; :func:`estimate` adds estimator,
    mode and window_ns, and nulls for what it leaves out. Unknown is null, never 0. No input makes it fail: exchanges
    that cannot be understood are no samples.
    """

    def __call__(self, exchanges: pl.LazyFrame, mode: Mode, settings: Settings) -> pl.LazyFrame: ...


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
            "Barreto, Sargento: XCP-Winf and RCP-Winf, sec. 3; Res, Barreto, Sargento, Globecom Workshops 2010",
            rt_winf,
        ),
        Estimator(
            "idle_gap",
            "available bandwidth as the header's data rate times the idle share; measures no capacity",
            "Lee, Hall, Yum, Kim, Kim, ICME 2006",
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
) -> pl.DataFrame:
    """The `estimates` table of the named estimators in the given modes.

    Args:
        exchanges: the `exchanges` table; of its columns those of :data:`EXCHANGES_SCHEMA` are read.
        names: keys of :data:`ESTIMATORS`.
        modes: of :data:`MODES`.
        settings: window, cooperation, MAC parameters.

    Returns:
        The columns of :data:`ESTIMATES` in order; sorted by all that identifies a row.

    Raises:
        ValueError: a name or mode that does not exist; the message lists those that do.
    """
    chosen = [(_known(name, ESTIMATORS), _known(mode, MODES)) for name in names for mode in modes]
    rows = [pl.LazyFrame(schema=ESTIMATES_SCHEMA)]
    for name, mode in chosen:
        found = ESTIMATORS[name].function(exchanges, mode, settings)
        rows.append(_conform(found, name, mode, settings))
    keys = ["estimator", "mode", "source", "observer", "window_start_ns", "state", "node", "peer"]
    return pl.concat(rows).sort(keys, maintain_order=False).collect()


def _conform(rows: pl.LazyFrame, name: str, mode: Mode, settings: Settings) -> pl.LazyFrame:
    """All columns of the table, in order and type."""
    rows = rows.with_columns(
        estimator=pl.lit(name), mode=pl.lit(mode), window_ns=pl.lit(settings.window_ns, dtype=pl.Int64)
    )
    present = rows.collect_schema().names()
    return rows.select(
        (pl.col(column.name) if column.name in present else pl.lit(None)).cast(column.dtype).alias(column.name)
        for column in ESTIMATES
    )


def _known(name: str, options: Iterable[str]) -> str:
    if name not in options:
        raise ValueError(f"{name!r} is not one of {', '.join(str(option) for option in options)}")
    return name
