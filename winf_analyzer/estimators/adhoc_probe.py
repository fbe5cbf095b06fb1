"""AdHoc Probe and CapProbe: capacity from the dispersion of the packet pair that was delayed least.

Sources: R. Kapoor, L.-J. Chen, L. Lao, M. Gerla, M. Sanadidi, "CapProbe", ACM SIGCOMM 2004; L.-J. Chen et al., "AdHoc
Probe: end-to-end capacity probing in wireless ad hoc networks", Wireless Networks 15(1), 2009.

    i* = argmin_i (d1_i + d2_i)      C = L / (d2_i* - d1_i*)

d1 and d2 are the delays of the two packets of L bits from one send instant. The tool sends its pairs; here they are
found in the recording: two packets of one link and size, the second next in line when the first was done
(:func:`.packet_pairs`). The send instant is when the first came to the head of line. Simulators record it. In a
capture only the dispersion is seen and that instant is estimated (:mod:`.head_of_line`); the choice of the pair rests
on the estimate, its dispersion does not.

`corrected`: on 802.11 the least delayed pair is the one that drew the shortest backoff, so the minimum overestimates
what a sender gets. The idle time between the two packets of a pair, if no other exchange lies between, is
replaced by its expectation, DIFS + E[BO]. There is no available bandwidth in this method: `available_bps` is null.
"""

import polars as pl

from winf_analyzer._aggregate import states, windows
from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk, Context
from winf_analyzer._aggregate.head_of_line import packet_pairs
from winf_analyzer._aggregate.settings import Mode
from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer.estimators._estimator import Estimator, Method


def _best_pairs(chunk: Chunk, mode: Mode) -> pl.DataFrame:
    """The least delayed pair of each link and part of time, and how many there are."""
    pairs = chunk.once(packet_pairs)
    if mode == "corrected":
        expected = pl.col("dispersion_ns") - pl.col("waited_ns") + pl.col("access_ns")
        undisturbed = (pl.col("accesses") == 1) & (pl.col("attempt").fill_null(1) == 1) & (expected > 0)
        pairs = pairs.with_columns(dispersion_ns=pl.when(undisturbed).then(expected).otherwise("dispersion_ns"))
    return _best(pairs.select(*WINDOW, *LINK, "delay_sum_ns", capacity_bps=capacity(), exchanges=pl.lit(1, pl.Int64)))


def capacity() -> pl.Expr:
    """C = L / (d2 - d1) of a pair, bit/s."""
    return 8e9 * pl.col("payload_bytes") / pl.col("dispersion_ns")


def least_delayed() -> pl.Expr:
    """The capacity of the pair with the least delay sum, of several such the lowest."""
    return pl.col("capacity_bps").sort_by("delay_sum_ns", "capacity_bps").first()


def _best(found: pl.DataFrame) -> pl.DataFrame:
    """Per window and link."""
    return found.group_by(*WINDOW, *LINK).agg(
        pl.col("delay_sum_ns").min(), capacity_bps=least_delayed(), exchanges=pl.col("exchanges").sum()
    )


def _finish(context: Context, pairs: pl.DataFrame) -> pl.DataFrame:
    """Capacity per node, link, state and window; `exchanges` counts pairs, of which most recordings have none."""
    if pairs.is_empty():
        return pairs
    links = _best(windows.spread(pairs, context.settings))
    if context.settings.accumulates:
        links = _best_so_far(links, context.windows)
    rows = states.values_by_state(context, links, ("capacity_bps", "exchanges"))
    return rows.join(context.coverage, on=WINDOW)


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


ADHOC_PROBE = Estimator(
    "adhoc_probe",
    "capacity from the dispersion of the least delayed packet pair; no available bandwidth",
    "Kapoor et al.: CapProbe, ACM SIGCOMM 2004; Chen et al.: AdHoc Probe, Wireless Networks 15(1), 2009",
    paper=Method(_finish, {"pairs": Aggregate(_best_pairs, ("paper",), keys=None)}),
    corrected=Method(_finish, {"pairs": Aggregate(_best_pairs, ("corrected",), keys=None)}),
)
