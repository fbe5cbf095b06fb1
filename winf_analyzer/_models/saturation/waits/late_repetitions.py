"""Transmissions of which the recorder heard nothing, by repetitions that came later than their backoff allows.

A frame that was not answered is sent again after EIFS at the latest and a backoff of at most CW slots, CW + 1 having
doubled with every attempt (10.3.3, 10.3.4.3), all counted in idle time. Idle time that is longer than that was not
idle: the station waited for something that the recorder did not hear. That is likely what its frame had collided with,
whose sender repeats it as well, and is first as often as not.

So among N attempts of which a share c(x) collides beside an unheard load of x

    N c(x) p(late)

repetitions are late; c(x) is simulated (:mod:`.dcf_monte_carlo`), and p(late), which depends on how long the unheard
exchanges are, is only known to lie in a range (:data:`LATE`). With what is presumed of x beforehand this gives its
mean and its standard deviation, which the interval carries. Only what was heard before is a repetition: a third station
hears neither of two frames that collide, and idle time before a repetition then begins before the frame that failed,
which may have found the medium idle. A recorder that sends itself waits for what it hears:
unless repetitions are late, nothing is presumed. Of the place of a third station nothing is known, and few frames that
failed say nothing against a load that was not heard. If an attempt between two that were heard is missing, the later
one seems late without any load.

Repetitions of aggregates are none: software repeats them, when it likes.
"""

from collections.abc import Callable
from functools import lru_cache
from math import exp, lgamma, log
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.exchange_columns import nanoseconds, ordered_sum, quotient
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.recorded.stations import HIGH_SIFS_NS, LONG_SLOT_NS, SHORT_SLOT_NS, is_coarse
from winf_analyzer._models.saturation.waits import one_more

ACK_NS, DSSS_ACK_NS = 44_000, 304_000
"""An ACK at the lowest rate: EIFS is longer than DIFS by that and SIFS (10.3.2.3.7), and so long waits at most who gets
no answer, or one that is damaged."""

STEP_US = 50
"""By how much a repetition is late is counted in whole such steps: less is what stamps and drivers differ by."""

LATEST_STEP = 200
"""Later by 10 ms, a driver paused."""

MAX_ATTEMPTS = 7

LATE = (0.2, 0.35, 0.5)
"""Shares of the collisions with something unheard behind which the repetition is late: all alike probable. At most
every second repetition is behind that of the other station, which has the same window; if the exchange between is
shorter than the window, fewer come later than the longest backoff."""

PRESUMED_OWN, PRESUMED_THIRD = 0.01, 0.2
"""Probability beforehand that a station waits for what the recorder does not hear: of a recorder that sends itself, and
of a third station."""

ENOUGH = 3000
"""Attempts among which some would be late if a third station heard less than the senders do."""

MIN_HEARD = 0.5
"""Share of a sender's frames that must have been recorded: behind an attempt that is missing, the next seems late. As
many late ones are expected as attempts are missing."""

MIN_TELLING = 0.9
"""Share of the attempts on a medium that must be of senders whose repetitions tell something, before it counts that
none is late."""

NOTHING = 1e-4
"""In place of no load at all."""

UNLIKELY = 1e-3
"""Probability of as many late ones beside any load below which it was something else: a driver that waits."""

_KEYS = ("medium", "sender", "steps")


def longest_idle_ns(attempt: pl.Expr) -> pl.Expr:
    """Longest idle time before an attempt that waited for nothing else: EIFS, and a backoff of CW slots."""
    high = pl.col("t_sifs") > HIGH_SIFS_NS
    # The longest slot that 2.4 GHz may have: too short a one makes every repetition late.
    slot_ns = pl.when(high).then(SHORT_SLOT_NS).otherwise(LONG_SLOT_NS)
    unanswered_ns = pl.col("t_sifs") + pl.when(high).then(ACK_NS).otherwise(DSSS_ACK_NS)
    aifs_ns = pl.max_horizontal("t_difs", pl.col("t_sifs") + 2 * slot_ns)
    slots = ((pl.col("cw_min").cast(pl.Int64) + 1) * 2 ** (attempt - 1)).clip(upper_bound=1024)
    return unanswered_ns + aifs_ns + (slots - 1) * slot_ns


