"""Goodput from a simulator trace: the packets that reached their destination."""

from __future__ import annotations

import polars as pl

from winf_analyzer._schema import schema
from winf_analyzer._util.whole_sums import total

WINDOW_NS = 100_000_000
_NO_TRAFFIC = ("ack", "arp", "icmp", "icmpv6", "igmp", "aodv", "dsdv", "dsr", "olsr", "message", "rtprotod")
_LLC_IPV4_UDP_BYTES, _IPV6_EXTRA_BYTES = 8 + 20 + 8, 20
_MAX_ROWS = 1_000_000
"""Limit of windows including those without traffic, about a day of one flow: a damaged time stamp may be far ahead."""
_LLC_IPV4_TCP_BYTES = 8 + 20 + 20
_NS2_TCP_IP_BYTES = 40
"""What ns-2 counts for TCP and IP headers in the size of a packet (`tcpip_base_hdr_size_`)."""
_MAX_RETRY_NS = 500_000_000
"""Longer than a station retries an MSDU: a sequence number repeated later belongs to another MSDU."""


def received_goodput(frames: pl.LazyFrame | pl.DataFrame, *, tool: str, window_ns: int = WINDOW_NS) -> pl.DataFrame:
    """Rows of ``truth`` from the ``frames`` of one simulation, from each flow's first received packet on.

    If agents are traced (ns-2), their receive events count, with the packet size at the sending agent. Otherwise a
    packet counts when it reaches a node that never forwards packets of that direction: in ns-2 with the size at its
    source, before a routing agent adds headers, and not at all if that is not traced; else with the sum of its
    fragments. Each TCP segment counts once. The trace may cover the last window only in part.
    """
    text = ("source", "layer", "direction", "observer", "flow", "src_ip", "dst_ip", "proto", "ra", "ta")
    numbers = (
        "frame_no",
        "ts_ns",
        "seq",
        "frag",
        "packet_uid",
        "payload_bytes",
        "src_port",
        "transport_seq",
        "tcp_payload_bytes",
    )
    known = (
        frames.lazy()
        .select(*(pl.col(name).cast(pl.String) for name in text), *numbers, "retry", "more_frag", "fcs_ok")
        .filter(pl.col("direction").is_in(["tx", "rx", "enqueue"]), pl.col("fcs_ok").fill_null(True))
    )
    packets = known.filter(pl.col("src_ip").is_not_null(), ~pl.col("proto").is_in(_NO_TRAFFIC))
    events = packets.filter(pl.col("direction") != "enqueue")
    last_hop = _with_packet_bytes(_received_at_last_hop(events), packets, known)
    arrivals = pl.concat([_received_by_agents(events), last_hop], how="diagonal")
    arrivals = arrivals.filter(pl.col("packet_bytes") > 0)
    is_segment = (pl.col("proto") == "tcp") & pl.col("transport_seq").is_not_null()
    segment = ["source", "flow", "src_ip", "src_port", "transport_seq", "packet_bytes"]
    arrival_columns = ["source", "flow", "src_ip", "src_port", "packet_bytes", "ts_ns"]
    first_arrivals = arrivals.filter(is_segment).group_by(segment).agg(pl.col("ts_ns").min()).select(arrival_columns)
    arrived = pl.concat([arrivals.filter(~is_segment).select(arrival_columns), first_arrivals])
    last_ns = frames.lazy().select(pl.col("ts_ns").max()).collect(engine="streaming").item()
    return _windows(arrived, last_ns, tool, window_ns)


def _received_by_agents(events: pl.LazyFrame) -> pl.LazyFrame:
    """Packets received by agents (ns-2)."""
    agents = events.filter(pl.col("layer") == "agent")
    payload = pl.coalesce("tcp_payload_bytes", "payload_bytes")
    sent = agents.filter(pl.col("direction") == "tx").group_by("flow", "packet_uid")
    received = agents.filter(pl.col("direction") == "rx")
    sizes = sent.agg(payload.sort_by("frame_no").first().alias("sent_bytes"))
    received = received.join(sizes, on=["flow", "packet_uid"], how="left")
    return received.with_columns(packet_bytes=pl.coalesce("sent_bytes", payload).cast(pl.Int64)).drop("sent_bytes")


