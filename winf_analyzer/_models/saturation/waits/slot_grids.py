"""Transmissions of which the recorder heard nothing, by whose slots a station's starts are on.

A QoS station begins at slot boundaries alone, which it counts from when the medium last fell idle (10.23.2.4): a packet
that finds the medium idle, too, starts on the grid of the exchange before. If that exchange was heard, the idle time
before the start is AIFS and a whole number of slots. If something that was not heard came between, the station counts
from its end, and the remainder of the idle time may be any. Beside r unheard exchanges per second in which the station
senses nothing else, of the starts with idle time t before them a share

    p(t) = c + (1 - c) (1 - b) exp(-r t)

is on the grid of what was heard: c are those of another grid that are on it by chance, and b is what has nothing to do
with how long the medium was idle. What falls with t tells of r; where nothing is off the grid, the sender waits for
nothing unheard. That holds for the station whose starts they are: another one may be out of range of it (:func:`deaf`).

Frames that are known to be missing shift the grid as well, and count as such. How long the unheard exchanges take, the
grid does not show: some time between a quarter of those that were heard and twice as long. With what is presumed of
their share x of the time beforehand, this gives its mean and standard deviation, as :mod:`.late_repetitions` has it.

A share b without r is a station that keeps no slots, or stamps that are off, unless another sender of the recording
keeps the slots of all that was heard. Beside such a one it sensed something that was still on the air as what was heard
ended, and did not begin in idle time: frames so weak that a station notices few of them.
"""

from itertools import product
from math import exp, log, sqrt
from typing import NamedTuple

import polars as pl

from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.recorded.stations import is_coarse
from winf_analyzer._models.saturation.waits.idle_times import MAX_ALIKE, REGULAR, STAMP_US
from winf_analyzer._models.saturation.waits.late_repetitions import PRESUMED_OWN, PRESUMED_THIRD
from winf_analyzer._models.saturation.waits.one_more import SHARES, Load

MIN_STARTS = 30
"""Fewest starts behind the longest backoff that tell something."""

MIN_OFF_GRID = 10
"""Fewest of them off the grid, beyond what is known to be missing, from which on more is asked."""

KEPT = 0.8
"""Share of the starts within a backoff that must be on one grid: what waits is, packets that come then may not be."""

LONGER = 2
"""Longest backoffs behind which starts count: CWmin may be larger than is presumed, and who starts at any time when a
packet finds the medium idle would seem to leave the grid where backoffs end."""

STEPS = (0, 300, 500, 800, 1200, 1800, 2600, 3600, 5000, 7000)
"""Idle times (us) whose starts are counted together, from each to the next."""

LONGEST_US = 10_000
"""Idle time in which clocks that differ by 50 ppm stay on one grid."""

LASTING = (0.25, 0.5, 1.0, 2.0)
"""How long the unheard exchanges may take, as shares of the mean of those that were heard: all alike probable."""

