"""What TCP flows of others do beside the subject: their two ends go at one rate, in aggregates as they were recorded.

A flow has so many packets in flight, and sends one for each that is acknowledged (RFC 5681, 3.1). So where its data
gets less of the medium there are fewer ACKs, and where its ACKs get less there is less data.

What arrives in one aggregate is acknowledged together, and lets as many packets go together again. Neither is like
packets that come at random: of these a station gathers what comes from one access to the next, two to nine ACKs, where
fifteen to thirty are recorded, and in fewer accesses than the data has. How many ACKs there are to an access is
recorded per MPDU of an access of the data, and stays so. Data comes in batches as large as its aggregates were; where
it waits for longer, beside a subject that takes much of the medium, several of them go together.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._models.saturation.solvers import fixed_point

ROUNDS = 4
"""Solutions in which the loads of flows settle; the change of the last is below 1e-3 in the tests."""

BATCHED = ("packets_per_s", "packets_max", "packet_s", "first_packet_s")
"""What is another number of a station whose packets are taken for batches."""

MAX_SAVED = 0.999
"""Share of the accesses, at most, that are spared because packets go together: an aggregate holds up to 1024."""


def ends(acks: pl.DataFrame) -> pl.DataFrame:
    """`medium sender other share together is_acks of_other`: both ends of each flow.

    `share`: which part of the packets of `sender` are the flow's; `together`: MPDUs of an access with those;
    `of_other`: the same of the data that they acknowledge, 1 of data.

    Args:
        acks: what :func:`.tcp_acks.followers` returns.
    """
    of_acks = acks.select(
        *("medium", "sender", pl.col("leader").alias("other"), "share", "together"),
        is_acks=pl.lit(value=True),
        of_other=pl.col("data_together"),
    )
    of_data = acks.select(
        *("medium", pl.col("leader").alias("sender"), pl.col("sender").alias("other")),
        share=pl.col("data_share"),
        together=pl.col("data_together"),
        is_acks=pl.lit(value=False),
        of_other=pl.lit(1.0),
    )
    return pl.concat([of_acks, of_data])


def settled(stations: pl.DataFrame, acks: pl.DataFrame) -> pl.DataFrame:
    """The stations of cases with what the TCP flows of others have to send beside the subject, and how much together.

    Args:
        stations: rows of :data:`.fixed_point.STATIONS` with `medium`, `sender`, `aggregates` and `batch`, as many
            packets as one of the row is (:mod:`.batches`).
        acks: what :func:`.tcp_acks.followers` returns.
    """
    others = stations.filter(~pl.col("subject"), pl.col("packets_per_s") > 0).select("case", "medium", "sender")
    flows = others.join(ends(acks), on=["medium", "sender"])
    flows = flows.join(others.select("case", other="sender"), on=["case", "other"]).drop("medium")
    if flows.is_empty():
        return stations
    whole = stations
    stations = whole.with_columns(batch_beside=pl.lit(1.0))
    for _ in range(ROUNDS):
        concerned = stations.join(flows.select("case").unique(), on="case", how="semi", maintain_order="left")
        got = (pl.col("delivered_per_s") / pl.col("packets_per_s").clip(1e-9)).clip(0, 1)
        mpdus = pl.col("packets") * pl.col("batch") * pl.col("batch_beside")
        solved = fixed_point.solve(concerned).filter(~pl.col("subject"))
        solved = solved.select("case", other="sender", got=got, mpdus=mpdus)
        stations = _beside(whole, flows.join(solved, on=["case", "other"]))
    return stations.select(whole.columns)


def _beside(whole: pl.DataFrame, flows: pl.DataFrame) -> pl.DataFrame:
    """The stations as recorded with what `flows` leave them, and `batch_beside`, packets that are taken for one.

    `flows`: with `got`, the share of its packets that the other end gets through, and `mpdus` of its accesses.
    """
    acked = pl.when("is_acks").then(pl.col("mpdus") / pl.col("of_other")).otherwise(1.0)
    flows = flows.with_columns(together=(pl.col("together") * acked).clip(1))
    key, share, together = ("case", "sender"), pl.col("share"), pl.col("together")
    of_acks = share * pl.col("is_acks")
    sums = flows.group_by(key).agg(
        lost=ordered_sum(share * (1 - pl.col("got"))).clip(0, 1),
        # Those alone that are no flow's.
        batch_of_flows=1 / (1 - ordered_sum(share * (1 - 1 / together)).clip(0, MAX_SAVED)),
        acks_share=ordered_sum(of_acks).clip(0, 1),
        acks_together=ordered_sum(of_acks * together),
    )
    rows = whole.join(sums, on=key, how="left", maintain_order="left", nulls_equal=True)
    other = ~pl.col("subject") & pl.col("lost").is_not_null()
    tied, most = other & pl.col("aggregates"), pl.col("packets_max")
    batch = (pl.col("batch_of_flows") / pl.col("batch")).clip(1, most)
    # Of an access, the mean over ACKs, of which no more go together, and others.
    mean = pl.min_horizontal(most, (1 - pl.col("acks_share")) * most + pl.col("acks_together") / pl.col("batch"))
    rows = rows.with_columns(
        packets_per_s=pl.col("packets_per_s") * (1 - pl.when(other).then("lost").otherwise(0.0)),
        batch_beside=pl.when(tied).then(batch).otherwise(1.0),
        most=pl.when(tied).then(mean).otherwise(most),
    )
    return rows.with_columns(_in_batches(pl.col("batch_beside"), pl.col("most")))


def _in_batches(batch: pl.Expr, most: pl.Expr) -> list[pl.Expr]:
    """:data:`BATCHED` of stations whose packets are taken for batches, and go `most` packets to an access."""
    packets_per_s, _, packet_s, first_packet_s = map(pl.col, BATCHED)
    values = (packets_per_s / batch, (most / batch).clip(1), packet_s * batch, first_packet_s * batch)
    return [value.alias(name) for name, value in zip(BATCHED, values, strict=True)]
