"""Transmissions of which the recorder heard nothing, by repetitions that came later than their backoff allows.

A frame that was not answered is sent again after EIFS at the latest and a backoff of at most CW slots, CW + 1 having
doubled with every attempt (10.3.3, 10.3.4.3), all counted in idle time. Idle time that is longer than that was not
idle: the station waited for something that the recorder did not hear. That is likely what its frame had collided with,
whose sender repeats it as well, and is first as often as not.

So among N attempts of which a share c(x) collides beside an unheard load of x

    N c(x) p(late)

repetitions are late; c(x) is simulated (:mod:`.dcf_monte_carlo`), and p(late), which depends on how long the unheard
exchanges are, is only known to lie in a range (:data:`LATE`). With what is presumed of x beforehand this gives its
mean and its standard deviation, which the interval carries. A recorder that sends itself waits for what it hears:
unless repetitions are late, nothing is presumed. Of the place of a third station nothing is known, and few frames that
failed say nothing against a load that was not heard.

Repetitions of aggregates are none: software repeats them, when it likes.
"""

from math import exp, lgamma, log
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.exchange_columns import nanoseconds, ordered_sum
from winf_analyzer._models.saturation import completeness, one_more
from winf_analyzer._models.saturation.stations import HIGH_SIFS_NS, LONG_SLOT_NS, SHORT_SLOT_NS, is_coarse

ACK_NS, DSSS_ACK_NS = 44_000, 304_000
"""An ACK at the lowest rate: EIFS is longer than DIFS by that and SIFS (10.3.2.3.7), and so long waits at most who gets
no answer, or one that is damaged."""

STEP_US = 50
"""By how much a repetition is late is counted in whole such steps: less is what stamps and drivers differ by."""

LATEST_STEP = 200
"""Later by 10 ms, a driver paused."""

MOST_ATTEMPTS = 7

LATE = (0.2, 0.35, 0.5)
"""Shares of the collisions with something unheard behind which the repetition is late: all alike probable. At most
every second repetition is behind that of the other station, which has the same window; if the exchange between is
shorter than the window, fewer come later than the longest backoff."""

PRESUMED_OWN, PRESUMED_THIRD = 0.01, 0.2
"""Probability beforehand that a station waits for what the recorder does not hear: of a recorder that sends itself, and
of a third station."""

ENOUGH = 3000
"""Attempts among which some would be late if a third station heard less than the senders do."""

WHOLE = 0.95
"""Share of a sender's frames that must have been recorded: behind an attempt that is missing, the next seems late."""

MOST = 0.9
"""Share of the attempts on a medium that must be of senders whose repetitions tell something, before it counts that
none is late."""

NOTHING = 1e-4
"""In place of no load at all."""

UNLIKELY = 1e-3
"""Probability of as many late ones beside any load below which it was something else: a driver that waits."""

_KEYS = ("medium", "sender", "steps")


def _late(chunk: Chunk) -> pl.DataFrame:
    """Repetitions by how late they were; 0: within the longest backoff."""
    high = pl.col("t_sifs") > HIGH_SIFS_NS
    # The longest slot that 2.4 GHz may have: too short a one makes every repetition late.
    slot_ns = pl.when(high).then(SHORT_SLOT_NS).otherwise(LONG_SLOT_NS)
    unanswered_ns = pl.col("t_sifs") + pl.when(high).then(ACK_NS).otherwise(DSSS_ACK_NS)
    aifs_ns = pl.max_horizontal("t_difs", pl.col("t_sifs") + 2 * slot_ns)
    slots = ((pl.col("cw_min").cast(pl.Int64) + 1) * 2 ** (pl.col("attempt").cast(pl.Int64) - 1)).clip(upper_bound=1024)
    longest_ns = unanswered_ns + aifs_ns + (slots - 1) * slot_ns
    over_us = (nanoseconds("idle_before_us") - longest_ns) / 1000
    rows = chunk.uses.filter(
        pl.col("attempt").is_between(2, MOST_ATTEMPTS) & ~completeness.is_traced() & pl.col("unicast"),
        pl.col("sender").is_not_null() & pl.col("idle_before_us").is_not_null(),
        pl.col("heard_data").fill_null(True) & (pl.col("mpdus").fill_null(1) <= 1),
    ).select("medium", "sender", steps=(over_us / STEP_US).floor().clip(0, LATEST_STEP + 1).cast(pl.Int64))
    return rows.group_by(_KEYS).agg(repetitions=pl.len().cast(pl.Int64)).collect(engine="in-memory")


REPETITIONS = Aggregate(_late, keys=_KEYS)
"""What :func:`unheard` takes: `repetitions` per :data:`_KEYS`, over the whole recording."""


class Late(NamedTuple):
    """Repetitions of a medium."""

    late: int
    within: int
    """Those within their backoff."""


