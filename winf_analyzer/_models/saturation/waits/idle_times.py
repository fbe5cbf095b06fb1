"""Transmissions of which the recorder heard nothing, by the stations that waited for them.

A station that waited for the medium starts on the grid of its slots: AIFS and a whole number of slots after the medium
fell idle (10.3.4.3). After an exchange that was heard these are the slots of that exchange; a packet that finds the
medium idle is sent at any time. If an exchange that was not heard comes between, and its sender had waited as well, who
waits for that one starts on a third grid:

    idle time before it = AIFS + k slots + T + AIFS + k' slots        T: the exchange that was not heard

so that the remainder of the idle time by the slot is that of T, the same each time. Counted are the first attempts
whose remainder is not 0, by remainder and whole slots. Where one remainder is more frequent than the others, over as
many slots as backoffs take, the excess is attempts that waited for something unheard. Packets at equal intervals have
one idle time each, not many; senders of such are left out. So are those whose bursts begin at equal intervals: where
another's burst ends before, its backoffs spread the idle time over whole slots as well. And so are attempts behind an
exchange without an answer: for who heard its data the medium is reserved until the ACK would have ended (10.3.2.4),
which is one more grid.

How much was sent for the excess to be as large is found by simulation (`kernels/src/saturation/dcf_monte_carlo`): the
stations as recorded beside one more, whose exchanges take T and whose load is varied. T is the mean idle time of the
excess less the slots that the simulation has before it.

What cannot be seen so: where nobody else sends enough to wait, T of nearly whole slots, T that differs from exchange to
exchange, and clocks that do not tell one microsecond from the next.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import log, sqrt
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.exchange_columns import failed, nanoseconds, ordered_sum
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.recorded.stations import is_coarse
from winf_analyzer._models.saturation.waits import one_more

STAMP_US = 1
"""Resolution of time stamps (TSFT counts microseconds): remainders are the same if they differ by no more."""

LONGEST_NS = 13_000_000
"""1500 octets at 1 Mb/s, answered."""

SIGNIFICANT = 5.0
"""Standard deviations that the excess must have, as by the ratio of the likelihoods with and without: of some thousand
remainders and idle times the largest by chance has four."""

MIN_EXCESS = 10.0

MAX_ALIKE = 0.6
"""Most of the remainders off the grid that may count as alike: where slots are short, none is told from the others."""

MAX_IN_A_SLOT = 0.25
"""Part of the excess that one slot may hold: backoffs take many alike, what else keeps a sender waiting one."""

REGULAR = 0.5
"""Regularity from which on packets come at equal intervals."""

EVEN_BURSTS = 0.3
"""Squared coefficient of variation of the times between attempts behind long idle times, up to which these begin bursts
at equal intervals, some of which begin sooner. What waits for transmissions that were not heard has one near 1."""

MIN_ACCESSES = 100
"""Fewest attempts from which it is told."""

PASSES = 2
"""Times that T is inferred from the slots of a simulation with the T before."""

_CELL = ("slot_ns", "slots", "remainder_us")
_KEYS = ("medium", "sender", "qos", *_CELL)


def _idle_times(chunk: Chunk) -> pl.DataFrame:
    """First attempts by the idle time before them: whole slots beyond AIFS, and what remains of a slot.

    And :data:`.completeness.GAPS` from each that was later than a backoff takes to the sender's next.
    """
    idle_ns = nanoseconds("idle_before_us") - pl.col("t_difs")
    # A stamp may be early by its resolution.
    slots = (idle_ns + STAMP_US * 1000) // pl.col("t_slot")
    first = (pl.col("attempt") == 1).fill_null(True) & ~completeness.is_traced()
    rows = chunk.uses.filter(
        first & pl.col("sender").is_not_null() & pl.col("heard_data").fill_null(True),
        ~pl.lit(_reserved(chunk)),
        idle_ns.is_between(-STAMP_US * 1000, LONGEST_NS),
        pl.col("t_slot") > 0,
    ).select(
        "medium",
        "sender",
        qos=pl.col("tid").is_not_null(),
        slot_ns="t_slot",
        slots=slots,
        remainder_us=((idle_ns - slots * pl.col("t_slot")) / 1000).round().cast(pl.Int64),
        late_ns=pl.when(slots > pl.col("cw_min")).then("air_start_ns"),
    )
    last = pl.col("late_ns").forward_fill().shift().over("medium", "sender")
    ticks = (pl.col("late_ns") - last) // completeness.TICK_NS
    ticks = pl.when(ticks.is_between(0, completeness.MAX_GAP_TICKS)).then(ticks)
    found = rows.with_columns(ticks=ticks).group_by(_KEYS)
    return found.agg(
        attempts=pl.len().cast(pl.Int64),
        gaps=pl.col("ticks").count().cast(pl.Int64),
        gap_ticks=pl.col("ticks").sum(),
        gap_square=(pl.col("ticks") ** 2).sum(),
    ).collect(engine="in-memory")


def _reserved(chunk: Chunk) -> pl.Series:
    """Of each exchange whether the one before it in its medium was to a single station and had no answer."""
    rows = chunk.rows.select("medium", unanswered=failed())
    last: dict[int, bool] = chunk.state.setdefault(_reserved, {})
    is_first = pl.col("medium").is_first_distinct()  # rows are in the order of media
    carried = pl.col("medium").replace_strict(last, default=False, return_dtype=pl.Boolean) if last else pl.lit(False)
    before = pl.when(is_first).then(carried).otherwise(pl.col("unanswered").shift(1)).fill_null(False)
    found = rows.select(before.alias("reserved"))["reserved"]
    last.update(rows.group_by("medium").agg(pl.col("unanswered").last()).iter_rows())
    return found


IDLE_TIMES = Aggregate(_idle_times, keys=_KEYS)
"""What :func:`unheard` takes: `attempts` per :data:`_KEYS`, over the whole recording. `qos`: of a QoS frame.

