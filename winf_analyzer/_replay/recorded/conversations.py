"""Conversations of a recording: who talks to whom, over which links, in packets of which sizes."""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay.recorded.views import best_views, rank

LLC_BYTES = 8
"""LLC and SNAP headers, which a capture counts to the payload of a data frame."""

SIGNALLING = (
    *("arp", "aodv", "aomdv", "dsdv", "dsr", "olsr", "tora", "message"),
    *("icmp", "icmpv6", "igmp", "eapol", "gre", "ospf", "ip-89"),
)
"""Protocols that serve the network itself."""

_FIN, _SYN = 1, 2


def conversation() -> pl.Expr:
    """Name of a frame's conversation, the same in both directions.

    In ns-2 TCP's data and acknowledgements go by two names. Encrypted frames are told apart by their stations.
    """
    stations = pl.concat_str(pl.lit("data "), pl.min_horizontal("sa", "da"), pl.lit(" "), pl.max_horizontal("sa", "da"))
    return pl.coalesce(pl.col("flow").str.replace("^ack ", "tcp "), stations)


def data_frames(frames: pl.LazyFrame) -> pl.LazyFrame:
    """Data frames on the air with payload for one station: adds ``conversation origin sender receiver at_ns``."""
    group = pl.col("ra").str.contains(r"^[0-9a-f][13579bdf]:")
    return frames.filter(
        pl.col("layer") == "mac",
        pl.col("kind").is_in(["data", "qos_data"]),
        pl.col("direction").ne_missing("drop"),
        pl.col("parse_error").is_null(),
        pl.col("fcs_ok").ne_missing(False),
        pl.col("payload_bytes") > 0,
        pl.col("ta").is_not_null(),
        ~group,
    ).with_columns(
        conversation=conversation(),
        origin=pl.coalesce("src_ip", "sa"),
        sender="ta",
        receiver="ra",
        at_ns=pl.coalesce("start_ns", "ts_ns"),
    )


def legs(frames: pl.LazyFrame) -> pl.DataFrame:
    """One row per conversation, origin and link, as the best placed recording tells it, in one pass over the frames.

    Columns: ``conversation origin sender receiver source observer proto``; ``packets`` (repetitions of the MAC not
    counted), ``payload_bytes`` (median MSDU of packets with data), ``first_ns`` and ``last_ns`` of data; of TCP
    ``data_bytes`` in all, ``mss``, ``header_bytes``, ``ack_bytes`` (median and largest MSDU of a pure acknowledgement:
    ``ack_bytes_max``), ``segments`` and ``acks`` (different ones), ``first_seq``,
    ``end_seq`` and ``closed`` (FIN seen).
    """
    length = pl.col("tcp_payload_bytes")
    is_ack = (pl.col("proto") == "ack") | (length == 0)
    is_data = ~is_ack.fill_null(False)
    segment = pl.col("transport_seq").filter(is_data & (pl.col("proto") == "tcp"))
    fresh = ~pl.col("retry").fill_null(False)
    flags = pl.col("tcp_flags")
    rows = (
        data_frames(frames)
        .filter(pl.col("conversation").is_not_null(), pl.col("origin").is_not_null())
        .group_by("conversation", "origin", "sender", "receiver", "source", "observer")
        .agg(
            proto=pl.col("proto").filter(is_data).first(),
            frames=pl.len(),
            packets=pl.when(pl.col("packet_uid").is_not_null().any())
            .then(pl.col("packet_uid").n_unique())
            .otherwise((fresh & is_data).sum()),
            payload_bytes=pl.col("payload_bytes").filter(is_data).median(),
            first_ns=pl.col("at_ns").filter(is_data).min(),
            last_ns=pl.col("at_ns").filter(is_data).max(),
            data_bytes=pl.coalesce(length, "payload_bytes").filter(is_data & fresh).sum(),
            mss=length.max(),
            header_bytes=(pl.col("payload_bytes") - length).filter(length > 0).min(),
            ack_bytes=pl.col("payload_bytes").filter(is_ack & ((flags & _SYN) == 0).fill_null(True)).median(),
            ack_bytes_max=pl.col("payload_bytes").filter(is_ack & ((flags & _SYN) == 0).fill_null(True)).max(),
            segments=segment.n_unique(),
            acks=pl.col("tcp_ack").filter(is_ack).n_unique(),
            first_seq=segment.min(),
            end_seq=(pl.col("transport_seq") + length).filter(length > 0).max(),
            closed=((flags & _FIN) > 0).any(),
        )
        .collect(engine="streaming")
    )
    return best_views(rows, ["conversation", "origin", "sender", "receiver"], "frames", rank()).sort(
        "conversation", "origin", "sender", "receiver"
    )


def offered(frames: pl.LazyFrame) -> pl.DataFrame:
    """What applications sent, where the recording tells it (ns-2's agents): per ``conversation`` and ``origin``.

    Columns: ``offered_packets``, ``offered_bytes`` (median), ``offered_first_ns``, ``offered_last_ns``.
    """
    return (
        frames.filter(pl.col("layer") == "agent", pl.col("direction") == "tx", pl.col("proto").ne_missing("ack"))
        .with_columns(conversation=conversation(), origin="src_ip")
        .group_by("conversation", "origin")
        .agg(
            offered_packets=pl.len(),
            offered_bytes=pl.col("payload_bytes").median(),
            offered_first_ns=pl.col("ts_ns").min(),
            offered_last_ns=pl.col("ts_ns").max(),
        )
        .collect(engine="streaming")
    )
