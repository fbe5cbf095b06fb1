"""How many attempts of each station should have collided, at the load that was recorded, and what it sent together.

The fixed point has stations attempt in every idle slot alike, one as independent of another as the next. At light load
most packets find the medium idle and are sent at once, which hardly ever collides; what collides are packets that
came while the medium was busy, and contend after it together. So the stations are simulated as they were recorded, none
of them backlogged, and their collisions counted, and the packets of each access: those that came meanwhile. Where
packets of several stations come at once more collide, as :mod:`.near_misses` tells.
"""

import polars as pl

from winf_analyzer._aggregate import sort_keys
from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation.contention import contention_domain
from winf_analyzer._models.saturation.contention.contention_domain import TIES
from winf_analyzer._models.saturation.recorded import completeness, to_groups
from winf_analyzer._models.saturation.solvers import dcf_monte_carlo, fixed_point

KEYS = ("medium", "level")
"""Windows of a medium that is about as busy are simulated together."""

_AS_RECORDED = {
    "subject": pl.lit(False),
    "hidden": pl.lit(False),
    "loss": pl.lit(0.0),
    "rts_loss": pl.lit(0.0),
    "vulnerable": to_groups.repeated(),
    "count": pl.lit(1.0),
}
"""Stations as recorded: none backlogged, all in range of one another, every collision destructive, but frames to groups
are not repeated."""

MAX_STATIONS = 256
"""Stations in a simulation, those with the most airtime; of others nothing is expected. Where somebody floods the air
with made-up addresses all have the same airtime: their number is no larger then."""


LEVELS = 5
"""Levels of load: from each fifth of the time in use to the next."""


def load_levels(links: pl.DataFrame) -> pl.DataFrame:
    """`medium window_start_ns level`, from sums per window and link.

    An exchange of which the answer alone was heard counts as long as one that was heard.
    """
    sums = links.group_by(WINDOW).agg(pl.col("air_ns", "done", "unheard").sum(), pl.col("covered_ns").first())
    heard = (pl.col("done") - pl.col("unheard")).clip(0).sum().over("medium")
    each_ns = quotient(pl.col("air_ns").sum().over("medium"), heard.clip(1))
    busy = quotient(pl.col("air_ns") + pl.col("unheard") * each_ns, pl.col("covered_ns")).clip(0, 1)
    return sums.select(*WINDOW, level=(busy * LEVELS).floor().clip(0, LEVELS - 1).cast(pl.Int64))


def as_recorded(links: pl.DataFrame, recorders: pl.DataFrame | None = None) -> pl.DataFrame:
    """:data:`KEYS`, `sender queue accesses carried mpdus aggregates`, and what :func:`shares` adds, null of others.

    `links`: sums per window and link, with :func:`.completeness.with_shares`; `recorders`: see :func:`shares`.
    """
    levels = links.join(load_levels(links), on=WINDOW)
    senders = contention_domain.per_sender(levels, KEYS)
    known = senders.select(*KEYS, "sender", "queue", "accesses", "carried", "mpdus", "aggregates")
    return known.join(shares(senders, recorders), on=[*KEYS, "sender", "queue"], how="left", nulls_equal=True)


def collided(simulated: pl.DataFrame) -> pl.DataFrame:
    """`medium sender collided`: the attempts of each sender that should have collided, of :func:`as_recorded`."""
    collided = ordered_sum(pl.col("accesses") * pl.col("collision").fill_null(0.0))
    return simulated.group_by("medium", "sender").agg(collided=collided)


def shares(senders: pl.DataFrame, recorders: pl.DataFrame | None = None) -> pl.DataFrame:
    """:data:`KEYS`, `sender`, `queue`, `collision` and `packets` where they are simulated.

    That is the share of its attempts that collide, and the packets of each that succeeds. `recorders`:
    `medium observer` of those from which senders said to be `hidden` are; without, all are in range of one another.
    """
    senders = _busiest(senders)
    cases = senders.select(KEYS).unique(maintain_order=True).with_row_index("case")
    as_recorded = _AS_RECORDED
    if recorders is not None:
        senders = senders.join(recorders, on="medium", maintain_order="left")
        is_recorder = (pl.col("sender") == pl.col("observer")).fill_null(value=False)
        as_recorded = _AS_RECORDED | {"subject": is_recorder, "hidden": pl.col("hidden")}
    rows = senders.join(cases, on=KEYS, maintain_order="left").with_columns(
        pl.col("case").cast(pl.Int64),
        unanswered_s="first_s",
        variation=completeness.arrival_variation(),
        **as_recorded,
    )
    rows = rows.with_columns(fixed_point.sane(name) for name in fixed_point.LIMITS if name in rows.columns)
    typed = [pl.col(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items()]
    stations = rows.select(
        "sender", "queue", *KEYS, *typed, "rts", "hidden", "unanswered_s", "sifs_s", "txop_s", "variation"
    )
    certain = pl.lit(1.0)
    found = dcf_monte_carlo.simulate(
        fixed_point.in_order(stations), first_destroyed=certain, answered_destroyed=certain, backlogged=False
    )
    # Stations that are alike have the same result, whatever their addresses and the order of the rows.
    alike = ["case", *found.select(pl.selectors.numeric() | pl.selectors.boolean()).columns]
    alike = [name for name in dict.fromkeys(alike) if name in stations.columns]
    exchanges = pl.col("exchanges_per_s")
    found = found.with_columns(
        packets=pl.when(exchanges > 0).then(pl.col("delivered_per_s") / exchanges).otherwise(1.0)
    )
    mean = {
        name: ordered_sum(pl.col(of)).over(alike) / pl.len().over(alike)
        for name, of in {"collision": "first_failed", "packets": "packets"}.items()
    }
    return found.select(*KEYS, "sender", "queue", **mean)


def _busiest(senders: pl.DataFrame) -> pl.DataFrame:
    """The :data:`MAX_STATIONS` stations of each case with the most airtime; of equal ones those that come first."""
    if senders.is_empty() or senders.group_by(KEYS).len().select((pl.col("len") <= MAX_STATIONS).all()).item():
        return senders
    # Of the few columns that it takes: those of a crowd are large.
    numbers = [fixed_point.sane(name) for name in dict.fromkeys((*TIES, "packet_s"))]
    ranked = senders.with_row_index("row").select("row", *KEYS, "sender", "queue", *numbers)
    ranked = sort_keys.sort(ranked, (*KEYS, "sender", "queue")).sort(*TIES, maintain_order=True)
    airtime = pl.col("packets_per_s") * (pl.col("access_s") + pl.col("packet_s"))
    rank = airtime.rank("ordinal", descending=True).over(KEYS)
    return senders[ranked.filter(rank <= MAX_STATIONS)["row"].sort()]
