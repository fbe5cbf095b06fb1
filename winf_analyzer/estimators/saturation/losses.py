"""Why attempts failed: a lossy link, or a collision; and how many collisions destroy what collides."""

from typing import NamedTuple

import polars as pl

from winf_analyzer.estimators import windows
from winf_analyzer.estimators.medium import WINDOW
from winf_analyzer.estimators.saturation import fixed_point

PRIOR_COLLISIONS = 3.0
"""Collisions, all of them destructive, that are presumed before the first is seen."""


class Fate(NamedTuple):
    """What becomes of attempts."""

    links: pl.DataFrame
    """`medium sender receiver loss`: chance that the channel loses an attempt that nothing collides with."""
    media: pl.DataFrame
    """`medium vulnerable`: chance that a collision destroys an attempt; less than 1 where the stronger is captured."""


def fate(links: pl.DataFrame, senders: pl.DataFrame) -> Fate:
    """Over whole recordings, from the sums per window and link, and per window and sender.

    Who sends on a medium that was idle for longer than AIFS and CWmin slots collides only with a station that starts
    in the same slot by chance, which others do `accesses x slot / idle time` times. What fails more often than that
    was lost. What fails otherwise is held against the collisions that the model of :mod:`.fixed_point` expects at the
    recorded load. Others show failures by their retries, unless they use RTS.
    """
    lost = _losses(links, senders)
    return Fate(lost, _vulnerable(links, senders, lost))


def _losses(links: pl.DataFrame, senders: pl.DataFrame) -> pl.DataFrame:
    per_medium = senders.group_by("medium").agg(
        pl.col("accesses", "air_ns").sum(),
        slot_ns=pl.col("slot_ns").sum() / pl.col("accesses").sum(),
        covered_ns=pl.col("covered_ns").unique().sum(),
    )
    covered = senders.select(*WINDOW, "covered_ns").unique().group_by("medium").agg(pl.col("covered_ns").sum())
    idle_ns = (pl.col("covered_ns") - pl.col("air_ns")).clip(1)
    own = links.group_by("medium", *windows.LINK).agg(pl.col("quiet", "quiet_failed", "accesses").sum())
    both = own.join(per_medium.drop("covered_ns").join(covered, on="medium"), on="medium", suffix="_all")
    chance = ((pl.col("accesses_all") - pl.col("accesses")) * pl.col("slot_ns") / idle_ns).clip(0, 0.5)
    observed = pl.col("quiet_failed") / pl.col("quiet").clip(1)
    return both.select("medium", *windows.LINK, loss=((observed - chance) / (1 - chance)).clip(0, 0.95))


def _vulnerable(links: pl.DataFrame, senders: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """Failures beyond loss over collisions expected, of all stations together."""
    cases = senders.select(WINDOW).unique().with_row_index("case")
    stations = senders.join(cases, on=WINDOW).with_columns(
        subject=pl.lit(False), loss=pl.lit(0.0), vulnerable=pl.lit(1.0), window_max=pl.lit(1024.0)
    )
    keyed = stations.with_columns(pl.col("case").cast(pl.Int64))
    solved = fixed_point.solve(
        stations.select(*(pl.col(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items()), "sender")
    ).select("case", "sender", "collision")
    expected = keyed.join(solved, on=["case", "sender"], nulls_equal=True).select(*WINDOW, "sender", "collision")
    own = links.join(lost, on=["medium", *windows.LINK], how="left", nulls_equal=True)
    own = own.group_by(*WINDOW, "sender").agg(
        pl.col("accesses", "quiet", "busy_failed", "retries", "with_rts").sum(),
        lost=((pl.col("accesses") - pl.col("quiet")) * pl.col("loss").fill_null(0)).sum(),
    )
    rows = own.join(expected, on=[*WINDOW, "sender"], nulls_equal=True)
    seen = pl.when(pl.col("with_rts") == 0).then(pl.max_horizontal("busy_failed", "retries")).otherwise("busy_failed")
    failures = (seen - pl.col("lost")).sum().clip(0)
    shown = pl.when((pl.col("with_rts") == 0) | (pl.col("busy_failed") > 0)).then(pl.col("accesses") * pl.col("collision"))
    collisions = shown.sum() + PRIOR_COLLISIONS
    return rows.group_by("medium").agg(vulnerable=((failures + PRIOR_COLLISIONS) / collisions).clip(0, 1))