OTHERWISE = (0.0, 0.05, 0.15, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Shares b of the starts that are on another grid however long the medium was idle; the likeliest counts."""

MISSING = (0.5, 1.0, 2.0)
"""Exchanges that are missing, over those that are known to be; the likeliest counts."""

MAX_SENDERS = 32
"""Senders that are asked, those with most starts."""

SURE = 0.995
"""Share on the grid of who senses what is heard, at most."""

KEEPING = 0.03
"""Share of its starts on another grid, up to which a sender keeps the slots of what was heard."""

ANY_TIME = 0.6
"""The same, from which on it keeps no slots at all."""

DEAF = 0.25
"""Part of a load that a sender waits for at most, with two standard deviations, that is out of range of it."""

MAX_HEARD = 0.95
"""Airtime share of what is heard, at most: the rest is what the others share."""

ALIKE = 2 * STAMP_US + 1
"""Remainders (us) that are on one grid."""

_SENDER = ("medium", "sender")


class Starts(NamedTuple):
    """Starts of a sender behind the longest backoff, in a range of idle times."""

    idle_s: float
    """Their mean idle time."""
    all: int
    on_grid: int


class Heard(NamedTuple):
    """What the starts on a medium are read beside."""

    busy: float
    """Airtime share of what was heard."""
    exchange_s: float
    """What an exchange of it takes on the average, with AIFS."""
    known_per_s: float
    """Exchanges that were not heard and are known of."""
    observer: str | None
    """Who recorded; a station that does knows what it waits for itself."""


class WaitedFor(NamedTuple):
    """The airtime share of what a sender waits for and that was not heard."""

    share: float
    """Its mean."""
    deviation: float
    shown: bool
    """There is rather such a load than none."""
    shifted: float
    """Share of its starts that are on another grid than that of what was heard."""


def counted(times: pl.DataFrame, senders: pl.DataFrame) -> pl.DataFrame:
    """`medium sender slot_us step idle_s all on_grid`, of senders that keep slots where they back off.

    Of media where some are off the grid, without packets at equal intervals: those collide every time or never, so that
    it is not known how many collisions were not heard.

    Args:
        times: of :data:`.idle_times.IDLE_TIMES`.
        senders: of :func:`.contention_domain.per_sender`.
    """
    # Beacons are no packets that collide again and again.
    regular = ((completeness.regularity() >= REGULAR) & (pl.col("carried") > 0)).any().over("medium")
    known = senders.filter(~regular, ~is_coarse()).select(*_SENDER, "window")
    rows = times.filter("qos").join(known, on=_SENDER).lazy()
    slot_us = pl.col("slot_ns") // 1000
    at, idle_us = pl.col("remainder_us") % slot_us, pl.col("slots") * slot_us
    # Where slots are short, none is told from the others.
    rows = rows.filter(idle_us < LONGEST_US, MAX_ALIKE * slot_us >= ALIKE)
    rows = rows.with_columns(slot_us=slot_us, at=at, idle_us=idle_us, backs_off=pl.col("slots") < pl.col("window"))
    # The grid is where they are that back off: an answer may take another time than it is thought to.
    slots = [*_SENDER, "slot_us"]
    grids = rows.filter("backs_off").group_by(*slots, "at").agg(pl.col("attempts").sum())
    grids = grids.sort(*slots, "attempts", "at").group_by(slots, maintain_order=True).agg(grid=pl.col("at").last())
    off = (pl.col("at") - pl.col("grid")) % pl.col("slot_us")
    near = (off <= STAMP_US) | (off >= pl.col("slot_us") - STAMP_US)
    rows = rows.join(grids, on=slots).with_columns(on=near)
    back, attempts = pl.col("backs_off"), pl.col("attempts")
    later = pl.col("slots") >= LONGER * pl.col("window")
    of_sender = {
        "keeps": quotient(attempts.filter(back, "on").sum(), attempts.filter(back).sum().clip(1)),
        "later": attempts.filter(later).sum(),
    }
    enough = rows.group_by(slots).agg(**of_sender).filter(pl.col("keeps") >= KEPT, pl.col("later") >= MIN_STARTS)
    step = pl.sum_horizontal((pl.col("idle_us") >= since).cast(pl.Int64) for since in STEPS[1:])
    counts = {
        "idle_s": quotient((pl.col("idle_us") * attempts).sum(), 1e6 * attempts.sum()),
        "all": attempts.sum(),
        "on_grid": attempts.filter("on").sum(),
    }
    behind = rows.join(enough, on=slots, how="semi").filter(later).group_by(*slots, step=step).agg(**counts)
    off_grid = (pl.col("all") - pl.col("on_grid")).sum().over(_SENDER)
    found = behind.filter((off_grid >= MIN_OFF_GRID).any().over("medium")).sort(*slots, "step")
    return found.collect(engine="in-memory")


def heard(senders: pl.DataFrame, known_per_s: float, observer: str | None) -> Heard:
    """What the starts are read beside.

    Args:
        senders: of :func:`.contention_domain.per_sender`, those of a medium.
        known_per_s: exchanges that were not recorded, but are known of.
        observer: who recorded.
    """
    air_ns, accesses = senders.select((pl.col("air_ns") + pl.col("aifs_ns")).sum(), pl.col("accesses").sum()).row(0)
    busy, exchange_s = air_ns / max(senders["covered_ns"][0], 1.0), air_ns / 1e9 / max(accesses, 1.0)
    return Heard(min(busy, MAX_HEARD), max(exchange_s, 1e-6), known_per_s, observer)


def told(counts: pl.DataFrame, beside: Heard) -> dict[str, WaitedFor]:
    """By sender the airtime share of what it waits for and that was not heard.

    Args:
        counts: of :func:`counted`, those of a medium.
        beside: of :func:`heard`.
    """
    of_senders = counts.partition_by("sender", "slot_us", as_dict=True)
    most = sorted(of_senders.items(), key=lambda each: -each[1]["all"].sum())[:MAX_SENDERS]
    found = {}
    for (sender, slot_us), rows in most:
        starts = [Starts(*each) for each in rows.select(Starts._fields).iter_rows()]
        found[str(sender)] = probable(starts, ALIKE / slot_us, beside)
    return found


def is_asked(counts: pl.DataFrame, beside: Heard) -> bool:
    """More starts of a sender are off the grid than what is known to be missing explains."""
    missing_per_s = max(MISSING) * beside.known_per_s / (1 - beside.busy)
    known = pl.col("all") * (1 - SURE * (-missing_per_s * pl.col("idle_s")).exp())
    of_senders = counts.group_by(pl.col("sender").cast(pl.String))
    over = of_senders.agg(over=(pl.col("all") - pl.col("on_grid") - known).sum())
    asked = over.filter(pl.col("over") >= MIN_OFF_GRID)["sender"]
    return asked.len() > 0 if beside.observer is None else beside.observer in asked


def load(found: dict[str, WaitedFor], senders: pl.DataFrame, beside: Heard) -> Load | None:
    """What the sender waits for that waits for most, or who recorded."""
    asked = [each for sender, each in found.items() if beside.observer in (None, sender)]
    most = max((each for each in asked if each.shown), default=None)
    keeps = min((each.shifted for each in found.values()), default=1.0) < KEEPING
    share, doubt = 0.0, 0.0
    if most:
        share, doubt = most.share, most.deviation
    elif keeps:
        # On the air as what was heard ended. How much of it is waited for when the medium falls idle nothing tells: all
        # from nothing to as large a share of the time alike. That stations keep slots another sender has to show.
        at_ends = max((each.shifted for each in asked if each.shifted < ANY_TIME), default=0.0) * (1 - beside.busy)
        share, doubt = at_ends / 2, at_ends / sqrt(12)
    if share <= 0:
        return None
    aifs_s = senders.sort("accesses", "air_ns", maintain_order=True)["aifs_s"][-1]
    return Load(share / beside.exchange_s, beside.exchange_s, aifs_s, doubt)


def deaf(found: dict[str, WaitedFor], share: float) -> list[str]:
    """The senders that do not wait for an unheard load with this airtime share."""
    on_grid = {sender: each for sender, each in found.items() if each.shifted < KEEPING}
    return sorted(sender for sender, each in on_grid.items() if each.share + 2 * each.deviation < DEAF * share)


def probable(starts: list[Starts], chance: float, beside: Heard) -> WaitedFor:
    """The unheard load beside which as many starts are on the grid.

    Args:
        starts: behind the longest backoff.
        chance: share of those on other grids that are on it as well.
        beside: what was heard.
    """
    idle = 1 - beside.busy
    presumed = PRESUMED_THIRD if beside.observer is None else PRESUMED_OWN
    tried = [(0.0, 0.0, 1 - presumed)]
    for share, lasting in product(SHARES, LASTING):
        # Exchanges per second in which neither they nor what was heard are on the air.
        part = min(share / idle, MAX_HEARD)
        per_s = part / (1 - part) / (lasting * beside.exchange_s)
        tried.append((share, per_s, presumed / (len(SHARES) * len(LASTING))))
    logs = [
        (share, log(weight) + _best(starts, chance, per_s, beside.known_per_s / idle)) for share, per_s, weight in tried
    ]
    most = max(value for _, value in logs)
    weights = [(share, exp(value - most)) for share, value in logs]
    total = sum(weight for _, weight in weights)
    mean = sum(share * weight for share, weight in weights) / total
    square = sum(share * share * weight for share, weight in weights) / total
    on_grid = sum(each.on_grid for each in starts) / sum(each.all for each in starts)
    shifted = (1 - on_grid) / (1 - chance)
    return WaitedFor(mean, max(square - mean * mean, 0.0) ** 0.5, weights[0][1] < total / 2, min(shifted, 1.0))


def _best(starts: list[Starts], chance: float, per_s: float, known_per_s: float) -> float:
    """Logarithm of the largest likelihood, whatever is missing and has nothing to do with idle time."""
    missing = (per_s + many * known_per_s for many in MISSING)
    return max(_likelihood(starts, chance, each, b) for each, b in product(missing, OTHERWISE))


def _likelihood(starts: list[Starts], chance: float, per_s: float, otherwise: float) -> float:
    found = 0.0
    for idle_s, every, on_grid in starts:
        share = min(chance + (1 - chance) * (1 - otherwise) * exp(-per_s * idle_s), SURE)
        found += on_grid * log(share) + (every - on_grid) * log(1 - share)
    return found
