"""Channel busy share, as the QBSS Load element of an access point has it, and what it leaves of the maximum.

Source: IEEE 802.11-2020, 9.4.2.27 (channel utilization). The available bandwidth is that share taken off the
theoretical maximum throughput (:mod:`.theoretical_maximum`): AB = TMT (1 - busy/T).

`paper` is the element: the medium is busy while carrier sense says so, physical (frames on the air) or virtual (the
Durations of RTS, CTS and DATA), and the share is rounded down to 255ths. DIFS and backoff count as idle, so the load of
others is underestimated. `corrected` counts DIFS + E[BO] to each exchange, as TMT does.
"""

import polars as pl

from winf_analyzer._aggregate import idle
from winf_analyzer._aggregate.chunks import Context
from winf_analyzer._aggregate.exchange_columns import nanoseconds
from winf_analyzer.estimators._estimator import Estimator, Method

SCALE = 255
"""Channel utilization 255 is 100 %."""


def _paper(context: Context, busy: pl.DataFrame, theoretical_maximum: pl.DataFrame) -> pl.DataFrame:
    ratios = idle.from_airtime(context, busy)
    utilization = ((1 - pl.col("idle_ratio")) * SCALE).floor() / SCALE
    return _less_busy(theoretical_maximum, ratios.with_columns(idle_ratio=1 - utilization))


def _corrected(context: Context, busy: pl.DataFrame, theoretical_maximum: pl.DataFrame) -> pl.DataFrame:
    return _less_busy(theoretical_maximum, idle.from_airtime(context, busy))


def _less_busy(maxima: pl.DataFrame, ratios: pl.DataFrame) -> pl.DataFrame:
    """Idle share and available bandwidth per node, link, state and window."""
    rows = idle.join_idle(maxima.drop("covered_ns"), ratios)
    return rows.with_columns(available_bps=pl.col("capacity_bps") * pl.col("idle_ratio"))


def _carrier_sense_end() -> pl.Expr:
    """Until when an exchange's frames and their Durations kept the medium busy."""
    reserved = (pl.col(f"{frame}_ns") + nanoseconds(f"nav_{frame}_us") for frame in ("rts", "cts", "data"))
    return pl.max_horizontal("end_ns", *reserved)


BUSY_SHARE = Estimator(
    "busy_share",
    "the theoretical maximum less the share of time for which the channel was busy (QBSS channel utilization)",
    "IEEE 802.11-2020, 9.4.2.27",
    paper=Method(
        _paper,
        {"busy": idle.airtime(with_access=False, end_ns=_carrier_sense_end)},
        after=("theoretical_maximum",),
    ),
    corrected=Method(_corrected, {"busy": idle.airtime(with_access=True)}, after=("theoretical_maximum",)),
)
