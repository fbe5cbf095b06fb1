"""What the source of a flow sends, and which acknowledgements it receives, in order of time."""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay.recorded.flows.conversations import comes_next, data_frames, once_each
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow


def packet_events(frames: pl.LazyFrame, flow: StudiedFlow) -> pl.DataFrame:
    """The source's packets, as they are first on the air, and the acknowledgements that it receives, in order of time.

    Columns ``at_ns is_sent is_own is_next number ack length tsval tsecr``; ``is_next``: no packet is missing before it.
    """
    source = flow.path[0]
    columns = ["at_ns", "end_ns", "ta", "ra", "tid", "seq", "retry", "tcp_ack", "tcp_payload_bytes", "transport_seq"]
    stamps = {"tsval": "tcp_tsval", "tsecr": "tcp_tsecr"}
    heard = (
        data_frames(frames)
        .filter(
            pl.col("source") == flow.first["source"],
            pl.col("observer").eq_missing(flow.first["observer"]),
            (pl.col("ta") == source) | (pl.col("ra") == source),
            pl.col("at_ns").is_not_null(),
        )
        .select(*columns, *stamps.values(), ours=pl.col("conversation") == flow.conversation)
        .collect(engine="streaming")
        .sort("at_ns", maintain_order=True)
    )
    ours, length = pl.col("ours"), pl.col("tcp_payload_bytes")
    is_sent = pl.col("ta") == source
    return (
        once_each(heard)
        .with_columns(is_next=comes_next())
        .filter(is_sent | (ours & (length == 0)))
        .select(
            at_ns=pl.when(is_sent).then("at_ns").otherwise("end_ns"),
            is_sent=is_sent,
            is_own=ours & (~is_sent | (length > 0)),
            is_next="is_next",
            number="transport_seq",
            ack="tcp_ack",
            length=length,
            **stamps,
        )
        .drop_nulls("at_ns")
        .sort("at_ns", maintain_order=True)
    )
