"""Estimators of path capacity and available bandwidth, over the `exchanges` table.

One estimator, one file, one row of :data:`ESTIMATORS`, one test. Adding one touches nothing else. Other packages add
theirs through an entry point (:mod:`.plugins`); :func:`registry` has both.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import get_args

import polars as pl

from winf_analyzer._util.prefetch import ahead
from winf_analyzer.estimators import nodes, ordering, paths, windows
from winf_analyzer.estimators.adhoc_probe import adhoc_probe
from winf_analyzer.estimators.adhoc_probe import gathers as adhoc_probe_gathers
from winf_analyzer.estimators.busy_share import busy_share
from winf_analyzer.estimators.busy_share import gathers as busy_share_gathers
from winf_analyzer.estimators.c3tcp import c3tcp
from winf_analyzer.estimators.c3tcp import gathers as c3tcp_gathers
from winf_analyzer.estimators.collision import collision
from winf_analyzer.estimators.collision import gathers as collision_gathers
from winf_analyzer.estimators.estimator import Estimator, EstimatorFunction
from winf_analyzer.estimators.idle_gap import gathers as idle_gap_gathers
from winf_analyzer.estimators.idle_gap import idle_gap
from winf_analyzer.estimators.medium import Recording, recording
from winf_analyzer.estimators.plugins import PluginWarning, discover, rows_of
from winf_analyzer.estimators.rt_winf import gathers as rt_winf_gathers
from winf_analyzer.estimators.rt_winf import rt_winf
from winf_analyzer.estimators.saturation import gathers as saturation_gathers
from winf_analyzer.estimators.saturation import saturation
from winf_analyzer.estimators.schema import ESTIMATES, ESTIMATES_SCHEMA, EXCHANGES_SCHEMA
from winf_analyzer.estimators.settings import Mode, Probe, Settings
from winf_analyzer.estimators.theoretical_maximum import gathers as theoretical_maximum_gathers
from winf_analyzer.estimators.theoretical_maximum import theoretical_maximum
from winf_analyzer.estimators.wbest import gathers as wbest_gathers
from winf_analyzer.estimators.wbest import wbest

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
    "Probe",
    "Recording",
    "Settings",
    "estimate",
    "estimate_each",
    "registry",
]

MODES: tuple[Mode, ...] = get_args(Mode)

PIECE_ROWS = 100_000
"""Estimates that are brought into the form of the table at a time."""

ORDER = ("source", "observer", "window_start_ns", "state", "node", "sender", "receiver", "path")
"""What the estimates of an estimator and mode are sorted by."""

ESTIMATORS: dict[str, Estimator] = {
    row.name: row
    for row in (
        Estimator(
            "rt_winf",
            "capacity from the time between RTS, CTS, DATA and ACK, available bandwidth from the idle share",
            "Barreto: XCP-Winf and RCP-Winf, sec. 3; Res, Barreto, Sargento, IEEE Globecom Workshops 2010",
            rt_winf,
            rt_winf_gathers,
        ),
        Estimator(
            "saturation",
            "available bandwidth as what a backlogged sender would add, from every station's load and airtime",
            "after Bianchi, IEEE JSAC 18(3), 2000, with stations that are not backlogged, aggregation and loss",
            saturation,
            saturation_gathers,
        ),
        Estimator(
            "idle_gap",
            "available bandwidth as the header's data rate times the idle share; measures no capacity",
            "Lee et al., Advances in Multimedia 2007; Barreto: XCP-Winf and RCP-Winf, sec. 2.1 and 3",
            idle_gap,
            idle_gap_gathers,
        ),
        Estimator(
            "collision",
            "rt_winf less what contention and failed attempts take; collision probability, contenders, backoff",
            "Barreto: XCP-Winf and RCP-Winf, sec. 4.3; Sarr et al. (ABE), IEEE TMC 2008; Bianchi, IEEE JSAC 2000",
            collision,
            collision_gathers,
        ),
        Estimator(
            "adhoc_probe",
            "capacity from the dispersion of the least delayed packet pair; no available bandwidth",
            "Kapoor et al.: CapProbe, ACM SIGCOMM 2004; Chen et al.: AdHoc Probe, Wireless Networks 15(1), 2009",
            adhoc_probe,
            adhoc_probe_gathers,
        ),
        Estimator(
            "wbest",
            "effective capacity from the median packet pair, available bandwidth from the rate of packet trains",
            "Li, Claypool, Kinicki: WBest, IEEE LCN 2008",
            wbest,
            wbest_gathers,
        ),
        Estimator(
            "c3tcp",
            "bandwidth with the wait in the queue, forward and backward delay, per hop and followed along paths",
            "Kliazovich, Granelli: Cross-layer congestion control in ad hoc wireless networks, Ad Hoc Networks 4, 2006",
            c3tcp,
            c3tcp_gathers,
        ),
        Estimator(
            "theoretical_maximum",
            "throughput of a backlogged sender alone, for the PHY, rate and payload in use, without and with RTS/CTS",
            "Jun, Peddabachagari, Sichitiu: Theoretical maximum throughput of IEEE 802.11, IEEE NCA 2003",
            theoretical_maximum,
            theoretical_maximum_gathers,
        ),
        Estimator(
            "busy_share",
            "the theoretical maximum less the share of time for which the channel was busy (QBSS channel utilization)",
            "IEEE 802.11-2020, 9.4.2.27",
            busy_share,
            busy_share_gathers,
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
    frames: pl.LazyFrame | None = None,
    parameters: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """The `estimates` table of the named estimators in the given modes.

    Args:
        exchanges: the `exchanges` table; of its columns those of :data:`EXCHANGES_SCHEMA` are read. Rows must come in
            the same order whenever it is collected.
        names: keys of :func:`registry`; all by default.
        modes: of :data:`MODES`.
        settings: windows, cooperation, MAC parameters for all.
        frames: the `frames` table, for what `exchanges` does not tell: rt_winf's probes of subtype 1001, and transport
            sequence numbers, by which c3tcp follows a packet along its path.
        parameters: the `mac_parameters` table; inferred from the exchanges where it is not given.

    Returns:
        The columns of :data:`ESTIMATES` in order; estimators and modes in the order asked for.

    Raises:
        ValueError: a name or mode that does not exist; the message lists those that do.
    """
    tables = estimate_each(exchanges, names, modes, settings, frames, parameters)
    return pl.concat([pl.DataFrame(schema=ESTIMATES_SCHEMA), *tables])


def estimate_each(
    exchanges: pl.LazyFrame,
    names: Iterable[str] | None = None,
    modes: Iterable[Mode] = MODES,
    settings: Settings = Settings(),  # noqa: B008 (frozen)
    frames: pl.LazyFrame | None = None,
    parameters: pl.DataFrame | None = None,
) -> Iterator[pl.DataFrame]:
    """:func:`estimate` in pieces, for results that are too long to be held together.

    A piece is of one estimator and mode; of long recordings, of some of its windows.
    """
    known = registry()
    names, modes = list(known if names is None else names), list(modes)
    _refuse_unknown(names, known)
    _refuse_unknown(modes, MODES)
    prepared = recording(exchanges, settings, frames, parameters)
    prepared = prepared._replace(hops=paths.find(prepared))
    wanted = [(known[name], mode) for name in names for mode in modes]
    requests = [
        estimator.gathers(prepared, mode, settings) if estimator.name in ESTIMATORS else ()
        for estimator, mode in wanted
    ]
    prepared.gather_all(list(dict.fromkeys(chain.from_iterable(requests))))

    def made() -> Iterator[tuple[str, Mode, pl.DataFrame | None]]:
        for place, (estimator, mode) in enumerate(wanted):
            yield estimator.name, mode, _run(estimator, prepared, mode, settings)
            prepared.forget(set(requests[place]) - set(chain.from_iterable(requests[place + 1 :])))

    for name, mode, rows in ahead(made()):
        for some in windows.pieces(rows, PIECE_ROWS) if rows is not None else ():
            yield _conform(_completed(some, prepared.hops), name, mode, settings)
        del rows


def _run(estimator: Estimator, recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame | None:
    """The rows of one estimator; a plug-in that fails has none."""
    if estimator.name in ESTIMATORS:
        return estimator.function(recording, mode, settings)
    return rows_of(estimator, recording, mode, settings)


def _completed(rows: pl.DataFrame, hops: pl.DataFrame) -> pl.DataFrame:
    """With the rows of nodes and paths, which follow from those of links where the estimator gives none itself."""
    if not {"sender", "receiver", "exchanges", "covered_ns"} <= set(rows.columns):
        return rows
    whole = [rows, nodes.together(rows)]
    if not hops.is_empty():
        added = paths.along(rows, hops)
        if "path" in rows.columns:
            added = added.join(rows.filter(pl.col("path").is_not_null()), on=["path", "window_start_ns"], how="anti")
        whole.append(added)
    return pl.concat(whole, how="diagonal_relaxed")


def _conform(rows: pl.DataFrame, name: str, mode: Mode, settings: Settings) -> pl.DataFrame:
    """All columns of the table, in order and type."""
    told = {
        "estimator": pl.lit(name),
        "mode": pl.lit(mode),
        "window_ns": pl.lit(settings.window_ns, dtype=pl.Int64),
    }
    rows = rows.select(column for column in ESTIMATES_SCHEMA if column in rows.columns and column not in told)
    rows = ordering.sort(rows, ORDER)
    return rows.select(
        (told[column] if column in told else pl.col(column) if column in rows.columns else pl.lit(None))
        .cast(dtype)
        .alias(column)
        for column, dtype in ESTIMATES_SCHEMA.items()
    )


def _refuse_unknown(asked: Iterable[str], options: Iterable[str]) -> None:
    for name in asked:
        if name not in options:
            raise ValueError(f"{name!r} is not one of {', '.join(options)}")