def late_of(repetitions: pl.DataFrame, senders: pl.DataFrame) -> Late:
    """How many repetitions are late, by more than the longest frame of another that was heard.

    That one may have collided with it, and then the medium was busy longer than the recorder heard.

    Args:
        repetitions: of :data:`REPETITIONS`, of the senders of this medium that tell something.
        senders: of :func:`.contention_domain.per_sender`, all of this medium.
    """
    longest = senders.sort(pl.col("first_s").fill_null(0.0), descending=True).head(2).select("sender", "first_s").rows()
    late = within = 0
    for sender, steps, count in repetitions.select("sender", "steps", "repetitions").iter_rows():
        others_us = next((1e6 * (first_s or 0.0) for other, first_s in longest if other != sender), 0.0)
        if steps * STEP_US <= others_us:
            within += count
        elif steps <= LATEST_STEP:
            late += count
    return Late(late, within)


def unheard(
    senders: pl.DataFrame, repetitions: pl.DataFrame, observer: str | None, known_per_s: float
) -> one_more.Load | None:
    """The load beside which as many repetitions are late.

    A recorder that sends knows what it waits for itself; of a third station all senders count.

    Args:
        senders: of :func:`.contention_domain.per_sender`, of one medium.
        repetitions: what :data:`REPETITIONS` counts of it.
        observer: who recorded.
        known_per_s: frames that were not recorded, but are known of.
    """
    seen = senders.filter(pl.col("heard_share") >= WHOLE, ~pl.col("aggregates"), ~is_coarse())
    if observer is not None:
        seen = seen.filter(pl.col("sender").cast(pl.String) == observer)
    found = late_of(repetitions.join(seen.select("sender"), on="sender", how="semi"), senders)
    attempts, of_all = (float(rows.select(pl.col("accesses").sum()).item()) for rows in (seen, senders))
    untold = observer is None and MOST * of_all <= attempts <= ENOUGH
    if seen.is_empty() or not (found.late or untold):
        return None
    busiest = seen.sort("accesses", "air_ns").tail(1)
    access_s, aifs_s, window, slot_s = busiest.select("access_s", "aifs_s", "window", "slot_s").row(0)
    if not access_s:
        return None
    if found.late:
        expected = _collisions(senders, seen, busiest, access_s)
    else:
        # Who finds the medium busy starts in one of so many slots behind it, as the other does.
        expected = [(share, attempts * share / window) for share in one_more.SHARES]
    otherwise = (found.late + found.within) * known_per_s * window * slot_s
    load = probable(found.late, expected, otherwise, PRESUMED_THIRD if observer is None else PRESUMED_OWN)
    return None if load is None else one_more.Load(load.share / access_s, access_s, aifs_s, load.deviation)


def _collisions(
    senders: pl.DataFrame, seen: pl.DataFrame, like: pl.DataFrame, access_s: float
) -> list[tuple[float, float]]:
    """Airtime shares of one station more, and the attempts of those `seen` that collide with it."""
    collided = ordered_sum(pl.col("accesses") * pl.col("first_failed"))
    beside = {}
    for share, stations in one_more.simulated(senders, like, access_s, (NOTHING, *one_more.SHARES)):
        others = stations.filter(~pl.col("subject")).join(seen.select("sender"), on="sender", how="semi")
        beside[share] = others.select(collided).item()
    without = beside.pop(NOTHING)
    return [(share, max(count - without, 0.0)) for share, count in beside.items()]


class Probable(NamedTuple):
    """An airtime share that was not heard: its mean, and its standard deviation."""

    share: float
    deviation: float


def probable(late: int, expected: list[tuple[float, float]], otherwise: float, presumed: float) -> Probable | None:
    """The unheard load beside which so many repetitions are late; None: no load explains them.

    Args:
        late: how many are.
        expected: airtime shares, and the collisions beside each of them.
        otherwise: late ones that are expected without one.
        presumed: probability beforehand that there is any.
    """
    weights = [(0.0, (1 - presumed) * _poisson(late, otherwise))]
    each = presumed / (len(expected) * len(LATE))
    weights += [(share, each * _poisson(late, otherwise + part * count)) for share, count in expected for part in LATE]
    total = sum(weight for _, weight in weights)
    if total <= UNLIKELY * presumed:
        return None
    mean = sum(share * weight for share, weight in weights) / total
    square = sum(share * share * weight for share, weight in weights) / total
    return Probable(mean, max(square - mean * mean, 0.0) ** 0.5)


def _poisson(count: int, expected: float) -> float:
    if expected <= 0:
        return float(count == 0)
    return exp(count * log(expected) - expected - lgamma(count + 1))


def per_medium(repetitions: pl.DataFrame) -> dict[Any, pl.DataFrame]:
    """Repetitions of each medium, none where no sender repeats."""
    return {medium: rows for (medium,), rows in repetitions.partition_by("medium", as_dict=True).items()}
