"""AdHoc Probe and CapProbe: capacity from the dispersion of the packet pair that was delayed least.

Sources: R. Kapoor, L.-J. Chen, L. Lao, M. Gerla, M. Sanadidi, "CapProbe", ACM SIGCOMM 2004; L.-J. Chen et al., "AdHoc
Probe: end-to-end capacity probing in wireless ad hoc networks", Wireless Networks 15(1), 2009.

    i* = argmin_i (d1_i + d2_i)      C = L / (d2_i* - d1_i*)

d1 and d2 are the delays of the two packets of L bits from one send instant. The tool sends its pairs; here they are
found in the recording: two packets of one link and size, the second next in line when the first was done
(:func:`.succession.pairs`). The send instant is when the first came to the head of line. Simulators record it. In a
capture only the dispersion is seen and that instant is estimated (:mod:`.succession`); the choice of the pair rests
on the estimate, its dispersion does not.

`corrected`: on 802.11 the least delayed pair is the one that drew the shortest backoff, so the minimum overestimates
what a sender gets. The idle time between the two packets of a pair, where nobody else came between, gives way to its
expectation, DIFS + E[BO]. There is no available bandwidth in this method: `available_bps` is null.
"""

from collections.abc import Sequence

import polars as pl

from winf_analyzer.estimators import gathering, idle, states, windows
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.settings import Mode, Settings
from winf_analyzer.estimators.stretches import Request, Stretch
from winf_analyzer.estimators.succession import pairs
from winf_analyzer.estimators.windows import LINK


def adhoc_probe(recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame:
    """Capacity per node, link, state and window; `exchanges` counts pairs."""
    links = _best(windows.spread(gathering.rows(recording, (_best_of_parts, mode)), settings))
    spans = idle.coverage(recording)
    if settings.accumulates:
        links = _best_so_far(links, spans)
    rows = states.ends(links, gathering.media(recording), ("capacity_bps", "exchanges"))
    return rows.join(spans, on=WINDOW)


def gathers(recording: Recording, mode: Mode, settings: Settings) -> list[Request]:
    """What :func:`adhoc_probe` gathers."""
    return [(_best_of_parts, mode)]


def _best_of_parts(stretch: Stretch, settings: Settings, mode: Mode) -> pl.DataFrame:
    """The least delayed pair of each link and part of time, and how many there are."""
    found = pairs(stretch)
    if mode == "corrected":
        expected = pl.col("dispersion_ns") - pl.col("waited_ns") + pl.col("access_ns")
        undisturbed = (pl.col("accesses") == 1) & (pl.col("attempt").fill_null(1) == 1) & (expected > 0)
        found = found.with_columns(dispersion_ns=pl.when(undisturbed).then(expected).otherwise("dispersion_ns"))
    rate_bps = 8e9 * pl.col("payload_bytes") / pl.col("dispersion_ns")
    return _best(found.select(*WINDOW, *LINK, "delay_sum_ns", capacity_bps=rate_bps, exchanges=pl.lit(1, pl.Int64)))


def _best(found: pl.DataFrame) -> pl.DataFrame:
    """Per window and link; of pairs delayed alike, the one with the lower capacity."""
    best = pl.col("capacity_bps").sort_by("delay_sum_ns", "capacity_bps").first()
    return found.group_by(*WINDOW, *LINK).agg(
        pl.col("delay_sum_ns").min(), capacity_bps=best, exchanges=pl.col("exchanges").sum()
    )


def capprobe(pairs: Sequence[tuple[float, float]], bits: float) -> tuple[int, float]:
    """Index of the pair with the least delay sum, and its capacity in bit/s.

    Args:
        pairs: delays (d1, d2) of both packets from one send instant, seconds; a constant clock offset does no harm.
        bits: length of a packet.

    Raises:
        ValueError: no pairs, or the chosen one has no positive dispersion.
    """
    if not pairs:
        raise ValueError("no packet pairs")
    chosen = min(range(len(pairs)), key=lambda index: sum(pairs[index]))
    first, second = pairs[chosen]
    if second <= first:
        raise ValueError(f"pair {chosen} arrived with no dispersion: {first} s and {second} s")
    return chosen, bits / (second - first)


def _best_so_far(links: pl.DataFrame, among: pl.DataFrame) -> pl.DataFrame:
    """The least delayed pair since the first exchange, in every window from then on."""
    whole = windows.every_window(links, among)
    link = ("medium", *LINK)
    least = pl.col("delay_sum_ns").cum_min().forward_fill().over(link)
    is_best = pl.col("delay_sum_ns") == least
    return whole.with_columns(
        pl.when(is_best).then("capacity_bps").forward_fill().over(link).alias("capacity_bps"),
        pl.col("exchanges").fill_null(0).cum_sum().over(link),
    ).filter(pl.col("capacity_bps").is_not_null())
