"""Why attempts failed, over a whole recording: a lossy link, or a collision; and how many collisions destroy.

Three rates have to be told apart, and each shows best somewhere else.

*Loss.* Who starts on a medium that was idle for long (:data:`.stations.QUIET_WINDOWS`) collides only with a station
that starts in the same slot by chance, which the others do `accesses x slot / idle time` times. What fails more often
was lost. Where hardly any attempt is that quiet, the data lost after a CTS was lost on the channel. Where neither
shows anything, no loss is assumed.

*Collisions.* How many there should have been follows from the fixed point at the recorded load. Its arrivals are
random; where fewer accesses had to wait than the medium was busy, arrivals avoid one another, as equal intervals do,
and so do accesses.

*Capture.* Failures beyond loss over collisions expected: of two frames that collide, the stronger may survive. The
recorder knows its own failures; others show theirs by the retry bit, unless they send RTS, which has none.
"""

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
"""Attempts, none of them lost, that are presumed before the first is seen."""

OVERLOAD = 0.1
"""Share of attempts that collide from which backoffs are so long that a quiet medium proves nothing."""

SIGNIFICANT = 2.0
"""Standard deviations of the number that fails by chance, from which on failures mean loss."""


class Fate(NamedTuple):
    """What becomes of attempts."""

    links: pl.DataFrame
    """`medium sender receiver loss`: chance that the channel loses an attempt that nothing collides with."""
    senders: pl.DataFrame
    """`medium sender vulnerable answered`: chance that a collision destroys an attempt; and the part of what was
    destroyed that had got a CTS, where RTS were sent."""


def fate(links: pl.DataFrame, senders: pl.DataFrame, media: pl.DataFrame) -> Fate:
    """From the sums per window and link, and those with costs per window and sender."""
    expected = _expected(senders)
    lost = _losses(links, expected)
    return Fate(lost, _captures(links, lost, expected, media))


def _expected(senders: pl.DataFrame) -> pl.DataFrame:
    """Per `medium sender`: `collisions` by the model, their `share` of its attempts, and `chance`.

    The last is that of a start in the same slot on a quiet medium.
    """
    typed = [fixed_point.sane(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items() if name not in _PLAIN]
    cases = senders.select(WINDOW).unique().with_row_index("case")
    stations = senders.join(cases, on=WINDOW).with_columns(**_PLAIN)
    kept = ["medium", "sender", "accesses", "waited", "air_ns", "slot_ns", "covered_ns"]
    solved = fixed_point.solve(stations.with_columns(pl.col("case").cast(pl.Int64)).select(*typed, *_PLAIN, *kept))
    collided = (pl.col("accesses") * pl.col("collision")).sum()
    rows = solved.group_by("medium", "sender").agg(
        pl.col("accesses", "waited", "air_ns", "slot_ns").sum(), collided=collided
    )
    covered = senders.select(*WINDOW, "covered_ns").unique().group_by("medium").agg(pl.col("covered_ns").sum())
    rows = rows.join(covered, on="medium").with_columns(
        busy_ns=pl.col("air_ns").sum().over("medium"),
        slot_ns=pl.col("slot_ns").sum().over("medium") / pl.col("accesses").sum().over("medium").clip(1),
        others=pl.col("accesses").sum().over("medium") - pl.col("accesses"),
        others_waited=pl.col("waited").sum().over("medium") - pl.col("waited"),
    )
    busy = (pl.col("busy_ns") / pl.col("covered_ns")).clip(0.01, 1)
    own_random = (pl.col("waited") / pl.col("accesses").clip(1) / busy).clip(0, 1)
    others_random = (pl.col("others_waited") / pl.col("others").clip(1) / busy).clip(0, 1)
    idle_ns = (pl.col("covered_ns") - pl.col("busy_ns")).clip(1)
    return rows.select(
        "medium",
        "sender",
        collisions=pl.col("collided") * own_random * others_random,
        share=pl.col("collided") / pl.col("accesses").clip(1),
        chance=(pl.col("others") * pl.col("slot_ns") / idle_ns).clip(0, 0.5),
    )


_PLAIN = {"subject": pl.lit(False), "loss": pl.lit(0.0), "vulnerable": pl.lit(1.0)}
"""Stations as recorded: none backlogged on purpose, every collision destructive."""


def _losses(links: pl.DataFrame, expected: pl.DataFrame) -> pl.DataFrame:
    sums = links.group_by("medium", *windows.LINK).agg(
        pl.col("quiet", "quiet_failed", "answered", "answered_failed").sum()
    )
    rows = sums.join(expected, on=["medium", "sender"], how="left", nulls_equal=True)
    by_chance = pl.col("chance") * pl.col("quiet")
    beyond = pl.col("quiet_failed") - by_chance
    with_rts = pl.col("answered") > 0
    shown = (beyond > SIGNIFICANT * by_chance.clip(0.25).sqrt()) & (with_rts | (pl.col("share") < OVERLOAD))
    quiet = pl.when(shown).then(beyond / (pl.col("quiet") + QUIET_PRIOR)).otherwise(0.0)
    answered = pl.col("answered_failed") / (pl.col("answered") + QUIET_PRIOR)
    loss = pl.when(with_rts & (pl.col("quiet") < QUIET_ENOUGH)).then(answered).otherwise(quiet)
    return rows.select("medium", *windows.LINK, loss=loss.fill_null(0.0).clip(0, 0.95))


def _captures(links: pl.DataFrame, lost: pl.DataFrame, expected: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """Of each sender, drawn towards the mean of the medium."""
    rows = expected.join(_seen(links, lost), on=["medium", "sender"], nulls_equal=True)
    rows = rows.join(media.select("medium", "observer"), on="medium")
    own = pl.col("observer").is_null() | (pl.col("sender") == pl.col("observer")).fill_null(False)
    by_retries = pl.when(pl.col("with_rts") * 2 < pl.col("accesses")).then("retries")
    failures = (pl.when(own).then("busy_failed").otherwise(by_retries) - pl.col("lost")).clip(0)
    rows = rows.with_columns(failures=failures)
    rows = rows.with_columns(collisions=pl.when(pl.col("failures").is_not_null()).then("collisions"))
    total = pl.col("failures", "collisions").sum().over("medium").name.suffix("_all")
    rows = rows.with_columns(total)
    mean = (pl.col("failures_all") + PRIOR_COLLISIONS) / (pl.col("collisions_all") + PRIOR_COLLISIONS)
    share = (pl.col("failures").fill_null(0) + PRIOR_COLLISIONS * mean) / (
        pl.col("collisions").fill_null(0) + PRIOR_COLLISIONS
    )
    after_cts = (pl.col("answered_failed") - pl.col("answered_lost")).clip(0).filter(own).sum().over("medium")
    all_failed = pl.col("busy_failed").filter(own).sum().over("medium")
    return rows.select(
        "medium",
        "sender",
        vulnerable=(EXPECTED_WITHIN * share).clip(0, 1),
        answered=(after_cts / (all_failed + PRIOR_COLLISIONS)).clip(0, 1),
    )


def _seen(links: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """Per `medium sender`: accesses, failures of those that waited, retries, and how many of them loss explains."""
    rows = links.join(lost, on=["medium", *windows.LINK], how="left", nulls_equal=True)
    loss = pl.col("loss").fill_null(0)
    return rows.group_by("medium", "sender").agg(
        pl.col("accesses", "busy_failed", "retries", "with_rts", "answered_failed").sum(),
        answered_lost=(pl.col("answered") * loss).sum(),
        lost=((pl.col("accesses") - pl.col("quiet")) * loss).sum(),
    )
