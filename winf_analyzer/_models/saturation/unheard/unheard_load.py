"""Transmissions of which the recorder heard nothing, by the stations that waited for them.

Three things tell of them: first attempts that start off the grid of the slots (:mod:`.idle_times`), repetitions that
come later than their backoff allows (:mod:`.late_repetitions`), and whose slots QoS stations keep (:mod:`.slot_grids`).
The first tells more than the second, and is asked first; it shows exchanges of one length alone, so where a third
station recorded and the second tells of clearly more, that is believed. The third tells of each sender apart: who keeps
the slots of what was heard does not wait for the load, and it is left out of what surrounds that sender.
Where neither can tell, because a recording holds one pair of stations and nothing else, the load is unknown
(:mod:`.lone_pairs`).

The load is put back as a sender with the name :data:`.completeness.PUT_BACK`, in every window as much.
"""

from collections.abc import Iterable
from functools import partial
from math import hypot
from statistics import fmean
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation.contention import contention_domain
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.recorded.exchange_sums import PARTS, SUMS
from winf_analyzer._models.saturation.unheard import lone_pairs, unanswered
from winf_analyzer._models.saturation.waits import idle_times, late_repetitions, slot_grids
from winf_analyzer._models.saturation.waits.one_more import Load

MIN_LOAD = 0.03
"""Airtime share that must have been unheard: less changes no answer by more than its interval allows for."""

HEARD = 0.05
"""Share in which the sender that is put back counts as heard: its load is an inference, and weighs in the interval as
one of which nearly everything was put back (:data:`.bounds.MISSED_LOAD`)."""

THIRD_DOUBT = 0.5
"""Standard deviation of a load that idle times show where a third station recorded, as a share of it: what that does
not hear are several stations, whose exchanges are not all as long, and only those that are alike show."""

AGGREGATES_DOUBT = 1.0
"""The same where stations aggregate: few of their exchanges are alike."""

SURELY_MORE = 2.0
"""Standard deviations by which late repetitions must tell of more than idle times do, to be believed instead."""

INPUTS = {
    "times": idle_times.IDLE_TIMES,
    "repetitions": late_repetitions.REPETITIONS,
    "longest": late_repetitions.LONGEST,
}
"""What :class:`Signs` holds."""


class Signs(NamedTuple):
    """What was counted."""

    times: pl.DataFrame
    """By :data:`.idle_times.IDLE_TIMES`."""
    repetitions: pl.DataFrame
    """By :data:`.late_repetitions.REPETITIONS`."""
    longest: pl.DataFrame
    """By :data:`.late_repetitions.LONGEST`."""


