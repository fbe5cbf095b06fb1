"""Why attempts failed: a lossy link, or a collision; and how many collisions destroy what collides."""

from typing import NamedTuple

import polars as pl

from winf_analyzer.estimators import windows
from winf_analyzer.estimators.medium import WINDOW
from winf_analyzer.estimators.saturation import fixed_point

PRIOR_COLLISIONS = 1.0
"""Collisions, all of them destructive, that are presumed before the first is seen."""

EXPECTED_WITHIN = 1.5
"""Factor to which the number of expected collisions is trusted: only fewer failures than that mean capture."""

QUIET_ENOUGH = 30
"""Attempts on a quiet medium that are enough to tell loss by."""

QUIET_PRIOR = 10.0
"""Attempts on a quiet medium, none of them lost, that are presumed before the first is seen."""


class Fate(NamedTuple):
    """What becomes of attempts."""

    links: pl.DataFrame
    """`medium sender receiver loss`: chance that the channel loses an attempt that nothing collides with."""
    senders: pl.DataFrame
    """`medium sender vulnerable unanswered`: chance that a collision destroys an attempt, less than 1 where the stronger is
    captured; and the part of the destroyed that got no CTS, where RTS were sent."""


def fate(links: pl.DataFrame, senders: pl.DataFrame, media: pl.DataFrame) -> Fate:
    """Over whole recordings, from the sums per window and link, and per window and sender.

    Who sends on a medium that was idle for longer than AIFS and CWmin slots collides only with a station that starts
    in the same slot by chance, which others do `accesses x slot / idle time` times. What fails more often than that
    was lost. What fails otherwise is held against the collisions that the model of :mod:`.fixed_point` expects at the
    recorded load. Others show failures by their retries, unless they use RTS.
    """
    lost = _losses(links, senders)
    return Fate(lost, _vulnerable(links, senders, media, lost))


def _losses(links: pl.DataFrame, senders: pl.DataFrame) -> pl.DataFrame:
    per_medium = senders.group_by("medium").agg(
        pl.col("accesses", "air_ns").sum(),
        slot_ns=pl.col("slot_ns").sum() / pl.col("accesses").sum(),
        covered_ns=pl.col("covered_ns").unique().sum(),
    )
    covered = senders.select(*WINDOW, "covered_ns").unique().group_by("medium").agg(pl.col("covered_ns").sum())
    idle_ns = (pl.col("covered_ns") - pl.col("air_ns")).clip(1)
    own = links.group_by("medium", *windows.LINK).agg(pl.col("quiet", "quiet_failed", "accesses", "answered", "answered_failed").sum())
    both = own.join(per_medium.drop("covered_ns").join(covered, on="medium"), on="medium", suffix="_all")
    chance = ((pl.col("accesses_all") - pl.col("accesses")) * pl.col("slot_ns") / idle_ns).clip(0, 0.5)
    by_chance = chance * pl.col("quiet")
    beyond = pl.col("quiet_failed") - by_chance
    loss = pl.when(beyond > 2 * by_chance.clip(0.25).sqrt()).then(beyond / (pl.col("quiet") + QUIET_PRIOR)).otherwise(0.0)
    # After a CTS nobody in range collides: where the medium is hardly ever quiet, data lost after it was lost.
    answered = pl.col("answered_failed") / (pl.col("answered") + QUIET_PRIOR)
    loss = pl.when((pl.col("quiet") < QUIET_ENOUGH) & (pl.col("answered") > 0)).then(answered).otherwise(loss)
    return both.select("medium", *windows.LINK, loss=loss.clip(0, 0.95))


