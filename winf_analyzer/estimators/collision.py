"""The collision correction of rt-Winf: available bandwidth less what contention and collisions take.

Source: L. Barreto (see :mod:`.rt_winf`), sec. 4.3, after ABE (see :mod:`.backoff`). Only a Sender knows its
failed attempts, so there are sender rows only.

`paper`, as printed: K = (DIFS + backoff)/T(m), T(m) = 2 DIFS + 3 SIFS + backoff + CTS + RTS + DATA,

    P_c = 1 - K        AB = (1 - K) AB_winf

The backoff is the measured one, else E[BO]; without RTS/CTS their airtimes count as 0. Sums run over the samples of the
window. This P_c is the share of the cycle that is not access, no probability of a collision: it grows as the backoff
shrinks.

`corrected`: with AB_winf = C_eff (1 - busy/T), which holds DIFS and backoff already, a second K would count them twice.
What is missing is the cost of attempts that fail, whatever made them fail, at a share p:

    C = (1 - p) 8S/(DIFS + E[BO|p] + T_X)     AB = C (1 - busy/T)

`collision_probability` is the share of attempts that collided, `loss_probability` of those lost otherwise; p is their
sum. :mod:`.attempts` says how they are distinguished. `contenders` is Bianchi's model backwards on the first.
Both backoffs are means per packet over all its attempts: `expected_backoff_us` = E[BO|p], and `measured_backoff_us`
from the idle time before the sender's attempts; of a backoff that others' exchanges froze, that is the last part only.
The interval is that of :mod:`.saturation`, which reckons with failed attempts itself, widened to include the corrected
value: as :mod:`.rt_winf` does with its own.
"""

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.aggregate import PER_LINK, Derived
from winf_analyzer._aggregate.chunks import Context
from winf_analyzer._aggregate.exchange_columns import nanoseconds
from winf_analyzer._mac.exchange_parameters import US
from winf_analyzer._models import attempts, backoff, bianchi
from winf_analyzer._models.failure_ewma import FAILURES, with_failed_share
from winf_analyzer.estimators._estimator import Estimator, Method
from winf_analyzer.estimators.rt_winf import with_interval

MAX_FAILED = 0.99
"""Failure shares are cut here: a window in which every attempt failed does not make the backoff endless."""

SUMS = ("access_time", "cycle_time", "payload", "payloads", "cw_min", "slot", "heard", "drawn", "draws")
"""What is summed over the attempts of a window and link; times in nanoseconds."""


def _by_link(context: Context, counts: pl.DataFrame) -> pl.DataFrame:
    """Sums and counts per window and directed link, the same in both modes."""
    links = attempts.by_link(counts, context.media_names, SUMS)
    return windows.accumulate(links, [*SUMS, *attempts.COUNTS], context.settings, counts)


