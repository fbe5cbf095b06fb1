"""Frames to groups, beacons above all: none is sent again, and many are sent without a backoff.

An access point may send its beacons as soon as the medium has been idle for PIFS. Those that come during an exchange
all go in the slot behind it, before anybody who waits for a longer AIFS: they meet one another there, and no data, and
what they take of the others is time alone. Which senders do so shows by when their frames start after the medium fell
idle.
"""

from collections.abc import Sequence

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._models.saturation.recorded.stations import COARSE

MIN_SOON = 3.0
"""Fewest frames to groups of a sender that started soon after the medium fell idle; of less, those of all senders tell,
if they are as many."""

MAX_BEHIND = 0.95
"""Share of a sender's frames to groups that go SIFS behind another at most: some frame begins each burst."""


def told(links: pl.DataFrame) -> pl.DataFrame:
    """Sums per window and link with `at_once`: frames to groups of their sender go without a backoff.

    More than half of those that start soon do so in the first slot. With the shortest window of an access category,
    AIFSN 1 and CWmin 3, it would be a quarter; what finds the medium idle starts at any time. `in_burst`: the share of
    all that go SIFS behind another. `groups_unknown`: too few start soon, or stamps are coarse; then they are presumed
    to go without a backoff, and the interval has the other reading.

    Args:
        links: with :func:`.completeness.with_shares`.
    """
    if not (links["to_groups"] > 0).any():
        return links
    counts = ("groups_first", "groups_soon", "groups_behind", "to_groups", "answers", "answers_off")
    sums = links.group_by("medium", "sender").agg(pl.col(counts).sum())
    of_medium = {name: pl.col(name).sum().over("medium") for name in counts}
    few = pl.col("groups_soon") < MIN_SOON
    first, soon = (pl.when(few).then(of_medium[name]).otherwise(name) for name in ("groups_first", "groups_soon"))
    unknown = (of_medium["groups_soon"] < MIN_SOON) | (of_medium["answers_off"] > COARSE * of_medium["answers"])
    behind = (pl.col("groups_behind") / pl.col("to_groups").clip(1)).clip(0, MAX_BEHIND)
    found = sums.select(
        "medium", "sender", at_once=unknown | (2 * first > soon), in_burst=behind, groups_unknown=unknown
    )
    return links.drop("at_once", "in_burst", "groups_unknown").join(
        found, on=["medium", "sender"], how="left", nulls_equal=True, maintain_order="left"
    )


def has_backoff() -> pl.Expr:
    """Whether a station counts slots down, by the `window` that :func:`.stations.costs` gives it."""
    return pl.col("window") > 1


def repeated() -> pl.Expr:
    """Share of a sender's accesses that it repeats if they fail."""
    return 1 - (pl.col("to_groups") / pl.col("accesses").clip(1)).clip(0, 1)


def in_bursts(senders: pl.DataFrame, window: Sequence[str]) -> pl.DataFrame:
    """Senders of each `window`, of which those without a backoff send whole bursts.

    The BSSIDs of a radio send their beacons one behind the other, and these do not meet. Those that begin a burst take
    the time of the others as well.

    Args:
        senders: with what :func:`.stations.costs` says of them.
        window: their columns that tell windows apart.
    """
    if not (senders["in_burst"] > 0).any():
        return senders
    airtime = pl.when(~has_backoff()).then(pl.col("packets_per_s") * pl.col("access_s"))
    behind = ordered_sum(airtime * pl.col("in_burst")).over(window)
    longer = 1 + behind / ordered_sum(airtime * (1 - pl.col("in_burst"))).over(window)
    longer = longer.fill_nan(1.0)
    begins = {"packets_per_s": 1 - pl.col("in_burst"), "access_s": longer, "first_s": longer}
    return senders.with_columns(
        pl.when(~has_backoff()).then(pl.col(name) * factor).otherwise(name).alias(name)
        for name, factor in begins.items()
    )


def with_backoff(stations: pl.DataFrame, which: pl.Expr | None = None) -> pl.DataFrame:
    """Stations of cases, of which those without a backoff contend as DCF has it, with the subject's window.

    Args:
        stations: of :class:`.contention_domain.Cases`.
        which: of these; default: all.
    """
    without = ~has_backoff()
    if which is not None:
        without &= which
    of_subject = pl.col("window").filter("subject").first().over("case")
    later_s = pl.when(without).then(pl.col("sifs_s") + 2 * pl.col("slot_s") - pl.col("aifs_s")).otherwise(0.0)
    times = (pl.col(name) + later_s for name in ("aifs_s", "access_s", "first_s"))
    return stations.with_columns(*times, window=pl.when(without).then(of_subject).otherwise("window"))
