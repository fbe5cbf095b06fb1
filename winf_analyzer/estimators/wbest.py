"""WBest: effective capacity from packet pairs, available bandwidth from the rate at which a train comes through.

Source: M. Li, M. Claypool, R. Kinicki, "WBest: a bandwidth estimation tool for IEEE 802.11 wireless networks", IEEE LCN
2008.

    C_e = median(L / disp_i)      R = L / mean(disp)      A = C_e (2 - C_e/R) if R >= C_e/2, else 0      A (1 - p)

The tool sends 30 pairs, then a train of 30 packets at C_e; p is the loss of the train. Here both are found in the
recording: pairs are back-to-back packets of one link and size (:func:`.succession.pairs`), a train is an unbroken run
of them. A sender that sends in runs offers what it can get, so R is what the runs of the window got, cross traffic
between their packets included, and C_e what the median pair got. p is the share of the link's packets that were given
up: sent at least once and never acknowledged. R above C_e is random noise of the backoff and counts as C_e.

The method is what it is on 802.11: paper and corrected mode are the same.
"""

import statistics
from collections.abc import Iterable

import polars as pl

from winf_analyzer.estimators import gathering, idle, states, windows
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.settings import Mode, Settings
from winf_analyzer.estimators.stretches import Request, Stretch, per_link
from winf_analyzer.estimators.succession import pairs
from winf_analyzer.estimators.windows import LINK

QUANTITIES = ("exchanges", "pair_rates", "bits", "dispersion_ns", "packets", "delivered")


def wbest(recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame:
    """Effective capacity and available bandwidth per node, link, state and window; `exchanges` counts pairs.

    Running, C_e is the mean of the windows' medians, weighted with their pairs.
    """
    outcome = (
        windows.spread(gathering.rows(recording, (_outcome,)), settings)
        .group_by(*WINDOW, *LINK)
        .agg(pl.col("packets", "delivered").sum())
    )
    links = outcome.join(gathering.rows(recording, (_trains,)), on=[*WINDOW, *LINK], how="left")
    spans = idle.coverage(recording)
    if settings.accumulates:
        links = windows.accumulate(links, QUANTITIES, settings, spans)
    links = links.filter(pl.col("exchanges") > 0).with_columns(
        capacity_bps=pl.col("pair_rates") / pl.col("exchanges"),
        train_bps=pl.col("bits") * 1e9 / pl.col("dispersion_ns"),
        loss=(1 - pl.col("delivered") / pl.max_horizontal("packets", 1)).clip(0, 1),
    )
    links = links.with_columns(available_bps=_available())
    rows = states.ends(links, gathering.media(recording), ("capacity_bps", "available_bps", "exchanges"))
    return rows.join(spans, on=WINDOW)


def gathers(recording: Recording, mode: Mode, settings: Settings) -> list[Request]:
    """What :func:`wbest` gathers."""
    return [(_outcome,), (_trains,)]


def _trains(stretch: Stretch, settings: Settings) -> pl.DataFrame:
    """Pairs of every window that is over: its median needs all of them, so those of open windows are carried on."""
    found = pairs(stretch).select(*WINDOW, *LINK, "payload_bytes", "dispersion_ns")
    if _trains in stretch.carried:
        found = pl.concat([stretch.carried[_trains], found])
    latest = pl.col("window_start_ns") + settings.window_ns
    stretch.carried[_trains] = found.filter(~stretch.is_over(latest))
    rates = 8e9 * pl.col("payload_bytes") / pl.col("dispersion_ns")
    return (
        windows.spread(found, settings)
        .filter(stretch.is_over(latest), ~stretch.was_over(latest))
        .group_by(*WINDOW, *LINK)
        .agg(
            pl.col("dispersion_ns").sum(),
            bits=8 * pl.col("payload_bytes").sum(),
            exchanges=pl.len().cast(pl.Int64),
            pair_rates=rates.median() * pl.len(),
        )
    )


def _outcome(stretch: Stretch, settings: Settings) -> pl.DataFrame:
    """How many packets were sent, and how many acknowledged."""
    return per_link(
        stretch,
        stretch.uses.filter("unicast"),
        packets=(pl.col("attempt").fill_null(1) == 1).sum().cast(pl.Int64),
        delivered=pl.col("complete").fill_null(False).sum().cast(pl.Int64),
    )


def effective_capacity_bps(dispersions_s: Iterable[float], bits: float) -> float:
    """C_e: the median over the pairs of what their dispersion makes of `bits`, bit/s. Needs a pair."""
    return statistics.median(bits / dispersion for dispersion in dispersions_s)


def available_bps(effective_bps: float, train_bps: float, loss: float = 0.0) -> float:
    """A, bit/s, of C_e, R (at most C_e counts) and the share of the train that was lost."""
    rate = min(train_bps, effective_bps)
    return effective_bps * (2 - effective_bps / rate) * (1 - loss) if rate >= effective_bps / 2 else 0.0


def _available() -> pl.Expr:
    """:func:`available_bps` of columns."""
    capacity, rate = pl.col("capacity_bps"), pl.min_horizontal("train_bps", "capacity_bps")
    reached = capacity * (2 - capacity / rate) * (1 - pl.col("loss"))
    return pl.when(rate >= capacity / 2).then(reached.clip(lower_bound=0)).otherwise(0.0)
