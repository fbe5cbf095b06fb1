"""Estimators of path capacity and available bandwidth, over the `exchanges` table.

One estimator, one file, one row of :data:`ESTIMATORS`, one test. Adding one touches nothing else. Other packages add
theirs through an entry point (:mod:`.plugins`); :func:`registry` has both.
"""

from collections.abc import Iterable
from functools import cache
from typing import get_args

import polars as pl

from winf_analyzer.estimators.estimator import Estimator, EstimatorFunction
from winf_analyzer.estimators.idle_gap import idle_gap
from winf_analyzer.estimators.medium import Recording, recording
from winf_analyzer.estimators.plugins import PluginWarning, discover, rows_of
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
    "PluginWarning",
    "Recording",
    "Settings",
    "estimate",
    "registry",
]

MODES: tuple[Mode, ...] = get_args(Mode)


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
            "idle_gap",
            "available bandwidth as the header's data rate times the idle share; measures no capacity",
            "Lee et al., Advances in Multimedia 2007; Barreto: XCP-Winf and RCP-Winf, sec. 2.1 and 3",
            idle_gap,
        ),
    )
}
"""Every estimator of this package by name."""


@cache
def registry() -> dict[str, Estimator]:
    """Every estimator by name: those of :data:`ESTIMATORS`, then those of other packages.

    Asked for once per process: a plug-in that cannot be used is told once.
    """
    return ESTIMATORS | discover(ESTIMATORS)


def estimate(
    exchanges: pl.LazyFrame,
    names: Iterable[str] | None = None,
    modes: Iterable[Mode] = MODES,
    settings: Settings = Settings(),  # noqa: B008 (frozen)
) -> pl.DataFrame:
    """The `estimates` table of the named estimators in the given modes.

    Args:
        exchanges: the `exchanges` table; of its columns those of :data:`EXCHANGES_SCHEMA` are read.
        names: keys of :func:`registry`; all by default.
        modes: of :data:`MODES`.
        settings: window, cooperation, MAC parameters.

    Returns:
        The columns of :data:`ESTIMATES` in order; estimators and modes in the order asked for.

    Raises:
        ValueError: a name or mode that does not exist; the message lists those that do.
    """
    known = registry()
    names, modes = list(known if names is None else names), list(modes)
    _refuse_unknown(names, known)
    _refuse_unknown(modes, MODES)
    prepared = recording(exchanges, settings)
    tables = [
        _conform(rows, name, mode, settings)
        for name in names
        for mode in modes
        if (rows := _run(known[name], prepared, mode, settings)) is not None
    ]
    return pl.concat([pl.DataFrame(schema=ESTIMATES_SCHEMA), *tables])


def _run(estimator: Estimator, recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame | None:
    """The rows of one estimator; a plug-in that fails has none."""
    if estimator.name in ESTIMATORS:
        return estimator.function(recording, mode, settings)
    return rows_of(estimator, recording, mode, settings)


def _conform(rows: pl.DataFrame, name: str, mode: Mode, settings: Settings) -> pl.DataFrame:
    """All columns of the table, in order and type."""
    rows = rows.with_columns(
        estimator=pl.lit(name), mode=pl.lit(mode), window_ns=pl.lit(settings.window_ns, dtype=pl.Int64)
    )
    return rows.select(
        (pl.col(column) if column in rows.columns else pl.lit(None)).cast(dtype).alias(column)
        for column, dtype in ESTIMATES_SCHEMA.items()
    ).sort("source", "observer", "window_start_ns", "state", "node", "sender", "receiver")


def _refuse_unknown(asked: Iterable[str], options: Iterable[str]) -> None:
    for name in asked:
        if name not in options:
            raise ValueError(f"{name!r} is not one of {', '.join(options)}")
