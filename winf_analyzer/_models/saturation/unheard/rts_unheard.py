"""Whether a station whose RTS are not heard, only the answers to them, is hidden from the recorder.

RTS go out at a basic rate, so that a recorder in range decodes them; but a recording may lack them all the same,
because it was filtered by an address. The recorder's own failures tell. Both have heard the last answer of the access
point, and count their backoffs down from the same end of it: stations in range collide where both draw the same slot,
hidden ones wherever their RTS overlap, which are several slots more. :mod:`.audibility` takes starts to be spread over
all the time, and finds fewer overlaps. So the stations are simulated as they were recorded, once in range of the
recorder and once hidden from it, and the reading counts whose collisions are nearer to the failures, as a ratio.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._models.saturation.contention import expected_collisions
from winf_analyzer._models.saturation.recorded import completeness

MIN_COLLISIONS = 5.0
"""Collisions that are expected in range before failures confirm it, and by which the readings must differ: a few RTS of
hidden stations survive as well, so that it is no sign that hardly any failed."""


def told(links: pl.DataFrame, simulated: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """`links` with `in_range` true of those whose being hidden the recorder's failures speak against.

    Args:
        links: sums per window and link, with :func:`.completeness.with_shares`.
        simulated: what :func:`.expected_collisions.as_recorded` returns of them, all in range.
        media: `medium observer`.
    """
    observers = media.filter(pl.col("observer").is_not_null()).select("medium", "observer")
    open_media = links.filter(_is_open())["medium"].unique()
    recorders = observers.filter(pl.col("medium").is_in(open_media.implode()))
    if recorders.is_empty():
        return links
    hidden = expected_collisions.as_recorded(links.join(recorders, on="medium", how="semi"), recorders)
    own = ["medium", pl.col("observer").alias("sender")]
    failed = links.group_by("medium", "sender").agg((pl.col("accesses") - pl.col("done")).sum().alias("failed"))
    rows = recorders.select(*own).join(failed, on=["medium", "sender"])
    for name, found in {"beside": simulated, "overlapped": hidden}.items():
        collided = expected_collisions.collided(found).rename({"collided": name})
        rows = rows.join(collided, on=["medium", "sender"])
    enough = pl.min_horizontal("beside", pl.col("overlapped") - pl.col("beside")) >= MIN_COLLISIONS
    nearer = (pl.col("failed") + 1) ** 2 < (pl.col("beside") + 1) * (pl.col("overlapped") + 1)
    heard = rows.filter(enough & nearer)["medium"]
    return links.with_columns(in_range=pl.col("in_range") | (_is_open() & pl.col("medium").is_in(heard.implode())))


def _is_open() -> pl.Expr:
    """True of links of a station whose RTS are not heard; of a trace it is known who hears whom."""
    with_rts, accesses, unheard = (
        ordered_sum(pl.col(name)).over("medium", "sender") for name in ("with_rts", "accesses", "unheard")
    )
    known = completeness.is_traced()
    return (unheard > 0) & (with_rts * 2 > accesses) & ~pl.col("in_range") & ~known
