"""Conversations of a recording: end points, links, packet counts and packet sizes."""

from __future__ import annotations

import polars as pl

from winf_analyzer._mac.constants import SEQUENCE_NUMBERS
from winf_analyzer._replay.recorded.views import best_rows, observer_rank
from winf_analyzer._util.whole_sums import total

LLC_BYTES = 8
"""LLC and SNAP headers, which are part of the payload of a data frame."""

SIGNALLING = (
    *("arp", "aodv", "aomdv", "dsdv", "dsr", "olsr", "tora", "message"),
    *("icmp", "icmpv6", "igmp", "eapol", "gre", "ospf", "ip-89"),
)
"""Protocols without user data."""

DUPLICATES = 3
"""Duplicate acknowledgements after which a source sends the missing segment again, at once (RFC 5681, sec. 3.2)."""

_GROUP = r"^[[:xdigit:]][13579bdfBDF]:", r"^(22[4-9]|23\d)\.|^255\.255\.255\.255$|^[fF]{2}[[:xdigit:]]{2}:"
"""Group addresses of the MAC (IEEE 802.11-2020, 9.2.4.3.2) and of IP (RFC 5771, RFC 919, RFC 4291 sec. 2.7)."""

_FIN, _SYN = 1, 2

_WRAPPED = 1 << 31
"""Differences of sequence numbers from here on are negative (RFC 9293, sec. 3.4)."""

_SAME_NUMBER = 1 << 11
"""A sequence number that a station used so many frames ago is that of another packet (half of their range)."""


def conversation() -> pl.Expr:
    """Name of a frame's conversation, the same in both directions.

    In ns-2 a TCP flow and its acknowledgements have different names. Encrypted frames are named by their stations.
    """
    stations = pl.concat_str(pl.lit("data "), pl.min_horizontal("sa", "da"), pl.lit(" "), pl.max_horizontal("sa", "da"))
    return pl.coalesce(pl.col("flow").str.replace("^ack ", "tcp "), stations)


def _to_group() -> pl.Expr:
    """Whether a frame's destination is a group: an access point, which takes it first, acknowledges it all the same."""
    mac, ip = (pl.col(name).str.contains(pattern) for name, pattern in zip(("da", "dst_ip"), _GROUP, strict=True))
    return mac.fill_null(False) | ip.fill_null(False)


def data_frames(frames: pl.LazyFrame) -> pl.LazyFrame:
    """Unicast data frames with payload, with the columns ``conversation origin sender receiver at_ns``."""
    return frames.filter(
        pl.col("layer") == "mac",
        pl.col("kind").is_in(["data", "qos_data"]),
        pl.col("direction").ne_missing("drop"),
        pl.col("parse_error").is_null(),
        pl.col("fcs_ok").ne_missing(False),
        pl.col("payload_bytes") > 0,
        pl.col("ta").is_not_null(),
        ~pl.col("is_group"),
    ).with_columns(
        conversation=conversation(),
        origin=pl.coalesce("src_ip", "sa"),
        sender="ta",
        receiver="ra",
        at_ns=pl.coalesce("start_ns", "ts_ns"),
    )


def once_each(rows: pl.DataFrame) -> pl.DataFrame:
    """Of each packet the first attempt that a recorder heard; it may be a retry, where earlier ones collided there.

    ``rows``: frames of one recorder in order of time, with ``ta ra tid seq retry``. Without sequence numbers whatever
    is no retry.
    """
    placed = rows.with_columns(place=pl.int_range(pl.len()).over("ta"))
    before = pl.col("place").diff().over("ta", "ra", "tid", "seq")
    heard_first = pl.col("seq").is_not_null() & (before.is_null() | (before >= _SAME_NUMBER))
    return placed.filter(pl.col("retry").ne_missing(True) | heard_first).drop("place")


def comes_next() -> pl.Expr:
    """Whether no packet of a transmitter is missing before a row, by the MAC's sequence numbers; true without them.

    Steps back are retransmissions of an A-MPDU.
    """
    step = pl.col("seq").diff().over("ta", "tid") % SEQUENCE_NUMBERS
    return ((step <= 1) | (step >= SEQUENCE_NUMBERS // 2)).fill_null(True)


def conversation_hops(frames: pl.LazyFrame) -> pl.DataFrame:
    """One row per conversation, origin and link, from the recording of highest rank, in one pass over the frames.

    Columns: ``conversation origin sender receiver source observer proto``; ``packets`` (without MAC retries),
    ``payload_bytes`` (median MSDU of packets with data), ``first_ns`` and ``last_ns`` of data. For TCP also
    ``opened_ns`` (the SYN), ``data_bytes`` (total), ``mss``, ``header_bytes``, ``ack_bytes`` and ``ack_bytes_max``
    (median and largest MSDU of a pure acknowledgement), ``segments`` and ``acks`` (distinct ones), ``ack_step`` (median
    of what an acknowledgement acknowledges more than the one before, those after duplicates left out) and ``ack_steps``
    (their number), ``first_seq``, ``end_seq`` and ``closed`` (with FIN). ``numbered``: the MAC's sequence numbers are
    known. ``to_group``: the destination is a group.
    """
    length = pl.col("tcp_payload_bytes")
    is_ack = (pl.col("proto") == "ack") | (length == 0)
    is_data = ~is_ack.fill_null(False)
    segment = pl.col("transport_seq").filter(is_data & (pl.col("proto") == "tcp"))
    fresh = ~pl.col("retry").fill_null(False)
    flags = pl.col("tcp_flags")
    counted = is_ack & fresh & ((flags & _SYN) == 0).fill_null(True)
    number = pl.col("tcp_ack").filter(counted).sort_by(pl.col("at_ns").filter(counted))
    step = number.diff()
    # What follows a duplicate closes a gap, or ends a recovery, and acknowledges much whatever the receiver does.
    steps = step.filter((step > 0) & (step < _WRAPPED) & (step.shift(1) != 0).fill_null(True))
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
            opened_ns=pl.col("at_ns").filter(((flags & _SYN) > 0).fill_null(False)).min(),
            data_bytes=total(pl.coalesce(length, "payload_bytes").filter(is_data & fresh)),
            mss=length.max(),
            header_bytes=(pl.col("payload_bytes") - length).filter(length > 0).min(),
            ack_bytes=pl.col("payload_bytes").filter(is_ack & ((flags & _SYN) == 0).fill_null(True)).median(),
            ack_bytes_max=pl.col("payload_bytes").filter(is_ack & ((flags & _SYN) == 0).fill_null(True)).max(),
            segments=segment.n_unique(),
            acks=pl.col("tcp_ack").filter(is_ack).n_unique(),
            ack_step=steps.median(),
            ack_steps=steps.len(),
            first_seq=segment.min(),
            end_seq=(pl.col("transport_seq") + length).filter(length > 0).max(),
            closed=((flags & _FIN) > 0).any(),
            numbered=pl.col("seq").is_not_null().any(),
            to_group=_to_group().any(),
        )
        .collect(engine="streaming")
    )
    return best_rows(rows, ["conversation", "origin", "sender", "receiver"], "frames", observer_rank()).sort(
        "conversation", "origin", "sender", "receiver"
    )


def offered_load(frames: pl.LazyFrame) -> pl.DataFrame:
    """Packets sent by applications, if recorded (ns-2's agents), per ``conversation`` and ``origin``.

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
