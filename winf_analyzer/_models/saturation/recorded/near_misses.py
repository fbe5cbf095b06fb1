"""Collisions that there were, by accesses that almost were some: packets that pile up meet more often than random ones.

Of stations that waited for the same exchange, two begin in the same slot as often as one begins a slot behind the
other. The former are heard by nobody; the latter are recorded, as accesses that begin a slot or two later than AIFS
behind another station's:

    attempts that collided = (soon / slots - first + at once) w / (w - 3/2)

Packets that came during that exchange begin in each slot alike, behind somebody who did not wait with them: as many as
begin in the `first` slot are in each later one. Among those of the first are some that came within AIFS, while the
medium was idle, and were sent `at once`: as many as come to a medium that has been idle for longer than a window, in
the time by which AIFS is longer than a slot. Two backoffs below w are equal in w cases, each of which makes two
attempts fail, one slot apart in 2 (w - 1), and two in 2 (w - 2).

Where many stations wait, others begin before, and this is too few. Of stations that do not hear each other hardly any
begins so soon behind another: they count down whatever the other sends, and overlap.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.recorded.exchange_sums import NEXT_SLOTS

SURE = 2.0
"""Standard deviations by which they must be more than were expected, and :data:`MORE`."""

MORE = 1.5
"""How many times as many as were simulated they must be: of stations that are nearly saturated the simulation may be
off by as much, and what fails there tells how many collisions destroy."""

MIN_COLLISIONS = 10.0
"""Collisions that near misses must show: a handful of accesses has some by chance, whatever its standard deviation."""

MAX_RATIO = 20.0
"""How many times as many are believed."""

_COUNTS = (
    *("accesses", "waited", "behind_other", "soon_behind_other"),
    *("long_idle_ns", "aifs_ns", "slot_ns", "window_slots"),
)


def counted(expected: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender collided piled_up`: attempts that collided, and those of them beyond what was expected.

    On each medium as many times as many as near misses show, where that is sure.

    Args:
        expected: `medium sender collided` of :func:`.expected_collisions.collided`.
        links: sums per window and link.
    """
    found = expected.join(_of_media(links), on="medium", how="left", maintain_order="left")
    simulated = ordered_sum(pl.col("collided")).over("medium")
    sure = (pl.col("least") > MORE * simulated) & (pl.col("found") >= MIN_COLLISIONS) & (simulated > 0)
    more = pl.when(sure).then(quotient(pl.col("found"), simulated).clip(1, MAX_RATIO)).otherwise(1.0)
    collided = pl.col("collided")
    return found.select("medium", "sender", collided=collided * more, piled_up=collided * (more - 1))


def _of_media(links: pl.DataFrame) -> pl.DataFrame:
    """`medium found least`: attempts that collided, and how many at least."""
    rows = links.filter(~completeness.is_traced()).group_by("medium", "sender").agg(pl.col(_COUNTS).sum())
    accesses, idle_ns = (pl.col(name).sum().over("medium") for name in ("accesses", "long_idle_ns"))
    longer_ns = quotient(pl.col("aifs_ns") - pl.col("slot_ns"), pl.col("accesses").clip(1))
    came_per_ns = quotient(pl.col("accesses") - pl.col("waited"), idle_ns.clip(1))
    rows = rows.with_columns(at_once=(accesses - pl.col("accesses")) * longer_ns * came_per_ns)
    sums = rows.group_by("medium").agg(
        pl.col("accesses", "window_slots").sum(),
        first=pl.col("behind_other").sum(),
        soon=pl.col("soon_behind_other").sum(),
        at_once=ordered_sum(pl.col("at_once")),
    )
    window = quotient(pl.col("window_slots"), pl.col("accesses").clip(1)).clip(2)
    nearer = quotient(window, window - (NEXT_SLOTS + 1) / 2)
    waiting = pl.col("soon") / NEXT_SLOTS - pl.col("first") + pl.min_horizontal("at_once", "first")
    chance = (pl.col("soon") / NEXT_SLOTS**2 + pl.col("first")).sqrt()
    return sums.select("medium", found=nearer * waiting, least=nearer * (waiting - SURE * chance))