And :data:`.completeness.GAPS` between those that were later than a backoff takes.
"""


class Excess(NamedTuple):
    """Attempts that waited for something unheard."""

    attempts: float
    slots: float
    """Their mean idle time beyond AIFS, in slots."""
    slot_s: float
    deviation: float
    """Standard deviation of their number, with those that start there by chance."""


def enough(idle_times: pl.DataFrame) -> dict[Any, pl.DataFrame]:
    """The idle times of each medium that has enough of them, all found in one go: of many recordings most have few."""
    of_medium = pl.col("attempts").sum().over("medium")
    rows = idle_times.filter(of_medium >= MIN_ACCESSES)
    return {medium: times for (medium,), times in rows.partition_by("medium", as_dict=True).items()}


def unheard(senders: pl.DataFrame, times: pl.DataFrame) -> one_more.Load | None:
    """The load for which as many attempts waited as start off the grid.

    Args:
        senders: of :func:`.contention_domain.per_sender`, of one medium.
        times: what :data:`IDLE_TIMES` counts of it.
    """
    usable = senders.filter(completeness.regularity() < REGULAR, ~is_coarse())
    if usable.is_empty():
        return None
    window = usable.select(pl.col("window").max()).item()
    times = times.join(usable.select("sender"), on="sender", how="semi")
    times = times.join(_in_even_bursts(times), on="sender", how="anti")
    excess = _excess(times.join(_on_grid(times, window), on="sender", how="semi"), window)
    return None if excess is None else _load(senders, excess)


def _in_even_bursts(times: pl.DataFrame) -> pl.DataFrame:
    """`sender`: those whose bursts begin at equal intervals."""
    rows = times.group_by("sender").agg(pl.col(completeness.GAPS).sum())
    return rows.filter(completeness.variation() <= EVEN_BURSTS).select("sender")


def _on_grid(times: pl.DataFrame, window: float) -> pl.DataFrame:
    """`sender`: those of whose attempts within a backoff most are where their AIFS has them.

    Where it was inferred wrong, all their starts are off the grid.
    """
    near = times.filter(pl.col("slots") < window).group_by("sender", "slot_ns", "remainder_us")
    most = near.agg(pl.col("attempts").sum()).sort("sender", "attempts", "remainder_us").group_by("sender").last()
    at, slot_us = pl.col("remainder_us"), pl.col("slot_ns") // 1000
    return most.filter((at < 2 * STAMP_US) | (at > slot_us - 2 * STAMP_US)).select("sender")


def _excess(times: pl.DataFrame, window: float) -> Excess | None:
    """The remainder, and the range of idle times as wide as two backoffs, in which most attempts are too many."""
    if times.is_empty():
        return None
    slot_ns = int(times.group_by("slot_ns").agg(pl.col("attempts").sum()).sort("attempts", "slot_ns")["slot_ns"][-1])
    slot_us, wide = slot_ns // 1000, 2 * int(window)
    # On the grid of what was heard are those who waited for that.
    off_grid = range(2 * STAMP_US, slot_us - 2 * STAMP_US + 1)
    alike = 2 * STAMP_US + 1
    part = alike / max(len(off_grid), 1)
    if part > MAX_ALIKE:
        return None
    cells = _cells(times.filter(slot_ns=slot_ns), slot_us, LONGEST_NS // slot_ns + 2)
    everywhere = _added(cells[at] for at in off_grid)
    best, most = None, SIGNIFICANT
    for middle in off_grid[STAMP_US : len(off_grid) - STAMP_US]:
        here = _added(cells[middle + by] for by in range(-STAMP_US, STAMP_US + 1))
        if sum(here) < MIN_EXCESS:
            continue  # no range of them has more that are too many
        # What is expected of these remainders are the attempts with others, of as many remainders.
        excess = [own - (every - own) * part / (1 - part) for own, every in zip(here, everywhere, strict=True)]
        seen, more = _running(here), _running(excess)
        moment = _running([value * slots for slots, value in enumerate(excess)])
        for begin in range(len(here) - wide):
            added, count = more[begin + wide] - more[begin], seen[begin + wide] - seen[begin]
            if added < MIN_EXCESS:
                continue
            deviations = _deviations(count, (count - added) * (1 - part) / part, part)
            if deviations <= most:
                continue
            if max(here[begin : begin + wide]) <= MAX_IN_A_SLOT * added:
                mean = (moment[begin + wide] - moment[begin]) / added + middle / slot_us
                deviation = (added + (count - added) / (1 - part)) ** 0.5
                best, most = Excess(added, mean, slot_ns / 1e9, deviation), deviations
    return best


def _deviations(here: float, elsewhere: float, part: float) -> float:
    """By how many standard deviations `here` are more than the share `part` of both; few counts are not normal."""
    total = here + elsewhere
    terms = ((here, part * total), (elsewhere, (1 - part) * total))
    return sqrt(2 * sum(count * log(count / expected) for count, expected in terms if count > 0))


def _cells(times: pl.DataFrame, slot_us: int, count: int) -> list[list[int]]:
    """Attempts by remainder, and by slots up to `count`."""
    cells = [[0] * count for _ in range(slot_us + 1)]
    rows = times.group_by("slots", "remainder_us").agg(pl.col("attempts").sum())
    for slots, at, attempts in rows.iter_rows():
        if 0 <= slots < count and 0 <= at <= slot_us:
            cells[at][slots] += attempts
    return cells


def _added(lists: Iterable[list[int]]) -> list[int]:
    return [sum(values) for values in zip(*lists, strict=True)]


def _running(values: Iterable[float]) -> list[float]:
    """Sums of the first none, one, two, ... values."""
    return [0.0, *accumulate(values)]


def _load(senders: pl.DataFrame, excess: Excess) -> one_more.Load:
    """The exchanges that explain the excess."""
    busiest = senders.sort("accesses", "air_ns").tail(1)
    aifs_s, window = busiest["aifs_s"][0], busiest["window"][0]
    covered_s = senders["covered_ns"][0] / 1e9
    slots, per_s, access_s = 0.8 * (window - 1), 0.0, aifs_s
    for _ in range(PASSES):
        access_s = max((excess.slots - slots) * excess.slot_s, 2 * aifs_s)
        tried = _simulated(senders, busiest, access_s)
        per_s, slots = _explains(tried, excess.attempts / covered_s, slots)
    # Beside a load of so much more, as many more attempts follow it.
    return one_more.Load(per_s, access_s, aifs_s, per_s * access_s * excess.deviation / excess.attempts)


def _explains(tried: Iterable[tuple[float, float, float]], wanted_per_s: float, slots: float) -> tuple[float, float]:
    """The load at which as many attempts follow something unheard, between those tried, and the slots before them.

    `tried`: exchanges per second, attempts per second that follow them, slots; not read beyond the answer.
    """
    before = (0.0, 0.0, slots)
    for now in tried:
        if now[1] >= wanted_per_s:
            part = (wanted_per_s - before[1]) / (now[1] - before[1])
            return before[0] + part * (now[0] - before[0]), now[2]
        if now[1] > before[1]:
            before = now
    return before[0], before[2]


def _simulated(senders: pl.DataFrame, like: pl.DataFrame, access_s: float) -> Iterator[tuple[float, float, float]]:
    """The stations as recorded beside one that sends more and more: what :func:`_explains` takes, as it asks for it."""
    behind = pl.col("attempts_per_s") * pl.col("behind")
    for _, found in one_more.simulated(senders, like, access_s):
        totals = found.select(
            pl.col("packets_per_s").filter("subject").first(),
            behind_per_s=ordered_sum(behind),
            slots=ordered_sum(behind * pl.col("behind_slots")),
        )
        per_s, behind_per_s, slots = totals.row(0)
        yield per_s, behind_per_s, slots / behind_per_s if behind_per_s > 0 else 0.0