def _vulnerable(links: pl.DataFrame, senders: pl.DataFrame, media: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """Failures beyond loss over collisions expected, of each sender, drawn towards the mean of the medium."""
    rows = _expected(senders).join(_seen(links, lost), on=["medium", "sender"], nulls_equal=True)
    rows = rows.join(media.select("medium", "observer"), on="medium")
    # The recorder sees all of its own failures; those of others by the retry bit, which an RTS does not carry.
    own = pl.col("observer").is_null() | (pl.col("sender") == pl.col("observer")).fill_null(False)
    by_retries = pl.when(pl.col("with_rts") * 2 < pl.col("accesses")).then("retries")
    failures = (pl.when(own).then("busy_failed").otherwise(by_retries) - pl.col("lost")).clip(0)
    rows = rows.with_columns(failures=failures, collisions=pl.when(failures.is_not_null()).then("collisions"))
    mean = (pl.col("failures").sum().over("medium") + PRIOR_COLLISIONS) / (
        pl.col("collisions").sum().over("medium") + PRIOR_COLLISIONS
    )
    share = (pl.col("failures").fill_null(0) + PRIOR_COLLISIONS * pl.col("mean")) / (
        pl.col("collisions").fill_null(0) + PRIOR_COLLISIONS
    )
    import os
    if os.environ.get("DBG"): print(rows.with_columns(mean=mean).with_columns(share=share))
    return rows.with_columns(mean=mean.clip(0, 1)).select("medium", "sender", vulnerable=(share * EXPECTED_WITHIN).clip(0, 1), unanswered=_unanswered())


def _unanswered() -> pl.Expr:
    """Of the failures of the medium beyond loss that were seen whole, the part without CTS."""
    own = pl.col("observer").is_null() | (pl.col("sender") == pl.col("observer")).fill_null(False)
    after = (pl.col("answered_failed") - pl.col("answered_lost")).clip(0).filter(own).sum().over("medium")
    failures = pl.col("busy_failed").filter(own).sum().over("medium")
    return 1 - (after / (failures + PRIOR_COLLISIONS)).clip(0, 1)


def _expected(senders: pl.DataFrame) -> pl.DataFrame:
    """`medium sender collisions`: how many attempts should have collided, by the model at the recorded load.

    The model's arrivals are random. Where fewer accesses than the busy share of time had to wait, arrivals
    avoid one another (as equal intervals do), and so do accesses.
    """
    cases = senders.select(WINDOW).unique().with_row_index("case")
    stations = senders.join(cases, on=WINDOW).with_columns(
        subject=pl.lit(False), loss=pl.lit(0.0), vulnerable=pl.lit(1.0), window_max=pl.lit(1024.0)
    )
    typed = [pl.col(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items()]
    solved = fixed_point.solve(stations.select(*typed, "medium", "sender", "accesses", "waited", "air_ns", "covered_ns"))
    collisions = (pl.col("accesses") * pl.col("collision")).sum()
    per_sender = solved.group_by("medium", "sender").agg(pl.col("accesses", "waited").sum(), collisions=collisions)
    busy = solved.group_by("medium", "case").agg(pl.col("air_ns").sum(), pl.col("covered_ns").first())
    busy = busy.group_by("medium").agg(busy=(pl.col("air_ns").sum() / pl.col("covered_ns").sum()).clip(0.01, 1))
    others = [(pl.col(name).sum().over("medium") - pl.col(name)) for name in ("waited", "accesses")]
    random = [
        (waited / accesses.clip(1) / pl.col("busy")).clip(0, 1)
        for waited, accesses in (("waited", "accesses"), others)
        for waited, accesses in ((pl.col(waited), pl.col(accesses)) if isinstance(waited, str) else (waited, accesses),)
    ]
    return per_sender.join(busy, on="medium").select(
        "medium", "sender", collisions=pl.col("collisions") * random[0] * random[1]
    )


def _seen(links: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """`medium sender`, accesses, failures of attempts that waited, retries, and how many of them loss explains."""
    own = links.join(lost, on=["medium", *windows.LINK], how="left", nulls_equal=True)
    return own.group_by("medium", "sender").agg(
        pl.col("accesses", "busy_failed", "retries", "with_rts", "answered_failed").sum(),
        answered_lost=(pl.col("answered") * pl.col("loss").fill_null(0)).sum(),
        lost=((pl.col("accesses") - pl.col("quiet")) * pl.col("loss").fill_null(0)).sum(),
    )