def _late(chunk: Chunk) -> pl.DataFrame:
    """Repetitions by how late they were; 0: within the longest backoff."""
    over_us = (nanoseconds("idle_before_us") - longest_idle_ns(pl.col("attempt").cast(pl.Int64))) / 1000
    # Idle time behind a frame that was not heard, as one that collided, began before that frame did.
    uses = chunk.uses.with_columns(chunk.once(completeness.advances))
    rows = uses.filter(
        pl.col("attempt").is_between(2, MAX_ATTEMPTS) & ~completeness.is_traced() & pl.col("unicast"),
        pl.col("is_heard_again"),
        pl.col("sender").is_not_null() & pl.col("idle_before_us").is_not_null(),
        pl.col("heard_data").fill_null(True) & (pl.col("mpdus").fill_null(1) <= 1),
    ).select("medium", "sender", steps=(over_us / STEP_US).floor().clip(0, LATEST_STEP + 1).cast(pl.Int64))
    return rows.group_by(_KEYS).agg(repetitions=pl.len().cast(pl.Int64)).collect(engine="in-memory")


REPETITIONS = Aggregate(_late, keys=_KEYS)
"""What :func:`unheard` takes: `repetitions` per :data:`_KEYS`, over the whole recording."""


def _longest(chunk: Chunk) -> pl.DataFrame:
    """How long the longest first frame of each sender is, whatever came of it; of several chunks a row each."""
    rts = pl.col("kind").is_in(["rts", "rts_failed"])
    data_ns = pl.coalesce(pl.col("data_ns") - pl.col("data_start_ns"), pl.col("end_ns") - pl.col("air_start_ns"))
    first_us = pl.when(rts).then("t_rts").otherwise(data_ns) / 1000
    rows = chunk.uses.filter(~completeness.is_traced(), pl.col("sender").is_not_null()).group_by("medium", "sender")
    steps = (first_us.max() / STEP_US).ceil().clip(0, LATEST_STEP).fill_null(0).cast(pl.Int64)
    return rows.agg(steps=steps).with_columns(chunks=pl.lit(1, pl.Int64)).collect(engine="in-memory")


LONGEST = Aggregate(_longest, keys=_KEYS)
"""The longest frames that others' attempts may have collided with, in :data:`STEP_US`, by chunk."""


class Told(NamedTuple):
    """What a medium tells: of its senders those whose repetitions say something."""

    attempts: float
    of_all: float
    """Attempts of all senders."""
    access_s: float | None
    """Of the one with most attempts, like the next three."""
    aifs_s: float
    window: float
    slot_s: float
    late: int
    """Repetitions that were late."""
    within: int
    """Those within their backoff."""
    missing: float = 0.0
    """Share of these senders' frames that were not recorded."""


class KnownMissing(NamedTuple):
    """Frames that were not recorded, but are known of."""

    per_s: float
    share: float
    """Of all attempts."""