def found(
    links: pl.DataFrame,
    signs: Signs,
    simulated: pl.DataFrame,
    media: pl.DataFrame,
    versions: Iterable[tuple[str, str]] = (),
) -> pl.DataFrame:
    """Per `medium` where something shows :data:`.exchange_sums.SUMS` of what was not heard, per nanosecond.

    And `doubt`, the standard deviation of its airtime share.

    Args:
        links: sums per window and link, with :func:`.completeness.with_shares`.
        signs: what was counted.
        simulated: what :func:`.expected_collisions.as_recorded` returns.
        media: `medium source observer`.
        versions: :attr:`.Settings.versions`. Where exchanges are taken out of a recording, or moved, who had waited for
            them waits for nothing that was heard: in a version everything that was changed would seem unheard.
    """
    recordings = _recordings(media, versions)
    # What is not heard of senders that do not hear one another are their own frames, where they overlap.
    overlapping = links.filter(pl.col("unaware") > 0)["medium"].unique()
    recorded = ~pl.col("medium").is_in(recordings["medium"].append(overlapping).implode())
    times = idle_times.enough(signs.times.filter(recorded))
    repetitions = signs.repetitions.filter(recorded)
    observers = dict(media.select("medium", pl.col("observer").cast(pl.String)).iter_rows())
    collided = _collided(simulated, media)
    schema = {"medium": links.schema["medium"], **dict.fromkeys((*SUMS, "doubt"), pl.Float64())}
    schema["deaf"] = pl.List(pl.String())
    lone = lone_pairs.media(links.filter(recorded))
    silent = unanswered.told_by(links.filter(recorded), media)
    telling = _telling(links.filter(recorded), media, [*times, *repetitions["medium"].unique(), *lone, *silent])
    senders = contention_domain.per_sender(telling, contention_domain.WHOLE, by_queue=False)
    told = late_repetitions.told(senders, repetitions, signs.longest, media)
    failing = unanswered.counted(telling, senders, media)
    starts = _by_medium(slot_grids.counted(signs.times.filter(recorded), senders)) if times else {}
    # Tables of each are made of those media that need them: of ten thousand they take a gigabyte.
    asked = [*times, *lone, *(medium for medium, each in told.items() if each.late), *failing, *starts]
    each = senders.filter(pl.col("medium").is_in(asked)).partition_by("medium", as_dict=True)
    loads: dict[Any, Load] = {}
    deaf: dict[Any, list[str]] = {}
    for medium, missed, covered_ns in _known(telling, senders).iter_rows():
        # What is missing of senders that are heard is put back already.
        missed_per_s = missed / covered_ns * 1e9
        # Others' frames that collide are not recorded either, and stations wait for them as well.
        known_per_s = missed_per_s + collided.get(medium, 0.0) / covered_ns * 1e9
        load = None
        if medium in times and (load := idle_times.unheard(each[medium,], times[medium])):
            load = _beyond(load, missed_per_s) if load.per_s > 2 * known_per_s else None
        if load and not observers[medium]:
            apart = AGGREGATES_DOUBT if each[medium,]["aggregates"].any() else THIRD_DOUBT
            load = load._replace(doubt=hypot(load.doubt, apart * load.share))
        if medium in failing:
            # Idle times show only exchanges of one length.
            more = unanswered.unheard(each[medium,], failing[medium])
            load = max(filter(None, (load, more)), key=lambda told: told.share, default=None)
        late = told.get(medium)
        attempts = max(late.of_all, 1.0) if late else 1.0
        known = late_repetitions.KnownMissing(known_per_s, known_per_s * covered_ns / 1e9 / attempts)
        if not load or (late and late.late and not observers[medium]):
            of_medium = partial(each.__getitem__, (medium,))
            more = late_repetitions.unheard(late, of_medium, observers[medium], known)
            if not load or (more and more.share - SURELY_MORE * more.doubt > load.share):
                load = more
        if medium in starts:
            beside = slot_grids.heard(each[medium,], known_per_s, observers[medium])
            shifted = slot_grids.is_asked(starts[medium], beside)
            if load or shifted:
                waits = slot_grids.told(starts[medium], beside)
                more = slot_grids.load(waits, each[medium,], beside) if shifted else None
                load = _both(load, more) if load and more else load or more
                deaf[medium] = slot_grids.deaf(waits, load.share) if load else []
        load = load if load and load.share > MIN_LOAD else None
        if medium in lone and late:
            load = lone_pairs.unknown(load, late, each[medium,], observers[medium], known)
        elif medium in lone:
            load = load or lone_pairs.mostly_missing(each[medium,])
        if load:
            loads[medium] = load
    shown = pl.DataFrame(_put_back_sums(telling, loads, deaf), schema=schema, orient="row")
    of_versions = recordings.join(shown, left_on="recording", right_on="medium")
    return pl.concat([shown, of_versions.select(shown.columns)])


def _known(telling: pl.DataFrame, senders: pl.DataFrame) -> pl.DataFrame:
    """`medium missed covered_ns`, in the order of the links: frames that are missing of senders that are heard."""
    missed = senders.group_by("medium").agg(_missed().alias("missed"), pl.col("covered_ns").first())
    return telling.select("medium").unique(maintain_order=True).join(missed, on="medium", maintain_order="left")


def _put_back_sums(telling: pl.DataFrame, loads: dict[Any, Load], deaf: dict[Any, list[str]]) -> list[dict[str, Any]]:
    sums = telling.filter(pl.col("medium").is_in(list(loads))).group_by("medium", maintain_order=True)
    return [
        {"medium": (medium := total["medium"]), **_sums(total, loads[medium])}
        | {"doubt": loads[medium].doubt, "deaf": deaf.get(medium, [])}
        for total in sums.agg(pl.col(SUMS).sum()).iter_rows(named=True)
    ]


def _beyond(load: Load, missed_per_s: float) -> Load:
    """A load of which frames of senders that are heard are a part: as many as are missing, give or take half."""
    known_share = missed_per_s * load.access_s
    return load._replace(per_s=load.per_s - missed_per_s, doubt=hypot(load.doubt, known_share / 2))


def _both(one: Load, other: Load) -> Load:
    """A load of which two signs tell, which differ by what each presumes."""
    share, doubt = fmean((one.share, other.share)), fmean((one.doubt, other.doubt))
    return one._replace(per_s=share / one.access_s, doubt=hypot(doubt, (one.share - other.share) / 2))


def _by_medium(rows: pl.DataFrame) -> dict[Any, pl.DataFrame]:
    return {medium: of_medium for (medium,), of_medium in rows.partition_by("medium", as_dict=True).items()}


