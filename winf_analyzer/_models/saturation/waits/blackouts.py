"""Time in which something that is no Wi-Fi holds the medium: stations fall silent at once, and then all have packets.

A microwave oven is on for half of each period of the mains, and stations that sense its energy wait (10.3.2.1). A
recording shows no frame then, as where nobody has a packet. But during a silence that was forced packets come all the
same, and behind it several stations contend. Stations that have nothing to do with one another do not: behind a
silence in which nobody had a packet the access of another station follows no sooner than at any time. So of silences
that are longer than any exchange (of frames that collide nothing is decoded) and of short ones it is counted how often
the access behind the first is one of a station that had no part in that, and comes within its backoff.

With a share f of the long ones, f0 of the short ones, and F of those behind which packets of others wait for sure, a
share (f - f0)/(F - f0) of the long ones was forced. They last as long as they seem, less the time in which nobody
had a packet, once on the average. That share of the time is not there for anybody: loads are what comes in the rest.
Accesses behind frames to groups are not counted: stations that save power wake behind a beacon, all at once.

Cameras and schedules send at equal intervals, and where their phases are less than a backoff apart the one follows the
other behind every silence, though neither waited. They do so in one order. Of two stations that both wait either is
first as often as the other, since their backoffs are drawn alike, and of categories with shorter ones
:data:`ONE_SIDED` times as often at most. What one order has beyond that was not forced.
"""

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.exchange_columns import nanoseconds, ordered_sum, quotient
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.waits import late_repetitions

SHORT_NS, LONG_NS = 3_000_000, 7_000_000
"""Silences shorter than the first are those of little traffic; of those longer than the second none is a collision of
PPDUs of 5.484 ms (:data:`.ampdu.PPDU_MAX_NS`)."""

DSSS_LONG_NS = 18_000_000
"""The same where frames at 1 Mb/s last 10 ms and more."""

STEP_NS = 1_000_000

LONGEST_NS = 64_000_000
"""Of a longer silence nothing is counted: a driver, or a source, paused."""

MIN_LONG, MIN_SHORT = 20, 30
"""Fewest silences of each kind by which it is told."""

SURE = 6.0
"""Standard deviations by which accesses of others must follow more often behind long silences."""

MORE = 0.15
"""By how much more often."""

FOLLOWS = 0.6
"""Share of the silences with packets of others behind which one of these is next: else one more of the first."""

ONE_SIDED = 5
"""How many times as often one of two stations that wait is first, at most: video, with AIFS of 2 slots and backoffs of
0 to 7, comes before data, with 3 and 0 to 15, in 100 of 128 cases and behind it in 21 (EDCA, table 9-155)."""

BY_CHANCE = 4
"""How often it may be first besides, where there are few of either."""

DOUBT = 0.15
"""Standard deviation of the time that is blocked, as a share of it."""

MAX_SHARE = 0.9
"""Share of a window that is blocked, at most."""

CELL_NS = 10_000_000
"""Parts of the time in which long silences are counted, to be added up in any windows."""

_KEYS = ("medium", "cell", "step", "first", "next")
VALUES = ("blocked", "blocked_doubt", "blackouts_per_s")
"""What :func:`found` says of a window."""