def told(
    senders: pl.DataFrame, repetitions: pl.DataFrame, longest: pl.DataFrame, media: pl.DataFrame
) -> dict[Any, Told]:
    """What each medium tells, all in one go: a campaign has ten thousand of them.

    A repetition is late by more than the longest frame of another that was heard: that one may have collided with it,
    and then the medium was busy longer than the recorder heard.

    Args:
        senders: of :func:`.contention_domain.per_sender`.
        repetitions: of :data:`REPETITIONS`.
        longest: of :data:`LONGEST`.
        media: `medium observer`.
    """
    observed = senders.join(media.select("medium", "observer"), on="medium", how="left", maintain_order="left")
    telling = _telling(observed, pl.col("observer").cast(pl.String))
    of_busiest = pl.col("access_s", "aifs_s", "window", "slot_s").last()
    busiest = _by_accesses(telling).group_by("medium", maintain_order=True).agg(of_busiest)
    heard = quotient(ordered_sum(pl.col("accesses") * pl.col("heard_share")), pl.col("accesses").sum().clip(1))
    attempts = telling.group_by("medium").agg(attempts=pl.col("accesses").sum(), missing=1 - heard)
    of_all = senders.group_by("medium").agg(of_all=pl.col("accesses").sum())
    rows = busiest.join(attempts, on="medium").join(of_all, on="medium")
    rows = rows.join(_counts(telling, repetitions, senders, longest), on="medium", how="left")
    rows = rows.with_columns(pl.col("late", "within").fill_null(0))
    return {medium: Told(*each) for medium, *each in rows.select("medium", *Told._fields).iter_rows()}


def _telling(senders: pl.DataFrame, observer: pl.Expr) -> pl.DataFrame:
    """A recorder that sends knows what it waits for itself; of a third station all senders count."""
    own = observer.is_null() | (pl.col("sender").cast(pl.String) == observer)
    return senders.filter(pl.col("heard_share") >= MIN_HEARD, ~pl.col("aggregates"), ~is_coarse(), own)


def _by_accesses(senders: pl.DataFrame) -> pl.DataFrame:
    return senders.sort("accesses", "air_ns", maintain_order=True)


def _counts(
    telling: pl.DataFrame, repetitions: pl.DataFrame, senders: pl.DataFrame, longest: pl.DataFrame
) -> pl.DataFrame:
    """`medium late within`."""
    longest = longest.group_by("medium", "sender").agg(pl.col("steps").max())
    first_s = pl.max_horizontal("first_s", pl.col("steps") * STEP_US / 1e6).fill_null(0.0)
    longest = senders.join(longest, on=["medium", "sender"], how="left", maintain_order="left")
    longest = longest.select("medium", "sender", first_s=first_s).sort("first_s", descending=True, maintain_order=True)
    longest = longest.group_by("medium", maintain_order=True).agg(
        longest=pl.col("sender").first(),
        longest_s=pl.col("first_s").first(),
        next_s=pl.col("first_s").get(1, null_on_oob=True).fill_null(0.0),
    )
    is_longest = (pl.col("sender") == pl.col("longest")).fill_null(value=False)
    others_us = pl.when(is_longest).then("next_s").otherwise("longest_s") * 1e6
    within = pl.col("steps") * STEP_US <= others_us
    counted = repetitions.join(telling.select("medium", "sender"), on=["medium", "sender"], how="semi")
    return (
        counted.join(longest, on="medium")
        .group_by("medium")
        .agg(
            late=pl.col("repetitions").filter(~within & (pl.col("steps") <= LATEST_STEP)).sum(),
            within=pl.col("repetitions").filter(within).sum(),
        )
    )


def unheard(
    found: Told | None,
    senders: Callable[[], pl.DataFrame],
    observer: str | None,
    known: KnownMissing,
) -> one_more.Load | None:
    """The load beside which as many repetitions are late.

    Args:
        found: what the medium tells, of :func:`told`.
        senders: of :func:`.contention_domain.per_sender`, those of this medium, asked for where some were late.
        observer: who recorded.
        known: frames that are known to be missing.
    """
    if found is None or not found.access_s:
        return None
    # Of damaged rows the contention window may be unknown.
    untold = observer is None and MIN_TELLING * found.of_all <= found.attempts <= ENOUGH and found.window > 0
    if not (found.late or untold):
        return None
    access_s = found.access_s
    if found.late:
        of_medium = senders()
        expected = collisions(of_medium, observer, access_s)
    else:
        # Who finds the medium busy starts in one of so many slots behind it, as the other does.
        expected = [(share, found.attempts * share / found.window) for share in one_more.SHARES]
    otherwise = late_anyway(found, observer, known)
    load = probable(found.late, expected, otherwise, PRESUMED_THIRD if observer is None else PRESUMED_OWN)
    return None if load is None else one_more.Load(load.share / access_s, access_s, found.aifs_s, load.deviation)


