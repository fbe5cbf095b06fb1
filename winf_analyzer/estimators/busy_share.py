"""Channel busy share, as the QBSS Load element of an access point has it, and what it leaves of the maximum.

Source: IEEE 802.11-2020, 9.4.2.27 (channel utilization). The available bandwidth is that share taken off the
theoretical maximum throughput (:mod:`.theoretical_maximum`): AB = TMT (1 - busy/T).

`paper` is the element: the medium is busy while carrier sense says so, physical (frames on the air) or virtual (the
Durations of RTS, CTS and DATA), and the share is rounded down to 255ths. DIFS and backoff count as idle, so the load of
others is underestimated. `corrected` counts DIFS + E[BO] to each exchange, as TMT does.
"""

import polars as pl

from winf_analyzer.estimators import idle
from winf_analyzer.estimators.mac import nanoseconds
from winf_analyzer.estimators.medium import Recording
from winf_analyzer.estimators.settings import Mode, Settings
from winf_analyzer.estimators.stretches import Request
from winf_analyzer.estimators.theoretical_maximum import gathers as gathers_of_theoretical_maximum
from winf_analyzer.estimators.theoretical_maximum import maxima

SCALE = 255
"""Channel utilization 255 is 100 %."""


def busy_share(recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame:
    """Idle share and available bandwidth per node, link, state and window."""
    if mode == "paper":
        idle_ratios = idle.from_airtime(recording, settings, with_access=False, end_ns=_carrier_sense_end)
        utilization = ((1 - pl.col("idle_ratio")) * SCALE).floor() / SCALE
        idle_ratios = idle_ratios.with_columns(idle_ratio=1 - utilization)
    else:
        idle_ratios = idle.from_airtime(recording, settings, with_access=True)
    rows = idle.beside(maxima(recording, mode, settings).drop("covered_ns"), idle_ratios)
    return rows.with_columns(available_bps=pl.col("capacity_bps") * pl.col("idle_ratio"))


def gathers(recording: Recording, mode: Mode, settings: Settings) -> list[Request]:
    """What :func:`busy_share` gathers."""
    paper = mode == "paper"
    busy = idle.airtime(_carrier_sense_end, with_access=False) if paper else idle.airtime(with_access=True)
    return [busy, *gathers_of_theoretical_maximum(recording, mode, settings)]


def _carrier_sense_end() -> pl.Expr:
    """Until when an exchange's frames and their Durations kept the medium busy."""
    reserved = (pl.col(f"{frame}_ns") + nanoseconds(f"nav_{frame}_us") for frame in ("rts", "cts", "data"))
    return pl.max_horizontal("end_ns", *reserved)