def _counts(chunk: Chunk) -> pl.DataFrame:
    """Accesses by how long the medium was silent before the one before them."""
    names = ("medium", "sender", "receiver", "unicast", "end_ns", "t_difs", "cw_min", "t_slot")
    rows = chunk.rows.select(*names, idle_ns=nanoseconds("idle_before_us"), is_kept=pl.lit(value=False))
    if _counts in chunk.state:
        rows = pl.concat([chunk.state[_counts], rows]).sort("medium", maintain_order=True)
    is_last = (pl.col("medium") != pl.col("medium").shift(-1)).fill_null(value=True)
    chunk.state[_counts] = rows.filter(is_last).with_columns(is_kept=True)
    # Rows of a medium stand together.
    before = {name: pl.col(name).shift() for name in rows.columns}
    follows = pl.col("medium") == before["medium"]
    other = (pl.col("sender") != before["sender"]) & (pl.col("sender") != before["receiver"]) & before["unicast"]
    other &= follows & pl.col("unicast") & ~completeness.is_traced()
    backoff_ns = pl.col("t_difs") + pl.col("cw_min") * pl.col("t_slot")
    found_idle = follows & before["unicast"] & (before["idle_ns"] > backoff_ns) & (before["idle_ns"] < LONGEST_NS)
    is_long = found_idle & (before["idle_ns"] >= LONG_NS)
    followed = (other & (pl.col("idle_ns") <= backoff_ns)).fill_null(value=False)
    told = (is_long & followed).fill_null(value=False)
    counted = rows.select(
        "medium",
        "is_kept",
        cell=pl.when(is_long).then(before["end_ns"] // CELL_NS).otherwise(0).fill_null(0),
        first=pl.when(told).then(before["sender"]),
        next=pl.when(told).then("sender"),
        step=pl.when(found_idle).then(before["idle_ns"] // STEP_NS).otherwise(-1).fill_null(-1),
        silent_ns=pl.when(found_idle).then(before["idle_ns"]).otherwise(0).fill_null(0),
        by_others=other.fill_null(value=False),
        followed=followed,
    ).filter(~pl.col("is_kept"))
    sums = pl.col("silent_ns", "by_others", "followed").sum().cast(pl.Int64)
    return counted.group_by(_KEYS).agg(sums, accesses=pl.len().cast(pl.Int64))


COUNTS = Aggregate(_counts, keys=_KEYS)
"""What :func:`found` takes."""


def found(counts: pl.DataFrame, longest: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """Per :data:`WINDOW` in which the medium was blocked `blocked blocked_doubt blackouts_per_s`.

    The share of its time, the standard deviation of that, and how many times it was.

    Args:
        counts: of :data:`COUNTS`.
        longest: of :data:`.late_repetitions.LONGEST`.
        links: sums per tumbling window and link, with `covered_ns`.
    """
    steps = longest.group_by("medium").agg(pl.col("steps").max())
    frame_ns = pl.col("steps").fill_null(0) * late_repetitions.STEP_US * 1000
    dsss = pl.col("steps").fill_null(0) >= late_repetitions.LATEST_STEP
    rows = counts.join(steps, on="medium", how="left").with_columns(
        long=pl.col("step") * STEP_NS
        >= pl.when(dsss).then(DSSS_LONG_NS).otherwise(pl.max_horizontal(LONG_NS, frame_ns + STEP_NS)),
        short=pl.col("step").is_between(0, SHORT_NS // STEP_NS - 1),
    )
    covered = links.select(*WINDOW, "covered_ns").unique()
    told = _told(rows, _in_one_order(rows.filter("long")), covered.group_by("medium").agg(pl.col("covered_ns").sum()))
    if told.is_empty():
        return covered.clear().select(*WINDOW, **dict.fromkeys(VALUES, pl.lit(0.0)))
    long = rows.filter("long").select("medium", "silent_ns", "accesses", at_ns=pl.col("cell") * CELL_NS)
    starts = covered.sort("window_start_ns")
    long = long.sort("at_ns").join_asof(
        starts, left_on="at_ns", right_on="window_start_ns", by="medium", coalesce=False, check_sortedness=False
    )
    # A cell that a window begins in is the first of its own.
    windows = long.drop_nulls("window_start_ns").group_by(WINDOW).agg(pl.col("silent_ns", "accesses").sum())
    windows = windows.join(covered, on=WINDOW).join(told, on="medium")
    blocked_ns = pl.col("forced") * (pl.col("silent_ns") - pl.col("accesses") * pl.col("between_ns")).clip(0)
    share = quotient(blocked_ns, pl.col("covered_ns")).clip(0, MAX_SHARE)
    # Of how many of them were forced nothing is known but by their own count.
    unsure = (DOUBT**2 + ((1 - pl.col("forced")) / 2) ** 2).sqrt()
    return windows.filter(share > 0).select(
        *WINDOW,
        blocked=share,
        blocked_doubt=share * unsure,
        blackouts_per_s=quotient(pl.col("forced") * pl.col("accesses") * 1e9, pl.col("covered_ns")),
    )


def _in_one_order(long: pl.DataFrame) -> pl.DataFrame:
    """`medium in_order`: how often one station followed another behind silences more often than two that wait do."""
    pairs = long.drop_nulls(["first", "next"]).group_by("medium", "first", "next").agg(pl.col("followed").sum())
    turned = pairs.select("medium", first="next", next="first", turned="followed")
    pairs = pairs.join(turned, on=["medium", "first", "next"], how="left")
    beyond = pl.col("followed") - ONE_SIDED * pl.col("turned").fill_null(0) - BY_CHANCE
    return pairs.group_by("medium").agg(in_order=beyond.clip(0).sum())


def _told(rows: pl.DataFrame, in_order: pl.DataFrame, covered: pl.DataFrame) -> pl.DataFrame:
    """`medium forced between_ns`: the share of long silences that were forced; how long nobody has a packet."""

    def of(kind: str, name: str) -> pl.Expr:
        return pl.col(name).filter(kind).sum().cast(pl.Float64)

    sums = rows.group_by("medium").agg(
        pl.col("accesses", "by_others").sum().cast(pl.Float64),
        **{f"{name}_{kind}": of(kind, name) for kind in ("long", "short") for name in ("accesses", "followed")},
        silent_long=of("long", "silent_ns"),
    )
    sums = sums.filter(pl.col("accesses_long") >= MIN_LONG, pl.col("accesses_short") >= MIN_SHORT)
    left_ns = (pl.col("covered_ns") - pl.col("silent_long")).clip(1)
    sums = sums.join(covered, on="medium").join(in_order, on="medium", how="left")
    sums = sums.with_columns(
        usual=(pl.col("followed_short") + 1) / (pl.col("accesses_short") + 2),
        seen=(pl.col("followed_long") - pl.col("in_order").fill_null(0)) / pl.col("accesses_long"),
        between_ns=left_ns / pl.col("accesses").clip(1),
        # Packets come at all times, those of the silences as well.
        waiting=pl.col("by_others") / pl.col("covered_ns") * pl.col("silent_long") / pl.col("accesses_long"),
    )
    usual, seen = pl.col("usual"), pl.col("seen")
    chance = (usual * (1 - usual) / pl.col("accesses_long")).sqrt()
    surely = pl.max_horizontal(FOLLOWS * (1 - (-pl.col("waiting")).exp()), usual + MORE)
    forced = ((seen - usual) / (surely - usual)).clip(0, 1)
    sums = sums.filter(seen - usual > MORE, seen - usual > SURE * chance)
    return sums.select("medium", "between_ns", forced=forced)


def in_windows(blocked: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """What :func:`found` returns of tumbling windows for those of `links`, which overlap: the mean of all."""
    means = blocked.group_by("medium").agg(ordered_sum(pl.col(VALUES)) / pl.len())
    return links.select(WINDOW).unique().join(means, on="medium")


def without(links: pl.DataFrame, blocked: pl.DataFrame) -> pl.DataFrame:
    """`links` whose windows are as long as the medium was not blocked."""
    if blocked.is_empty():
        return links
    rows = links.join(blocked.select(*WINDOW, "blocked"), on=WINDOW, how="left", maintain_order="left")
    left_ns = pl.col("covered_ns") * (1 - pl.col("blocked").fill_null(0.0))
    return rows.with_columns(left_ns.round().cast(links.schema["covered_ns"]).alias("covered_ns")).drop("blocked")