def late_anyway(found: Told, observer: str | None, known: KnownMissing) -> float:
    """Repetitions that are expected to seem late for frames that are known to be missing."""
    # Who recorded has all of its own attempts, unless its recording was thinned out.
    behind_missing = known.share if observer is None else found.missing
    return (found.late + found.within) * (known.per_s * found.window * found.slot_s + behind_missing)


def collisions(senders: pl.DataFrame, observer: str | None, access_s: float) -> list[tuple[float, float]]:
    """Airtime shares of one station more, and the attempts of those that tell something which collide with it."""
    # Of thousands of media, as of the nodes of a simulation, most are alike but for addresses and when they sent.
    number = pl.col("sender").rank("dense").cast(pl.String)
    alike = senders.with_columns(pl.col("sender").cast(pl.String)).with_columns(number=number)
    recorder = observer
    if observer is not None:
        recorder = dict(alike.select("sender", "number").iter_rows()).get(observer, "")
    alike = alike.with_columns(sender="number").drop("number", *_WHEN, strict=False)
    return list(_collisions(tuple(alike.rows()), tuple(alike.schema.items()), recorder, access_s))


_WHEN = ("medium", "came", "came_square", "late", "late_spread")
"""What collisions do not depend on: when in its windows a sender sent."""


@lru_cache(maxsize=64)
def _collisions(
    rows: tuple[Any, ...], schema: tuple[tuple[str, pl.DataType], ...], observer: str | None, access_s: float
) -> tuple[tuple[float, float], ...]:
    senders = pl.DataFrame(rows, dict(schema), orient="row").with_columns(medium=pl.lit(0, pl.UInt32))
    seen = _telling(senders, pl.lit(observer, pl.String))
    like = _by_accesses(seen).tail(1)
    collided = ordered_sum(pl.col("accesses") * pl.col("first_failed"))
    beside = {}
    for share, stations in one_more.simulated_at_once(senders, like, access_s, (NOTHING, *one_more.SHARES)):
        others = stations.filter(~pl.col("subject")).join(seen.select("sender"), on="sender", how="semi")
        beside[share] = others.select(collided).item()
    without = beside.pop(NOTHING)
    return tuple((share, max(count - without, 0.0)) for share, count in beside.items())


class Probable(NamedTuple):
    """An airtime share that was not heard: its mean, and its standard deviation."""

    share: float
    deviation: float


def probable(late: int, expected: list[tuple[float, float]], otherwise: float, presumed: float) -> Probable | None:
    """The unheard load beside which so many repetitions are late; None: no load explains them.

    Args:
        late: how many are.
        expected: airtime shares, and the collisions beside each of them; none where the medium is too busy for more.
        otherwise: late ones that are expected without one.
        presumed: probability beforehand that there is any.
    """
    if not expected:
        return None
    weights = [(0.0, (1 - presumed) * poisson(late, otherwise))]
    each = presumed / (len(expected) * len(LATE))
    weights += [(share, each * poisson(late, otherwise + part * count)) for share, count in expected for part in LATE]
    total = sum(weight for _, weight in weights)
    if total <= UNLIKELY * presumed:
        return None
    mean = sum(share * weight for share, weight in weights) / total
    square = sum(share * share * weight for share, weight in weights) / total
    return Probable(mean, max(square - mean * mean, 0.0) ** 0.5)


def poisson(count: int, expected: float) -> float:
    """Probability of `count` where so many are expected."""
    if expected <= 0:
        return float(count == 0)
    return exp(count * log(expected) - expected - lgamma(count + 1))