def _received_at_last_hop(events: pl.LazyFrame) -> pl.LazyFrame:
    """Packets received by the last node, of flows whose agents are not traced."""
    ends = ["src_ip", "dst_ip"]
    traced = events.filter((pl.col("layer") == "agent") & (pl.col("direction") == "rx")).select(ends).unique()
    hops = events.filter(pl.col("layer").is_in(["mac", "phy"])).join(traced, on=ends, how="anti")
    forwarded = hops.filter(pl.col("direction") == "tx").select(*ends, "observer").unique()
    received = hops.filter((pl.col("direction") == "rx") & (pl.col("ra") == pl.col("observer")))
    received = received.join(forwarded, on=[*ends, "observer"], how="anti")
    previous_ns = pl.col("ts_ns").shift().over("source", "observer", "ta", "seq", order_by="frame_no")
    is_repeat = (pl.col("ts_ns") - previous_ns < _MAX_RETRY_NS) & pl.col("seq").is_not_null() & pl.col("retry")
    received = received.filter(~is_repeat.fill_null(False))
    return received


def _with_packet_bytes(received: pl.LazyFrame, packets: pl.LazyFrame, known: pl.LazyFrame) -> pl.LazyFrame:
    """These packets with `packet_bytes`, null where the size is not certain.

    Args:
        received: the packets at their last hop.
        packets: all events of packets.
        known: all events, those without headers of IP too.
    """
    packet = ["source", "flow", "src_ip", "packet_uid"]
    asked = received.filter(pl.col("packet_uid").is_not_null()).select(packet).unique()
    first = packets.join(asked, on=packet, how="semi").sort("frame_no").unique(packet, keep="first")
    by_agent = pl.when(pl.col("layer") == "agent").then(pl.coalesce("tcp_payload_bytes", "payload_bytes"))
    from_agent = (pl.col("layer") == "router") & (pl.col("direction") == "rx")
    on_wire = (pl.col("direction") == "enqueue") & pl.col("ta").is_not_null()
    tcp_ip = pl.when(pl.col("proto") == "tcp").then(_NS2_TCP_IP_BYTES).otherwise(0)
    sent_bytes = by_agent.when(from_agent | on_wire).then(pl.col("payload_bytes") - tcp_ip)
    received = received.join(first.select(*packet, sent_bytes=sent_bytes), on=packet, how="left")

    is_fragment = pl.col("more_frag").fill_null(False) | (pl.col("frag") > 0).fill_null(False)
    fragment = ["source", "observer", "ta", "seq"]
    followers = _followers(known.filter(is_fragment, pl.col("ra") == pl.col("observer")), fragment)
    received = received.sort("frame_no").join_asof(
        followers, on="frame_no", by=fragment, strategy="forward", check_sortedness=False
    )
    is_whole = ~is_fragment | (pl.col("last_ns") - pl.col("ts_ns") < _MAX_RETRY_NS).fill_null(False)
    rest = pl.when(is_fragment).then("rest_bytes").otherwise(0)
    ip = pl.col("src_ip").str.contains(":", literal=True).cast(pl.Int64) * _IPV6_EXTRA_BYTES + _LLC_IPV4_UDP_BYTES
    # Of a segment in fragments a capture tells the whole length from the IP header, a trace only what is in the first.
    in_first = pl.col("payload_bytes").is_null() | (
        pl.col("tcp_payload_bytes") <= pl.col("payload_bytes") - _LLC_IPV4_TCP_BYTES
    )
    of_tcp = pl.col("tcp_payload_bytes") + pl.when(in_first).then(rest).otherwise(0)
    on_air = pl.when(pl.col("proto") == "tcp").then(of_tcp).otherwise(pl.col("payload_bytes") + rest - ip)
    octets = pl.when(pl.col("src_ip").str.starts_with("node-")).then("sent_bytes").when(is_whole).then(on_air)
    arrived_ns = pl.when(is_fragment).then("last_ns").otherwise("ts_ns")
    return received.with_columns(packet_bytes=octets.cast(pl.Int64), ts_ns=arrived_ns)


