"""Packets of others that come together: several in one aggregate, or in bursts."""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import quotient


def applied(stations: pl.DataFrame) -> pl.DataFrame:
    """Others whose packets come together, as ones that send fewer packets, each as long as a batch.

    What came at once, and was sent in one aggregate, comes at once beside a backlogged subject as well. What comes in a
    burst comes faster than on the average from one access to the next, with an exchange of the subject in between. As
    many batches as fit into an aggregate are a whole number.
    """
    most = pl.col("packets_max").clip(1)
    exchange_s = (pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")).filter("subject").first()
    subject_s = exchange_s.over("case")
    burst, usual = (_gathered(pl.col(name), subject_s, most) for name in ("burst_per_s", "packets_per_s"))
    together = pl.max_horizontal("batch", 1 + burst - usual).clip(1, most)
    together = most / (most / together).round()
    batch = pl.when(pl.col("aggregates") & ~pl.col("subject")).then(together).otherwise(1.0)
    stations = stations.with_columns(batch=batch.fill_null(1.0))
    shorter = {name: quotient(pl.col(name), pl.col("batch")) for name in ("packets_per_s", "packets_max")}
    longer = {name: pl.col(name) * pl.col("batch") for name in ("packet_s", "first_packet_s")}
    return stations.with_columns(**shorter, **longer)


def _gathered(per_s: pl.Expr, subject_s: pl.Expr, most: pl.Expr) -> pl.Expr:
    """Packets that come at this rate from one access to the next, an exchange of the subject in between."""
    left = 1 - per_s * pl.col("packet_s")
    waiting = (1 + per_s * (subject_s + pl.col("access_s"))) / left
    return pl.when(left > 0).then(pl.min_horizontal(waiting, most)).otherwise(most)