def _telling(links: pl.DataFrame, media: pl.DataFrame, named: list[Any]) -> pl.DataFrame:
    """The links of media whose stations tell something, and of those where little tells that nothing is unheard."""
    accesses = links.group_by("medium").agg(pl.col("accesses").sum())
    third = media.filter(pl.col("observer").is_null()).select("medium").join(accesses, on="medium")
    few = third.filter(pl.col("accesses").is_between(1, late_repetitions.ENOUGH))["medium"]
    return links.filter(pl.col("medium").is_in(named) | pl.col("medium").is_in(few.implode()))


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
    out_of_range = unheard.select("medium", pl.col("deaf").alias("sender")).explode("sender").drop_nulls()
    if out_of_range.height:
        senders = out_of_range.with_columns(pl.col("sender").cast(links.schema["sender"]), is_deaf=pl.lit(value=True))
        links = links.join(senders, on=["medium", "sender"], how="left", maintain_order="left")
        links = links.with_columns(deaf=pl.col("is_deaf").fill_null(value=False)).drop("is_deaf")
    rows = windows.join(unheard.drop("deaf"), on="medium", maintain_order="left").with_columns(
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
        presumed=pl.lit(False),
        voice_agreed=pl.lit(False),
        batch=pl.lit(1.0),
        burst_per_s=pl.lit(0.0),
        txop_limit_ns=pl.lit(0.0),
        unaware=pl.lit(0),
        deaf=pl.lit(False),
        unheard_gap_ns=pl.lit(None),
        at_once=pl.lit(False),
        in_burst=pl.lit(0.0),
        groups_unknown=pl.lit(False),
        queue=pl.lit(0),
    )
    return pl.concat([links, rows.select(pl.col(name).cast(dtype) for name, dtype in links.schema.items())])


def _collided(simulated: pl.DataFrame, media: pl.DataFrame) -> dict[Any, float]:
    """Per medium how many attempts of others than the recorder should have collided."""
    rows = simulated.join(media.select("medium", "observer"), on="medium")
    rows = rows.filter((pl.col("sender") != pl.col("observer")).fill_null(True))
    attempts = ordered_sum(pl.col("accesses") * pl.col("collision").fill_null(0.0))
    return dict(rows.group_by("medium").agg(attempts).iter_rows())


def _missed() -> pl.Expr:
    """Frames that were not recorded, by sequence numbers."""
    return ordered_sum(pl.col("accesses") * (1 / pl.col("heard_share").clip(HEARD) - 1)).fill_null(0.0)


def _sums(total: dict[str, float], load: Load) -> dict[str, float]:
    """:data:`.exchange_sums.SUMS` per nanosecond of single frames, as many as the load has, like those heard."""
    air_ns = (load.access_s - load.aifs_s) * 1e9
    stretched = air_ns / max(total["air_ns"], 1.0)
    with_rts = total["with_rts"] / max(total["accesses"], 1.0)
    each = {name: 0.0 if name in _NOT_PRESUMED else total[name] / max(total["accesses"], 1.0) for name in SUMS}
    each |= dict.fromkeys(("accesses", "attempts", "done", "carried", "heard", "mpdus"), 1.0)
    each |= {"came": HEARD * PARTS / 2, "came_square": HEARD * PARTS**2 / 3}
    each |= {"fresh": HEARD, "fresh_mpdus": HEARD, "whole": 1 - with_rts, "whole_rts": with_rts}
    each |= {"air_ns": air_ns, "carried_air_ns": air_ns}
    each |= {"whole_air_ns": air_ns * (1 - with_rts), "rts_air_ns": air_ns * with_rts}
    each["first_ns"] = total["first_ns"] * stretched if with_rts < 0.5 else each["first_ns"]
    return {name: value * load.per_s / 1e9 for name, value in each.items()}


_NOT_PRESUMED = {
    *("failed", "alone_failed", "quiet_failed", "answered_failed", "retries", "rts_retries", "acked", "unheard_before"),
    *("waited", "alone", "quiet", "answered", "unheard", "silent", "silent_numbered", "advanced", "advanced_heard"),
    *("gaps", "gap_ticks", "gap_square", "answers", "answers_off", "to_groups", "to_groups_air_ns"),
    *("groups_first", "groups_soon", "groups_behind", "rts_unheard", "silent_behind"),
    *("behind_other", "soon_behind_other", "long_idle_ns"),
    *("open", "open_bytes", "open_us", "open_bytes_us", "open_square"),
    *(
        "aggregating",
        "voice",
        "in_aggregates",
        "sent_mpdus",
        "continued",
        "fragments",
        "continued_rts",
        "trailers",
        "trailer_ns",
        "txop_ns",
        "declared_txop_ns",
    ),
}
"""Of :data:`.exchange_sums.SUMS` those that stay 0, since nothing tells what they were."""
