"""Transmissions of which the recorder heard nothing, by the stations that waited for them.

What each medium shows is counted here, for all of them in one go; :mod:`.weighing` says what it comes to.
The load is put back as a sender with the name :data:`.completeness.PUT_BACK`, in every window as much.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation.contention import contention_domain
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.recorded.exchange_sums import PARTS, SUMS
from winf_analyzer._models.saturation.unheard import lone_pairs, unanswered, weighing
from winf_analyzer._models.saturation.waits import idle_times, late_repetitions, slot_grids
from winf_analyzer._models.saturation.waits.one_more import Load

HEARD = 0.05
"""Share in which the sender that is put back counts as heard: its load is an inference, and weighs in the interval as
one of which nearly everything was put back (:data:`.bounds.MISSED_LOAD`)."""

INPUTS = {
    "times": idle_times.IDLE_TIMES,
    "repetitions": late_repetitions.REPETITIONS,
    "longest": late_repetitions.LONGEST,
}
"""What :class:`Counted` holds."""


class Counted(NamedTuple):
    """What was counted."""

    times: pl.DataFrame
    """By :data:`.idle_times.IDLE_TIMES`."""
    repetitions: pl.DataFrame
    """By :data:`.late_repetitions.REPETITIONS`."""
    longest: pl.DataFrame
    """By :data:`.late_repetitions.LONGEST`."""


def found(
    links: pl.DataFrame,
    counted: Counted,
    simulated: pl.DataFrame,
    media: pl.DataFrame,
    versions: Iterable[tuple[str, str]] = (),
) -> pl.DataFrame:
    """Per `medium` where something shows :data:`.exchange_sums.SUMS` of what was not heard, per nanosecond.

    And `doubt`, the standard deviation of its airtime share.

    Args:
        links: sums per window and link, with :func:`.completeness.with_shares`.
        counted: what was counted.
        simulated: what :func:`.expected_collisions.as_recorded` returns.
        media: `medium source observer`.
        versions: :attr:`.Settings.versions`. Where exchanges are taken out of a recording, or moved, who had waited for
            them waits for nothing that was heard: in a version everything that was changed would seem unheard.
    """
    recordings = _recordings(media, versions)
    # What is not heard of senders that do not hear one another are their own frames, where they overlap.
    overlapping = links.filter(pl.col("unaware") > 0)["medium"].unique()
    recorded = ~pl.col("medium").is_in(recordings["medium"].append(overlapping).implode())
    times = idle_times.enough(counted.times.filter(recorded))
    repetitions = counted.repetitions.filter(recorded)
    observers = dict(media.select("medium", pl.col("observer").cast(pl.String)).iter_rows())
    collided = _collided(simulated, media)
    schema = {"medium": links.schema["medium"], **dict.fromkeys((*SUMS, "doubt"), pl.Float64())}
    schema["deaf"] = pl.List(pl.String())
    lone = lone_pairs.media(links.filter(recorded))
    silent = unanswered.told_by(links.filter(recorded), media)
    telling = _telling(links.filter(recorded), media, [*times, *repetitions["medium"].unique(), *lone, *silent])
    senders = contention_domain.per_sender(telling, contention_domain.WHOLE, by_queue=False)
    told = late_repetitions.told(senders, repetitions, counted.longest, media)
    failing = unanswered.counted(telling, senders, media)
    starts = _by_medium(slot_grids.counted(counted.times.filter(recorded), senders)) if times else {}
    # Tables of each are made of those media that need them: of ten thousand they take a gigabyte.
    asked = [*times, *lone, *(medium for medium, each in told.items() if each.late), *failing, *starts]
    each = senders.filter(pl.col("medium").is_in(asked)).partition_by("medium", as_dict=True)
    loads: dict[Any, Load] = {}
    deaf: dict[Any, list[str]] = {}
    for medium, missed, covered_ns in _known(telling, senders).iter_rows():
        shown_by = weighing.Signs(
            senders=partial(each.__getitem__, (medium,)),
            observer=observers[medium],
            covered_ns=covered_ns,
            missed=missed,
            collided=collided.get(medium, 0.0),
            times=times.get(medium),
            failing=failing.get(medium),
            late=told.get(medium),
            starts=starts.get(medium),
            is_lone=medium in lone,
        )
        load, deaf[medium] = weighing.weighed(shown_by)
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