def _followers(fragments: pl.LazyFrame, key: list[str]) -> pl.LazyFrame:
    """`frame_no`, `rest_bytes` and `last_ns` of the last fragment of each MSDU of which all others follow the first.

    `rest_bytes`: octets behind the first fragment, null if one is not known.
    """
    rows = fragments.filter(pl.col("direction") == "rx").sort("frame_no")
    begins = (pl.col("frag") == 0) & ~pl.col("retry").fill_null(False)
    late = pl.col("ts_ns") - pl.col("ts_ns").shift() > _MAX_RETRY_NS
    rows = rows.with_columns(number=(begins | late.fill_null(True)).cum_sum().over(key))
    rows = rows.unique([*key, "number", "frag"], keep="first", maintain_order=True)
    behind = pl.col("frag") > 0
    octets = pl.col("payload_bytes").filter(behind)
    msdus = rows.group_by(*key, "number").agg(
        frame_no=pl.col("frame_no").last(),
        last_ns=pl.col("ts_ns").last(),
        rest_bytes=pl.when(octets.null_count() == 0).then(total(octets)),
        count=pl.len(),
        last=pl.col("frag").filter(~pl.col("more_frag").fill_null(False)).max(),
    )
    return (
        msdus.filter(pl.col("count") == pl.col("last") + 1)
        .select(*key, "frame_no", "last_ns", "rest_bytes")
        .sort("frame_no")
    )


def _windows(arrivals: pl.LazyFrame, last_ns: int | None, tool: str, window_ns: int) -> pl.DataFrame:
    """Sums per flow and window; windows without packets are 0, and left out beyond :data:`_MAX_ROWS`."""
    bracketed = pl.col("src_ip").str.contains(":", literal=True)
    host = pl.when(bracketed).then(pl.format("[{}]", "src_ip")).otherwise("src_ip")
    sender = pl.when(pl.col("src_port").is_null()).then(host).otherwise(pl.format("{}:{}", host, "src_port"))
    grouped = arrivals.with_columns(sender=sender, window=pl.col("ts_ns") // window_ns)
    summed = grouped.group_by("source", "flow", "sender", "window").agg(pl.col("packet_bytes").sum())
    sums = summed.collect(engine="streaming")
    if sums.is_empty() or last_ns is None:
        return pl.DataFrame(schema=schema("truth"))
    flows = sums.group_by("source", "flow", "sender").agg(pl.col("window").min().alias("first"))
    last = last_ns // window_ns
    if int((last + 1 - flows["first"]).sum()) > _MAX_ROWS:
        rows = sums
    else:
        every = flows.with_columns(window=pl.int_ranges("first", last + 1)).explode("window").drop("first")
        rows = every.join(sums, on=["source", "flow", "sender", "window"], how="left", nulls_equal=True)
    return (
        rows.sort("source", "flow", "sender", "window")
        .select(
            "source",
            pl.lit(tool).alias("tool"),
            "flow",
            "sender",
            pl.lit("receiver").alias("side"),
            pl.lit("simulation").alias("clock"),
            (pl.col("window") * window_ns).alias("start_ns"),
            pl.lit(window_ns).alias("window_ns"),
            (pl.col("packet_bytes").fill_null(0) * (8e9 / window_ns)).alias("throughput_bps"),
            *(pl.lit(None).alias(name) for name in ("jitter_ms", "lost", "rtt_ms")),
        )
        .cast(schema("truth"))
    )