def _paper(context: Context, rt_winf: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    rows = _of_senders(rt_winf, links)
    overhead = pl.col("access_time") / pl.col("cycle_time")
    kept = pl.when(pl.col("cycle_time") > 0).then((1 - overhead).clip(0, 1))
    return rows.with_columns(collision_probability=kept, available_bps=pl.col("available_bps") * kept)


def _corrected(
    context: Context, rt_winf: pl.DataFrame, links: pl.DataFrame, failures: pl.DataFrame, saturation: pl.DataFrame
) -> pl.DataFrame:
    # Of rt-Winf's interval an end may be its own value, from which failures were not taken yet.
    rows = _of_senders(rt_winf, links).drop("available_low_bps", "available_high_bps", strict=False)
    rows = with_failed_share(rows, context, failures)
    rows = rows.with_columns(_means()).with_columns(_shares())
    rows = rows.with_columns(_backoffs()).with_columns(*_rates(), contenders=_contenders())
    return rows if context.settings.per_exchange else with_interval(rows, saturation)


def _of_senders(rt_winf: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    rows = rt_winf.filter(pl.col("state") == "sender").drop("collision_probability")
    return rows.join(links, on=PER_LINK, how="left")


def _summed(uses: pl.LazyFrame) -> pl.LazyFrame:
    """Exchanges with :data:`SUMS`."""
    difs, sifs = pl.col("t_difs").cast(pl.Float64), pl.col("t_sifs")
    access = pl.coalesce("drawn", "t_backoff").cast(pl.Float64)
    rts = pl.when(pl.col("kind") == "rts").then("t_rts").otherwise(0)
    cts = pl.when(pl.col("kind").is_in(["rts", "cts_self"])).then("t_cts").otherwise(0)
    access_time, cycle_time = backoff.paper_cycle(difs, sifs, access, rts, cts, nanoseconds("data_airtime_us"))
    # Columns of their own: what several expressions share is not always worked out once.
    timed = uses.with_columns(drawn=_drawn()).with_columns(access_time=access_time, cycle_time=cycle_time)
    sample = pl.col("sample") & pl.col("cycle_time").is_not_null()
    return timed.with_columns(
        pl.when(sample).then(pl.col("access_time", "cycle_time")),
        payload=pl.when("sample").then(pl.col("payload_bytes").cast(pl.Float64)),
        payloads=pl.col("sample").cast(pl.Int64),
        slot=pl.col("t_slot"),
        heard=pl.col("t_slot").is_not_null().cast(pl.Int64),
        drawn=pl.col("drawn").cast(pl.Float64),
        draws=pl.col("drawn").is_not_null().cast(pl.Int64),
    )


def _means() -> list[pl.Expr]:
    """Of the sums: the mean payload of the samples, CWmin and slot of the attempts heard, and their drawn backoff."""
    of = {"payload": "payloads", "cw_min": "heard", "slot": "heard", "drawn": "draws"}
    return [pl.when(pl.col(number) > 0).then(pl.col(name) / pl.col(number)).alias(name) for name, number in of.items()]


def _drawn() -> pl.Expr:
    """The backoff before an attempt, nanoseconds, where the idle time is no more than the attempt may draw.

    Attempt k draws at most min(2^(k-1) (CWmin+1), CWmax+1) - 1 slots; a sender that waited longer had nothing to send.
    """
    measured = nanoseconds("backoff_us")
    doubled = 2 ** (pl.col("attempt") - 1).clip(0, backoff.RETRIES) * (pl.col("cw_min") + 1)
    most = (doubled.clip(upper_bound=backoff.CW_MAX + 1) - 1) * pl.col("t_slot")
    return pl.when(measured.is_between(0, most)).then(measured)


def _shares() -> list[pl.Expr]:
    """What collided and what was lost otherwise, of all attempts."""
    failed = pl.col("no_cts") + pl.col("no_ack")
    return [
        (pl.col("collided") / pl.col("attempts")).alias("collision_probability"),
        ((failed - pl.col("collided")).clip(lower_bound=0) / pl.col("attempts")).alias("loss_probability"),
        (failed / pl.col("attempts")).clip(0, MAX_FAILED).alias("failed_share"),
    ]


def _backoffs() -> list[pl.Expr]:
    """Means per packet, microseconds."""
    slots = backoff.expected_slots(pl.col("failed_share"), pl.col("cw_min"))
    per_packet = pl.col("attempts") / pl.col("delivered")
    measured = pl.when(pl.col("delivered") > 0).then(pl.col("drawn") * per_packet / US)
    return [
        (slots * pl.col("slot") / US).alias("expected_backoff_us"),
        measured.alias("measured_backoff_us"),
    ]


def _rates() -> list[pl.Expr]:
    """C and AB: rt-Winf's cycle, longer by the backoffs of further attempts, and the share of attempts that succeed."""
    first_us = pl.col("cw_min") / 2 * pl.col("slot") / US
    cycle_us = 8e6 * pl.col("payload") / pl.col("capacity_bps")
    further_us = pl.col("expected_backoff_us") - first_us
    kept = backoff.share_left(pl.col("failed_share"), cycle_us, further_us)
    return [pl.col(name) * kept for name in ("capacity_bps", "available_bps")]


def _contenders() -> pl.Expr:
    """Bianchi's model backwards, with as many doublings as lead from CWmin to CWmax."""
    p, window = pl.col("collision_probability").clip(upper_bound=MAX_FAILED), pl.col("cw_min") + 1
    doublings = ((backoff.CW_MAX + 1) / window).log(2).round()
    return pl.when(pl.col("cw_min") >= 1).then(bianchi.contenders(p, window, doublings))


_LINKS = Derived(_by_link, {"counts": attempts.counts(_summed, SUMS)})

COLLISION = Estimator(
    "collision",
    "rt_winf less what contention and failed attempts take; collision probability, contenders, backoff",
    "Barreto: XCP-Winf and RCP-Winf, sec. 4.3; Sarr et al. (ABE), IEEE TMC 2008; Bianchi, IEEE JSAC 2000",
    paper=Method(_paper, {"links": _LINKS}, after=("rt_winf",)),
    corrected=Method(_corrected, {"links": _LINKS, "failures": FAILURES}, after=("rt_winf", "saturation")),
)
