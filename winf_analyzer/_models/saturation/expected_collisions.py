"""How many attempts of each station should have collided, at the load that was recorded.

The fixed point has stations attempt in every idle slot alike, one as independent of another as the next. At light load
most packets find the medium idle and are sent at once, which hardly ever collides; what collides are packets that
came while the medium was busy, and contend after it together. So the stations are simulated as they were recorded, none
of them backlogged, and their collisions counted.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation import completeness, contention_domain, dcf_monte_carlo, fixed_point, load_levels

KEYS = ("medium", "level")
"""Windows of a medium that is about as busy are simulated together."""

_AS_RECORDED = {
    "subject": pl.lit(False),
    "hidden": pl.lit(False),
    "loss": pl.lit(0.0),
    "vulnerable": pl.lit(1.0),
    "count": pl.lit(1.0),
}
"""Stations as recorded: none backlogged, all in range of one another, every collision destructive."""

MAX_STATIONS = 256
"""Stations in a simulation, those with the most airtime; of others nothing is expected."""


def collided(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender collided`: the attempts of each sender that should have collided.

    `links`: sums per window and link, with :func:`.completeness.with_shares`.
    """
    levels = links.join(load_levels.of_windows(links), on=WINDOW)
    senders = contention_domain.per_sender(levels, KEYS)
    rows = senders.select(*KEYS, "sender", "accesses").join(
        shares(senders), on=[*KEYS, "sender"], how="left", nulls_equal=True
    )
    collided = ordered_sum(pl.col("accesses") * pl.col("collision").fill_null(0.0))
    return rows.group_by("medium", "sender").agg(collided=collided)


def shares(senders: pl.DataFrame) -> pl.DataFrame:
    """:data:`KEYS`, `sender`, and `collision`: the share of its attempts that collide where they are simulated."""
    cases = senders.select(KEYS).unique(maintain_order=True).with_row_index("case")
    rows = senders.join(cases, on=KEYS, maintain_order="left").with_columns(
        pl.col("case").cast(pl.Int64),
        unanswered_s="first_s",
        variation=completeness.arrival_variation(),
        **_AS_RECORDED,
    )
    rows = rows.with_columns(fixed_point.sane(name) for name in fixed_point.LIMITS if name in rows.columns)
    airtime = pl.col("packets_per_s") * (pl.col("access_s") + pl.col("packet_s"))
    rows = rows.filter(airtime.rank("min", descending=True).over("case") <= MAX_STATIONS)
    typed = [pl.col(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items()]
    stations = rows.select("sender", *KEYS, *typed, "rts", "hidden", "unanswered_s", "sifs_s", "variation")
    certain = pl.lit(1.0)
    found = dcf_monte_carlo.simulate(
        fixed_point.in_order(stations), first_destroyed=certain, answered_destroyed=certain, backlogged=False
    )
    # Stations that are alike have the same result, whatever their addresses and the order of the rows.
    alike = ["case", *found.select(pl.selectors.numeric() | pl.selectors.boolean()).columns]
    alike = [name for name in dict.fromkeys(alike) if name in stations.columns]
    mean = ordered_sum(pl.col("first_failed")).over(alike) / pl.len().over(alike)
    return found.select(*KEYS, "sender", collision=mean)
