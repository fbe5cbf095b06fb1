"""Transmissions of which the recorder heard nothing, by the stations that waited for them.

A station that waited for the medium starts on the grid of its slots: AIFS and a whole number of slots after the medium
fell idle (10.3.4.3). After an exchange that was heard these are the slots of that exchange; a packet that finds the
medium idle is sent at any time. If an exchange that was not heard comes between, and its sender had waited as well, who
waits for that one starts on a third grid:

    idle time before it = AIFS + k slots + T + AIFS + k' slots        T: the exchange that was not heard

so that the remainder of the idle time by the slot is that of T, the same each time. Counted are the first attempts
whose remainder is not 0, by remainder and whole slots. Where one remainder is more frequent than the others, over as
many slots as backoffs take, the excess is attempts that waited for something unheard. Packets at equal intervals have
one idle time each, not many; senders of such are left out. So are attempts behind an exchange without an answer: for
who heard its data the medium is reserved until the ACK would have ended (10.3.2.4), which is one more grid.

How much was sent for the excess to be as large is found by simulation (`kernels/src/saturation/dcf_monte_carlo`): the
stations as recorded beside one more, whose exchanges take T and whose load is varied. T is the mean idle time of the
excess less the slots that the simulation has before it.

The load is put back as a sender with the name :data:`.completeness.PUT_BACK`, in every window as much. What cannot be
seen so: where nobody else sends enough to wait, T of nearly whole slots, T that differs from exchange to exchange, and
clocks that do not tell one microsecond from the next.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.exchange_columns import failed, nanoseconds, ordered_sum
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation import completeness, contention_domain, dcf_monte_carlo, fixed_point
from winf_analyzer._models.saturation.exchange_sums import SUMS
from winf_analyzer._models.saturation.stations import is_coarse

STAMP_US = 1
"""Resolution of time stamps (TSFT counts microseconds): remainders are the same if they differ by no more."""

LONGEST_NS = 13_000_000
"""1500 octets at 1 Mb/s, answered."""

SIGNIFICANT = 6.0
"""Standard deviations that the excess must have: of some thousand remainders and idle times the largest by chance has
four."""

MIN_LOAD = 0.03
"""Airtime share that must have been unheard: less changes no answer by more than its interval allows for."""

MIN_EXCESS = 10.0

MOST_ALIKE = 0.6
"""Most of the remainders off the grid that may count as alike: where slots are short, none is told from the others."""

MOST_IN_A_SLOT = 0.25
"""Part of the excess that one slot may hold: backoffs take many alike, what else keeps a sender waiting one."""

REGULAR = 0.5
"""Regularity from which on packets come at equal intervals."""

MIN_ACCESSES = 100
"""Fewest attempts from which it is told."""

HEARD = 0.05
"""Share in which the sender that is put back counts as heard: its load is an inference, and weighs in the interval as
one of which nearly everything was put back (:data:`.bounds.MISSED_LOAD`)."""

PASSES = 2
"""Times that T is inferred from the slots of a simulation with the T before."""

SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6)
"""Airtime shares of unheard transmissions that are simulated."""

MOST_BUSY = 0.95
"""Share of time in use up to which they are."""

_CELL = ("slot_ns", "slots", "remainder_us")
_KEYS = ("medium", "sender", *_CELL)


def _idle_times(chunk: Chunk) -> pl.DataFrame:
    """First attempts by the idle time before them: whole slots beyond AIFS, and what remains of a slot."""
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
        slot_ns="t_slot",
        slots=slots,
        remainder_us=((idle_ns - slots * pl.col("t_slot")) / 1000).round().cast(pl.Int64),
    )
    return rows.group_by(_KEYS).agg(attempts=pl.len().cast(pl.Int64)).collect(engine="in-memory")


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
"""What :func:`found` takes: `attempts` per :data:`_KEYS`, over the whole recording."""


class Excess(NamedTuple):
    """Attempts that waited for something unheard."""

    attempts: float
    slots: float
    """Their mean idle time beyond AIFS, in slots."""
    slot_s: float


def found(
    links: pl.DataFrame,
    idle_times: pl.DataFrame,
    simulated: pl.DataFrame,
    media: pl.DataFrame,
    versions: Iterable[tuple[str, str]] = (),
) -> pl.DataFrame:
    """Per `medium` where something shows :data:`.exchange_sums.SUMS` of what was not heard, per nanosecond.

    Args:
        links: sums per window and link, with :func:`.completeness.with_shares`.
        idle_times: what :data:`IDLE_TIMES` counts.
        simulated: what :func:`.expected_collisions.as_recorded` returns.
        media: `medium source observer`.
        versions: :attr:`.Settings.versions`. Where exchanges are taken out of a recording, or moved, who had waited for
            them waits for nothing that was heard: in a version everything that was changed would seem unheard.
    """
    recordings = _recordings(media, versions)
    idle_times = idle_times.filter(~pl.col("medium").is_in(recordings["medium"].implode()))
    collided = _collided(simulated, media)
    tables = [pl.DataFrame(schema={"medium": links.schema["medium"], **dict.fromkeys(SUMS, pl.Float64())})]
    enough = _enough(idle_times)
    telling = links.filter(pl.col("medium").is_in(list(enough)))
    for (medium,), of_medium in telling.group_by("medium", maintain_order=True):
        times = enough[medium]
        senders = contention_domain.per_sender(of_medium, contention_domain.WHOLE)
        usable = senders.filter(completeness.regularity() < REGULAR, ~is_coarse())
        if usable.is_empty():
            continue
        window = usable.select(pl.col("window").max()).item()
        times = times.join(usable.select("sender"), on="sender", how="semi")
        excess = _excess(times.join(_on_grid(times, window), on="sender", how="semi"), window)
        if excess is None:
            continue
        per_s, access_s, aifs_s = _load(senders, excess)
        # What is missing of senders that are heard is put back already.
        missed_per_s = senders.select(_missed() / pl.col("covered_ns").first() * 1e9).item()
        # Others' frames that collide are not recorded either, and stations wait for them as well.
        collided_per_s = collided.get(medium, 0.0) / senders["covered_ns"][0] * 1e9
        if per_s * access_s > MIN_LOAD and per_s > 2 * (missed_per_s + collided_per_s):
            sums = _sums(of_medium, per_s - missed_per_s, access_s, aifs_s)
            tables.append(pl.DataFrame({"medium": medium, **sums}, schema=tables[0].schema))
    shown = pl.concat(tables)
    of_versions = recordings.join(shown, left_on="recording", right_on="medium")
    return pl.concat([shown, of_versions.select(shown.columns)])


def _recordings(media: pl.DataFrame, versions: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """`medium recording`: of each medium of a version that of the recording."""
    named = pl.DataFrame(list(versions), schema=dict.fromkeys(("source", "recorded"), pl.String), orient="row")
    media = media.with_columns(pl.col("source", "observer").cast(pl.String))
    of_recording = media.select(recording="medium", recorded="source", observer="observer")
    found = media.join(named, on="source").join(of_recording, on=["recorded", "observer"], nulls_equal=True)
    return found.select("medium", "recording")


def put_back(links: pl.DataFrame, unheard: pl.DataFrame) -> pl.DataFrame:
    """`links` with a row of :data:`.completeness.PUT_BACK` in every window of the media that :func:`found` names."""
    if unheard.is_empty():
        return links
    windows = links.group_by(WINDOW, maintain_order=True).agg(pl.col("covered_ns", "anonymous").first())
    rows = windows.join(unheard, on="medium", maintain_order="left").with_columns(
        *(pl.col(name) * pl.col("covered_ns") for name in SUMS),
        sender=pl.lit(completeness.PUT_BACK),
        receiver=pl.lit(None, pl.String),
        heard_share=pl.lit(HEARD),
        answer_missed=pl.lit(0.0),
        answer_off=pl.lit(0.0),
        samples=pl.lit(0.0),
        uneven=pl.lit(0.0),
        in_range=pl.lit(True),
        one_by_one=pl.lit(True),
        batch=pl.lit(1.0),
        txop_limit_ns=pl.lit(0.0),
    )
    return pl.concat([links, rows.select(pl.col(name).cast(dtype) for name, dtype in links.schema.items())])


def _enough(idle_times: pl.DataFrame) -> dict[Any, pl.DataFrame]:
    """The idle times of each medium that has enough of them, all found in one go: of many recordings most have few."""
    of_medium = pl.col("attempts").sum().over("medium")
    rows = idle_times.filter(of_medium >= MIN_ACCESSES)
    return {medium: times for (medium,), times in rows.partition_by("medium", as_dict=True).items()}


def _on_grid(times: pl.DataFrame, window: float) -> pl.DataFrame:
    """`sender`: those of whose attempts within a backoff most are where their AIFS has them.

    Where it was inferred wrong, all their starts are off the grid.
    """
    near = times.filter(pl.col("slots") < window).group_by("sender", "slot_ns", "remainder_us")
    most = near.agg(pl.col("attempts").sum()).sort("sender", "attempts", "remainder_us").group_by("sender").last()
    at, slot_us = pl.col("remainder_us"), pl.col("slot_ns") // 1000
    return most.filter((at < 2 * STAMP_US) | (at > slot_us - 2 * STAMP_US)).select("sender")


def _collided(simulated: pl.DataFrame, media: pl.DataFrame) -> dict[Any, float]:
    """Per medium how many attempts of others than the recorder should have collided."""
    rows = simulated.join(media.select("medium", "observer"), on="medium")
    rows = rows.filter((pl.col("sender") != pl.col("observer")).fill_null(True))
    attempts = ordered_sum(pl.col("accesses") * pl.col("collision").fill_null(0.0))
    return dict(rows.group_by("medium").agg(attempts).iter_rows())


def _missed() -> pl.Expr:
    """Frames that were not recorded, by sequence numbers."""
    return ordered_sum(pl.col("accesses") * (1 / pl.col("heard_share").clip(HEARD) - 1)).fill_null(0.0)


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
    if part > MOST_ALIKE:
        return None
    cells = _cells(times.filter(slot_ns=slot_ns), slot_us, LONGEST_NS // slot_ns + 2)
    everywhere = _added(cells[at] for at in off_grid)
    best, most = None, SIGNIFICANT
    for middle in off_grid[STAMP_US : len(off_grid) - STAMP_US]:
        here = _added(cells[middle + by] for by in range(-STAMP_US, STAMP_US + 1))
        # What is expected of these remainders are the attempts with others, of as many remainders.
        excess = [own - (every - own) * part / (1 - part) for own, every in zip(here, everywhere, strict=True)]
        seen, more = _running(here), _running(excess)
        moment = _running([value * slots for slots, value in enumerate(excess)])
        for begin in range(len(here) - wide):
            added = more[begin + wide] - more[begin]
            expected = seen[begin + wide] - seen[begin] - added
            deviations = added / (max(expected, 0) / (1 - part) + 1) ** 0.5
            if deviations <= most or added < MIN_EXCESS:
                continue
            if max(here[begin : begin + wide]) <= MOST_IN_A_SLOT * added:
                mean = (moment[begin + wide] - moment[begin]) / added + middle / slot_us
                best, most = Excess(added, mean, slot_ns / 1e9), deviations
    return best


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


def _sums(links: pl.DataFrame, per_s: float, access_s: float, aifs_s: float) -> dict[str, float]:
    """:data:`.exchange_sums.SUMS` per nanosecond of single frames, `per_s` of them, like those that were heard."""
    total = links.select(pl.col(SUMS).sum()).row(0, named=True)
    air_ns = (access_s - aifs_s) * 1e9
    stretched = air_ns / max(total["air_ns"], 1.0)
    with_rts = total["with_rts"] / max(total["accesses"], 1.0)
    each = {name: 0.0 if name in _NOT_PRESUMED else total[name] / max(total["accesses"], 1.0) for name in SUMS}
    each |= dict.fromkeys(("accesses", "attempts", "done", "carried", "heard", "mpdus"), 1.0)
    each |= {"fresh": HEARD, "fresh_mpdus": HEARD, "whole": 1 - with_rts, "whole_rts": with_rts}
    each |= {"air_ns": air_ns, "carried_air_ns": air_ns}
    each |= {"whole_air_ns": air_ns * (1 - with_rts), "rts_air_ns": air_ns * with_rts}
    each["first_ns"] = total["first_ns"] * stretched if with_rts < 0.5 else each["first_ns"]
    return {name: value * per_s / 1e9 for name, value in each.items()}


_NOT_PRESUMED = {
    *("failed", "alone_failed", "quiet_failed", "answered_failed", "retries", "rts_retries", "acked"),
    *("waited", "alone", "quiet", "answered", "unheard", "silent", "silent_numbered", "advanced", "advanced_heard"),
    *("gaps", "gap_ticks", "gap_square", "answers", "answers_off", "to_groups", "to_groups_air_ns"),
    *("open", "open_bytes", "open_us", "open_bytes_us", "open_square"),
    *("aggregating", "continued", "trailers", "trailer_ns", "txop_ns"),
}
"""Of :data:`.exchange_sums.SUMS` those that stay 0, since nothing tells what they were."""


def _load(senders: pl.DataFrame, excess: Excess) -> tuple[float, float, float]:
    """Exchanges per second that explain the excess, their time with AIFS, and AIFS."""
    busiest = senders.sort("accesses", "air_ns").tail(1)
    aifs_s, window = busiest["aifs_s"][0], busiest["window"][0]
    covered_s = senders["covered_ns"][0] / 1e9
    slots, per_s, access_s = 0.8 * (window - 1), 0.0, aifs_s
    for _ in range(PASSES):
        access_s = max((excess.slots - slots) * excess.slot_s, 2 * aifs_s)
        tried = _simulated(senders, busiest, access_s)
        per_s, slots = _explains(tried, excess.attempts / covered_s, slots)
    return per_s, access_s, aifs_s


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
    each = senders.with_columns(variation=completeness.arrival_variation(), subject=pl.lit(False))
    busy = senders.select(ordered_sum(pl.col("packets_per_s") * (pl.col("access_s") + pl.col("packet_s")))).item()
    shares = [share for share in SHARES if share <= MOST_BUSY - busy] or [SHARES[0]]
    extra = like.with_columns(
        access_s=pl.lit(access_s),
        first_s=pl.lit(access_s),
        packet_s=pl.lit(0.0),
        first_packet_s=pl.lit(0.0),
        packets_max=pl.lit(1.0),
        request_s=pl.lit(None, pl.Float64),
        rts=pl.lit(False),
        variation=pl.lit(1.0),
        subject=pl.lit(True),
    )
    cases = [
        pl.concat([each, extra.with_columns(packets_per_s=pl.lit(share / access_s))]).with_columns(
            case=pl.lit(number, pl.Int64)
        )
        for number, share in enumerate(shares)
    ]
    certain = {"hidden": False, "loss": 0.0, "vulnerable": 1.0, "count": 1.0}
    rows = pl.concat(cases).with_columns(
        unanswered_s="first_s", **{name: pl.lit(value) for name, value in certain.items()}
    )
    rows = rows.with_columns(fixed_point.sane(name) for name in fixed_point.LIMITS if name in rows.columns)
    typed = [pl.col(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items()]
    stations = rows.select("medium", *typed, "rts", "hidden", "unanswered_s", "sifs_s", "variation")
    for case in fixed_point.in_order(stations).partition_by("case", maintain_order=True):
        yield _behind(case)


def _behind(case: pl.DataFrame) -> tuple[float, float, float]:
    """Exchanges per second of the subject, attempts per second that follow them, and the slots before these."""
    one = pl.lit(1.0)
    found = dcf_monte_carlo.simulate(case, first_destroyed=one, answered_destroyed=one, backlogged=False)
    behind = pl.col("attempts_per_s") * pl.col("behind")
    totals = found.select(
        pl.col("packets_per_s").filter("subject").first(),
        behind_per_s=ordered_sum(behind),
        slots=ordered_sum(behind * pl.col("behind_slots")),
    )
    per_s, behind_per_s, slots = totals.row(0)
    return per_s, behind_per_s, slots / behind_per_s if behind_per_s > 0 else 0.0
