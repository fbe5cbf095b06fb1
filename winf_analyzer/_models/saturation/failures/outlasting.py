"""Collisions that a long aggregate outlasts.

Where another station begins in the same slot, to another receiver, the header of the aggregate may be decoded: then the
MPDUs that come after the other frame arrive, and are acknowledged. In light traffic, whose frames are all short, that
does not show. The chance of the header is the usual one (:func:`.collision_survival.header_survives`): of two links, or
of two stations of the sender's own cell, one of which sends to it. How the stations are placed is the same in all their
collisions, so that the share varies as that of as many draws as there are others.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._models.saturation.failures import collision_survival


def applied(stations: pl.DataFrame, heard: pl.Expr) -> pl.DataFrame:
    """The stations, of which subjects that aggregate are less `vulnerable`: they lose a part in such collisions.

    How much longer they are than others' frames follows from what these gather during an exchange of the subject.

    Args:
        stations: of cases, with `elsewhere` and `homewards`, the shares of others' accesses that are to other
            receivers, and to the subject from others than its receiver.
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
    part = pl.when(lasting.fill_null(value=False)).then(outlasted / weight).otherwise(0.0)
    rows = stations.with_columns(part=part.fill_nan(0.0), links=count.clip(1))
    chances = {
        "elsewhere": collision_survival.header_survives(),
        "homewards": collision_survival.header_survives(of_cell=True),
    }
    rows = rows.with_columns(
        arrives=pl.col("part") * sum(share * pl.col(where) for where, share in chances.items()),
        variance=sum(share * (1 - share) * pl.col(where) ** 2 for where, share in chances.items()) / pl.col("links"),
    )
    if not (rows["arrives"] > 0).any():
        return stations
    left, doubt = 1 - pl.col("arrives"), pl.col("variance").sqrt() * pl.col("part")
    known = left * (pl.col("vulnerable_otherwise") - pl.col("vulnerable"))
    destroyed = pl.col("vulnerable") * left
    error = (known * known + (pl.col("vulnerable") * doubt) ** 2).sqrt()
    otherwise = pl.when(destroyed > collision_survival.EVEN).then(destroyed - error).otherwise(destroyed + error)
    found = {"vulnerable": destroyed, "vulnerable_otherwise": otherwise.clip(0, 1)}
    changed = (pl.when(pl.col("arrives") > 0).then(value).otherwise(name).alias(name) for name, value in found.items())
    return rows.with_columns(changed).drop("part", "arrives", "variance", "links")
