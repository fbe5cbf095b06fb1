"""The collision correction of rt-Winf: available bandwidth less what contention and collisions take.

Source: L. Barreto (see :mod:`.rt_winf`), sec. 4.3, after ABE (see :mod:`.contention.backoff`). Only a Sender knows its
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
sum. :mod:`.contention.attempts` says how they are told apart. `contenders` is Bianchi's model backwards on the first.
Both backoffs are means per packet over all its attempts: `expected_backoff_us` = E[BO|p], and `measured_backoff_us`
from the idle time before the sender's attempts; of a backoff that others' exchanges froze, that is the last part only.
"""

import polars as pl

from winf_analyzer.estimators import gathering, windows
from winf_analyzer.estimators.contention import attempts, backoff, ewma
from winf_analyzer.estimators.mac import US, nanoseconds
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.rt_winf import gathers as gathers_of_rt_winf
from winf_analyzer.estimators.rt_winf import of_senders
from winf_analyzer.estimators.settings import Mode, Settings
from winf_analyzer.estimators.stretches import Request

LINK = (*WINDOW, "sender", "receiver")

P_MOST = 0.99
"""Failure shares are cut here: a window in which every attempt failed does not make the backoff endless."""

MOST_DOUBLINGS = 9
"""From a window of two slots, the smallest that is no constant, to CWmax+1."""


def collision(recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame:
    """rt-Winf's sender rows, corrected for contention; the module's text has the formulas."""
    links = _attempts(recording, mode, settings)
    rows = of_senders(recording, mode, settings).drop("collision_probability")
    rows = rows.join(links, on=LINK, how="left")
    if mode == "paper":
        overhead = pl.col("access_time") / pl.col("cycle_time")
        kept = pl.when(pl.col("cycle_time") > 0).then((1 - overhead).clip(0, 1))
        return rows.with_columns(collision_probability=kept, available_bps=pl.col("available_bps") * kept)
    rows = rows.join(ewma.failed_share(recording), on=LINK, how="left").with_columns(_means()).with_columns(_shares())
    return rows.with_columns(_backoffs()).with_columns(*_rates(), contenders=_contenders())


def gathers(recording: Recording, mode: Mode, settings: Settings) -> list[Request]:
    """What :func:`collision` gathers."""
    failures = [ewma.GAINED] if mode == "corrected" else []
    return [attempts.to_count(_summed, SUMS), *gathers_of_rt_winf(recording, mode, settings), *failures]


def _attempts(recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame:
    """Sums and counts per window and directed link, alike in both modes."""
    if "attempts" in recording.shared:
        kept: pl.DataFrame = recording.shared.pop("attempts")
        return kept
    counts = attempts.counted(recording, _summed, SUMS)
    links = attempts.by_link(counts, gathering.media(recording), SUMS)
    found = windows.accumulate(links, [*SUMS, *attempts.COUNTS], settings, counts)
    if mode == "paper":
        # The other mode comes next, if it comes.
        recording.shared["attempts"] = found
    return found


SUMS = ("access_time", "cycle_time", "payload", "payloads", "cw_min", "slot", "heard", "drawn", "draws")
"""What is summed over the attempts of a window and link; times in nanoseconds."""


def _summed(uses: pl.LazyFrame) -> pl.LazyFrame:
    """Exchanges with :data:`SUMS`."""
    difs, sifs = pl.col("t_difs").cast(pl.Float64), pl.col("t_sifs")
    access = pl.coalesce("drawn", "t_backoff").cast(pl.Float64)
    rts = pl.when(pl.col("kind") == "rts").then("t_rts").otherwise(0)
    cts = pl.when(pl.col("kind").is_in(["rts", "cts_self"])).then("t_cts").otherwise(0)
    cycle = 2 * difs + 3 * sifs + access + cts + rts + nanoseconds("data_airtime_us")
    # Columns of their own: what several expressions share is not always worked out once.
    timed = uses.with_columns(drawn=_drawn()).with_columns(access_time=difs + access, cycle_time=cycle)
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
        (failed / pl.col("attempts")).clip(0, P_MOST).alias("failed_share"),
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
    kept = (1 - pl.col("failed_share")) * cycle_us / (cycle_us + further_us)
    return [pl.col(name) * kept for name in ("capacity_bps", "available_bps")]


def _contenders() -> pl.Expr:
    """:func:`.bianchi.contenders` of columns, with as many doublings as lead from CWmin to CWmax."""
    p, window = pl.col("collision_probability").clip(upper_bound=P_MOST), pl.col("cw_min") + 1
    doublings = ((backoff.CW_MAX + 1) / window).log(2).round()
    growth = pl.sum_horizontal(
        pl.when(doublings > stage).then((2 * p) ** stage).otherwise(0.0) for stage in range(MOST_DOUBLINGS)
    )
    tau = 2 / (1 + window + p * window * growth)
    return pl.when(pl.col("cw_min") >= 1).then(1 + (-p).log1p() / (-tau).log1p())
