"""By how much a rehearsal of a link's surroundings differs from their fixed point."""

import polars as pl

from winf_analyzer.estimators import windows
from winf_analyzer.estimators.saturation import around, fixed_point, rehearsal
from winf_analyzer.estimators.saturation.losses import Fate

MIN_CARRIED = 50
"""Exchanges a link must have carried to be rehearsed."""

MIN_AIRTIME = 0.005
"""Share of time that a station must use to count as one that aggregates."""

MAX_LINKS = 32
"""Links that are rehearsed, those that carried most: the cost of a recording with many stations stays bounded."""

LIMITS = (0.05, 20.0)
"""Within which a correction is believed."""


def corrections(links: pl.DataFrame, fate: Fate, media: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver correction`: rehearsed over solved, at the mean load of the recording.

    Only links with hidden or aggregating stations around them have one: stations that hear one another and
    send single frames are as independent as the fixed point has it. A recorder's own links are rehearsed, or those of
    everybody where the recorder is anonymous.
    """
    found = around.cases(links, fate, around.WHOLE)
    asked = found.links.join(media.select("medium", "observer"), on="medium")
    mine = pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender"))
    asked = asked.filter(mine, pl.col("carried") >= MIN_CARRIED).top_k(MAX_LINKS, by="carried")
    stations = found.stations.join(asked.select("case"), on="case", how="semi")
    airtime = pl.col("packets_per_s") * (pl.col("access_s") + pl.col("packet_s"))
    risky = pl.col("aggregates") & ~pl.col("rts") & (airtime > MIN_AIRTIME)
    stations = stations.filter((pl.col("hidden").any() | risky.any()).over("case"), pl.len().over("case") > 1)
    solved = fixed_point.solve(stations).filter("subject").select("case", "delivered_per_s")
    failed = dict(asked.select("case", pl.col("failed") / pl.col("attempts").clip(1)).iter_rows())
    rehearsed = pl.DataFrame(
        [(case, _rehearsed(group, failed[case])) for (case,), group in stations.group_by("case", maintain_order=True)],
        schema={"case": pl.Int64, "rehearsed_per_s": pl.Float64},
        orient="row",
    )
    ratio = (pl.col("rehearsed_per_s") / pl.col("delivered_per_s")).clip(*LIMITS)
    both = asked.join(solved, on="case").join(rehearsed, on="case")
    return both.select("medium", *windows.LINK, correction=ratio)


def _rehearsed(stations: pl.DataFrame, failed_share: float) -> float:
    """Packets per second that the subject delivers.

    Next to hidden stations, whether a frame survives one that begins later is found by rehearsing what was recorded
    and comparing the share of attempts that failed.
    """
    rows, hidden = stations.select(fixed_point.STATIONS.names()).fill_null(0).to_dicts(), stations["hidden"].to_list()
    later_destroys = 1.0
    if any(hidden):
        none, every = (
            rehearsal.rehearse(rows, hidden, backlogged=False, later_destroys=chance).failed_share
            for chance in (0.0, 1.0)
        )
        if every > none:
            later_destroys = min(1.0, max(0.0, (failed_share - none) / (every - none)))
    return rehearsal.rehearse(rows, hidden, later_destroys=later_destroys).delivered_per_s
