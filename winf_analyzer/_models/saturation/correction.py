"""Ratio of a Monte Carlo simulation of the stations around a link to their fixed point."""

import polars as pl

from winf_analyzer._aggregate import sort_keys, windows
from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation import capture_effect, contention_domain, dcf_monte_carlo, fixed_point
from winf_analyzer._models.saturation.losses import LossModel

MIN_CARRIED = 50
"""Exchanges a link must have carried to be simulated."""

MIN_AIRTIME = 0.005
"""Share of time that a station must use to count as one that aggregates."""

MAX_LINKS = 32
"""Links of a medium that are simulated, those that carried most: the cost of many stations stays bounded."""

TIES = ("carried", "bits", "air_ns", "attempts")
"""Sums by which the links are ranked that are simulated."""

MAX_STATIONS = 256
"""Stations in a simulation, those with the most airtime."""

LEVELS = 5
"""Windows are simulated together in which the medium is about as busy: from each fifth to the next."""

LIMITS = (0.05, 20.0)
"""Within which a correction is believed."""


def corrections(links: pl.DataFrame, learned: pl.DataFrame, loss_model: LossModel, media: pl.DataFrame) -> pl.DataFrame:
    """`medium window_start_ns sender receiver correction`: simulated over solved, at the mean load of such windows.

    Only links with hidden or aggregating stations around them have one: stations that hear one another and
    send single frames are as independent as the fixed point has it. A recorder's own links are simulated, or those of
    everybody where the recorder is anonymous. `learned`: the sums of tumbling windows, from which mean loads are taken.
    """
    asked = _asked(learned, loss_model, media)
    found = contention_domain.cases(learned.join(_levels(learned), on=WINDOW), loss_model, ("medium", "level"), asked)
    wanted = found.links.join(asked, on=["medium", *windows.LINK])
    stations = _busiest(found.stations).join(wanted.select("case", "first_destroyed", "answered_destroyed"), on="case")
    solved = fixed_point.solve(stations).filter("subject").select("case", solved_per_s="delivered_per_s")
    simulated = dcf_monte_carlo.simulate(
        stations, first_destroyed=pl.col("first_destroyed"), answered_destroyed=pl.col("answered_destroyed")
    )
    ratio = (pl.col("delivered_per_s") / pl.col("solved_per_s")).clip(*LIMITS)
    both = wanted.join(solved, on="case").join(simulated, on="case").with_columns(correction=ratio)
    found_at = both.select("medium", "level", *windows.LINK, "correction")
    return _levels(links).join(found_at, on=["medium", "level"]).drop("level")


def _levels(links: pl.DataFrame) -> pl.DataFrame:
    busy = quotient(pl.col("air_ns").sum(), pl.col("covered_ns").first()).clip(0, 1)
    return links.group_by(WINDOW).agg(level=(busy * LEVELS).floor().clip(0, LEVELS - 1).cast(pl.Int64))


def _asked(links: pl.DataFrame, loss_model: LossModel, media: pl.DataFrame) -> pl.DataFrame:
    """The links that are simulated: `medium sender receiver first_destroyed answered_destroyed`."""
    carried = links.group_by("medium", *windows.LINK).agg(pl.col(TIES).sum())
    carried = carried.join(media.select("medium", "observer"), on="medium")
    mine = pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender"))
    carried = carried.filter(mine, pl.col("carried") >= MIN_CARRIED)
    # Only links that are alike in all of these are told apart by their addresses.
    ranked = sort_keys.sort(carried, ("medium", *windows.LINK)).sort(*TIES, descending=True, maintain_order=True)
    most = ranked.group_by("medium", maintain_order=True).head(MAX_LINKS).select("medium", *windows.LINK)
    asked, stations = contention_domain.cases(links, loss_model, contention_domain.WHOLE, most)
    stations = _busiest(stations)
    risky = pl.col("aggregates") & ~pl.col("rts") & (_airtime() > MIN_AIRTIME)
    hidden = pl.col("hidden").any().over("case")
    stations = stations.filter(hidden | risky.any().over("case"), pl.len().over("case") > 1)
    recorded = asked.select(
        "case",
        "attempts",
        "answered",
        unanswered=pl.col("failed") - pl.col("answered_failed"),
        unacknowledged="answered_failed",
    )
    next_to_hidden = stations.filter(hidden)
    survival = capture_effect.chances(next_to_hidden, recorded) if next_to_hidden.height else None
    kept = asked.join(stations.select("case").unique(), on="case").select("case", "medium", *windows.LINK)
    if survival is None:
        return kept.select("medium", *windows.LINK, first_destroyed=pl.lit(1.0), answered_destroyed=pl.lit(1.0))
    kept = kept.join(survival, on="case", how="left")
    return kept.select("medium", *windows.LINK, pl.col("first_destroyed", "answered_destroyed").fill_null(1.0))


def _busiest(stations: pl.DataFrame) -> pl.DataFrame:
    airtime = pl.when("subject").then(float("inf")).otherwise(_airtime())
    return stations.filter(airtime.rank("ordinal", descending=True).over("case") <= MAX_STATIONS)


def _airtime() -> pl.Expr:
    """Share of time that a station uses, roughly."""
    return pl.col("packets_per_s") * (pl.col("access_s") + pl.col("packet_s"))
