"""Collisions that a long aggregate outlasts.

Where another station begins in the same slot, to another receiver, the header of the aggregate may be decoded: then the
MPDUs that come after the other frame arrive, and are acknowledged. In light traffic, whose frames are all short, that
does not show. The chance of the header is the usual one of two links (:func:`.collision_survival.destroyed_apart`), of
as many as there are.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._models.saturation.failures import collision_survival


def applied(stations: pl.DataFrame, heard: pl.Expr) -> pl.DataFrame:
    """The stations, of which subjects that aggregate are less `vulnerable`: they lose a part in such collisions.

    How much longer they are than others' frames follows from what these gather during an exchange of the subject.

    Args:
        stations: of cases, with `elsewhere`, the share of others' accesses that are to other receivers.
        heard: nobody is hidden from the subject.
    """
    may_last = pl.col("subject") & pl.col("aggregates") & ~pl.col("rts") & heard
    if not stations.select(may_last.any()).item():
        return stations
    frame_s, exchange_s = (
        (pl.col(fixed) + pl.col("packets_max") * pl.col(each)).filter("subject").first().over("case")
        for fixed, each in (("first_s", "first_packet_s"), ("access_s", "packet_s"))
    )
    others = ~pl.col("subject") & (pl.col("packets_per_s") > 0)
    came = pl.col("packets_per_s") * exchange_s
    other_s = pl.col("first_s") + pl.min_horizontal(1 + came, "packets_max") * pl.col("first_packet_s")
    weight = pl.col("count") * came.clip(0, 1)
    outlasted = (1 - other_s / frame_s).clip(0, 1) * weight
    outlasted, weight, count = (
        ordered_sum(value.filter(others)).over("case") for value in (outlasted, weight, pl.col("count"))
    )
    lasting = may_last & (weight > 0)
    # In steps that read the columns of those before: a large expression is copied, and planned, wherever it is used.
    arrives = pl.when(lasting.fill_null(value=False)).then(pl.col("elsewhere") * outlasted / weight).otherwise(0.0)
    rows = stations.with_columns(arrives=arrives.fill_nan(0.0), links=count.clip(1))
    if not (rows["arrives"] > 0).any():
        return stations
    share = collision_survival.header_survives()
    left, doubt = 1 - share * pl.col("arrives"), (share * (1 - share) / pl.col("links")).sqrt() * pl.col("arrives")
    known = left * (pl.col("vulnerable_otherwise") - pl.col("vulnerable"))
    destroyed = pl.col("vulnerable") * left
    error = (known * known + (pl.col("vulnerable") * doubt) ** 2).sqrt()
    otherwise = pl.when(destroyed > collision_survival.EVEN).then(destroyed - error).otherwise(destroyed + error)
    found = {"vulnerable": destroyed, "vulnerable_otherwise": otherwise.clip(0, 1)}
    changed = (pl.when(pl.col("arrives") > 0).then(value).otherwise(name).alias(name) for name, value in found.items())
    return rows.with_columns(changed).drop("arrives", "links")
