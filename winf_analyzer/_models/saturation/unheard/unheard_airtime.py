"""How long the exchanges of a station take of which only the answers are heard, from how closely these follow.

A station that has more to send begins AIFS and a whole number of slots after the exchange before. Of its frame nothing
is heard, so that from the end of one answer to the begin of the next it is

    AIFS + k slots + T + SIFS

with k from 0 on. What waited fills the slots of a contention window from the shortest of these gaps on, many times as
densely as packets that come at any time. Then the shortest gap and the answer are what an access takes, whatever the
rate of the frame was. Without such a crowd of gaps nothing is told, and the station is taken to send what the link
sends. So it is where stamps are too coarse to measure gaps.
"""

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation.recorded.stations import COARSE

TICK_NS = 10_000
"""Gaps are counted in ticks of half a slot of 802.11b, or one of others."""

LONGEST_TICKS = 3000
"""Longer gaps hold no single frame."""

WITHIN_TICKS = 32
"""Half a contention window of 802.11b, or two of 802.11a: in as many ticks from the shortest gap on it is counted."""

MIN_GAPS = 20
"""Fewest gaps in there."""

DENSER = 3.0
"""How many times as many they must be as in as much time among the others."""

FIRST = 2
"""Of the shortest gaps as many may be wrong: the tick counts that has this many, or more, up to it."""

BUSIEST = 0.85
"""Airtime share of all that is told, at most: of packets at equal intervals the gaps fill all of the time."""

ONE_TICK = 0.5
"""Share of the gaps of the crowd that one tick may hold: backoffs spread over slots, equal intervals do not."""

_KEYS = ("medium", "sender", "tick")


def _gaps(chunk: Chunk) -> pl.DataFrame:
    """Gaps between the answers to stations whose data is not heard, one right behind another."""
    unheard = ~pl.col("heard_data").fill_null(True) & (pl.col("kind") == "basic")
    times = pl.col("air_start_ns", "end_ns")
    rows = chunk.rows.select("medium", "sender", times, unheard=unheard, carried=pl.lit(value=False))
    if _gaps in chunk.state:
        rows = pl.concat([chunk.state[_gaps], rows])
    if not rows["unheard"].any():  # as in most recordings
        chunk.state.pop(_gaps, None)
        return rows.clear().select("medium", "sender", tick=pl.lit(0, pl.Int64), gaps=pl.lit(0, pl.Int64))
    last = rows.unique("medium", keep="last", maintain_order=True).filter("unheard")
    chunk.state[_gaps] = last.with_columns(carried=pl.lit(value=True))
    follows = pl.col("unheard") & pl.col("unheard").shift().over("medium") & ~pl.col("carried")
    rows = rows.with_columns(tick=(pl.col("air_start_ns") - pl.col("end_ns").shift().over("medium")) // TICK_NS)
    found = rows.filter(follows.fill_null(False), pl.col("tick").is_between(1, LONGEST_TICKS))
    return found.group_by(_KEYS).agg(gaps=pl.len().cast(pl.Int64))


GAPS = Aggregate(_gaps, keys=_KEYS)
"""What :func:`told` takes."""


def told(links: pl.DataFrame, gaps: pl.DataFrame) -> pl.DataFrame:
    """`links` with `unheard_gap_ns`: from the end of one answer to the next at least, AIFS included; null if unknown.

    Args:
        links: sums per window and link, with :func:`.completeness.with_shares`.
        gaps: of :data:`GAPS`.
    """
    keys = ["medium", "sender"]
    gaps = gaps.sort(*_KEYS).with_columns(until=pl.col("gaps").cum_sum().over(keys))
    rows = gaps.with_columns(first=pl.col("tick").filter(pl.col("until") > FIRST).min().over(keys))
    beyond = pl.col("tick") - pl.col("first") - WITHIN_TICKS
    later = pl.col("gaps").filter(beyond > 0)
    within = pl.col("gaps").filter(beyond <= 0, pl.col("tick") >= pl.col("first"))
    sums = rows.group_by(keys).agg(
        pl.col("first").first(),
        crowd=within.sum(),
        most=within.max(),
        later=later.sum(),
        beyond=(later * beyond.filter(beyond > 0)).sum(),
    )
    # Packets that come at any time have gaps of an exponential distribution.
    at_any_time = pl.col("later") ** 2 * WITHIN_TICKS / pl.col("beyond").clip(1)
    sure = (pl.col("crowd") >= MIN_GAPS) & (pl.col("crowd") > DENSER * at_any_time)
    sure &= pl.col("most") <= ONE_TICK * pl.col("crowd")
    # On a clock that is off by tens of microseconds the shortest gaps are those that seem shorter than they were.
    coarse = links.filter(pl.col("answer_off") > COARSE)["medium"].unique()
    sure &= ~pl.col("medium").is_in(coarse.implode())
    found = sums.filter(sure).select(*keys, unheard_gap_ns=(pl.col("first") * TICK_NS).cast(pl.Float64))
    links = links.drop("unheard_gap_ns", strict=False)
    covered = links.select(*WINDOW, "covered_ns").unique().group_by("medium").agg(pl.col("covered_ns").sum())
    exchanges = links.group_by(keys).agg(pl.col("unheard").sum())
    used = found.join(exchanges, on=keys, nulls_equal=True).join(covered, on="medium")
    used_ns = ordered_sum(pl.col("unheard_gap_ns") * pl.col("unheard"))
    fits = used.group_by("medium").agg(fits=used_ns <= BUSIEST * pl.col("covered_ns").first()).filter("fits")
    found = found.join(fits, on="medium", how="semi")
    return links.join(found, on=keys, how="left", nulls_equal=True, maintain_order="left")
