"""Goodput out of a simulator's trace: the packets that arrived where they were sent to."""

from __future__ import annotations

import polars as pl

from winf_analyzer._ingest.truth.table import TRUTH_SCHEMA

WINDOW_NS = 100_000_000
_NO_TRAFFIC = ("ack", "arp", "icmp", "icmpv6", "igmp", "aodv", "dsdv", "dsr", "olsr", "message", "rtprotod")
_LLC_IPV4_UDP_BYTES, _IPV6_MORE_BYTES = 8 + 20 + 8, 20
_MOST_ROWS = 1_000_000
"""Windows with and without traffic: a flow for a day. One damaged stamp may be centuries ahead."""
_RETRY_NS = 500_000_000
"""Longer than a station tries to deliver one MSDU: a sequence number that comes back later is another's."""


def receive_events(frames: pl.LazyFrame | pl.DataFrame, *, tool: str, window_ns: int = WINDOW_NS) -> pl.DataFrame:
    """Rows of ``truth`` from the ``frames`` of one simulation, from a flow's first arrival on.

    Where agents are traced (ns-2) their receive events count, with the size that the sender's agent gave the packet.
    Otherwise a packet counts when it reaches a node that never sends packets of that direction on. Of TCP every
    segment counts once. The last window may be one that the trace covers only in part.
    """
    text = ("source", "layer", "direction", "observer", "flow", "src_ip", "dst_ip", "proto", "ra", "ta")
    numbers = (
        "frame_no",
        "ts_ns",
        "seq",
        "packet_uid",
        "payload_bytes",
        "src_port",
        "transport_seq",
        "tcp_payload_bytes",
    )
    events = (
        frames.lazy()
        .select(*(pl.col(name).cast(pl.String) for name in text), *numbers, "retry", "fcs_ok")
        .filter(
            pl.col("src_ip").is_not_null(), pl.col("direction").is_in(["tx", "rx"]), pl.col("fcs_ok").fill_null(True)
        )
        .filter(~pl.col("proto").is_in(_NO_TRAFFIC))
    )
    arrivals = pl.concat([_at_agents(events), _at_last_hop(events)]).filter(pl.col("packet_bytes") > 0)
    is_segment = (pl.col("proto") == "tcp") & pl.col("transport_seq").is_not_null()
    segment = ["source", "flow", "src_ip", "src_port", "transport_seq", "packet_bytes"]
    counted = ["source", "flow", "src_ip", "src_port", "packet_bytes", "ts_ns"]
    once = arrivals.filter(is_segment).group_by(segment).agg(pl.col("ts_ns").min()).select(counted)
    arrived = pl.concat([arrivals.filter(~is_segment).select(counted), once])
    last_ns = frames.lazy().select(pl.col("ts_ns").max()).collect(engine="streaming").item()
    return _windows(arrived, last_ns, tool, window_ns)


def _at_agents(events: pl.LazyFrame) -> pl.LazyFrame:
    """What sinks took in."""
    agents = events.filter(pl.col("layer") == "agent")
    payload = pl.coalesce("tcp_payload_bytes", "payload_bytes")
    sent = agents.filter(pl.col("direction") == "tx").group_by("flow", "packet_uid")
    received = agents.filter(pl.col("direction") == "rx")
    sizes = sent.agg(payload.sort_by("frame_no").first().alias("sent_bytes"))
    received = received.join(sizes, on=["flow", "packet_uid"], how="left")
    return received.with_columns(packet_bytes=pl.coalesce("sent_bytes", payload).cast(pl.Int64)).drop("sent_bytes")


def _at_last_hop(events: pl.LazyFrame) -> pl.LazyFrame:
    """What reached the last node of flows whose agents are not traced."""
    ends = ["src_ip", "dst_ip"]
    traced = events.filter((pl.col("layer") == "agent") & (pl.col("direction") == "rx")).select(ends).unique()
    hops = events.filter(pl.col("layer").is_in(["mac", "phy"])).join(traced, on=ends, how="anti")
    forwarded = hops.filter(pl.col("direction") == "tx").select(*ends, "observer").unique()
    received = hops.filter((pl.col("direction") == "rx") & (pl.col("ra") == pl.col("observer")))
    received = received.join(forwarded, on=[*ends, "observer"], how="anti")
    previous_ns = pl.col("ts_ns").shift().over("source", "observer", "ta", "seq", order_by="frame_no")
    is_repeat = (pl.col("ts_ns") - previous_ns < _RETRY_NS) & pl.col("seq").is_not_null() & pl.col("retry")
    received = received.filter(~is_repeat.fill_null(False))
    ip = pl.col("src_ip").str.contains(":", literal=True).cast(pl.Int64) * _IPV6_MORE_BYTES + _LLC_IPV4_UDP_BYTES
    headers = pl.when(pl.col("src_ip").str.starts_with("node-")).then(0).otherwise(ip)
    octets = pl.when(pl.col("proto") == "tcp").then("tcp_payload_bytes").otherwise(pl.col("payload_bytes") - headers)
    return received.with_columns(packet_bytes=octets.cast(pl.Int64))


def _windows(arrivals: pl.LazyFrame, last_ns: int | None, tool: str, window_ns: int) -> pl.DataFrame:
    """Sums per flow and window, with zeros where nothing arrived but in a trace absurdly long."""
    bracketed = pl.col("src_ip").str.contains(":", literal=True)
    host = pl.when(bracketed).then(pl.format("[{}]", "src_ip")).otherwise("src_ip")
    sender = pl.when(pl.col("src_port").is_null()).then(host).otherwise(pl.format("{}:{}", host, "src_port"))
    grouped = arrivals.with_columns(sender=sender, window=pl.col("ts_ns") // window_ns)
    summed = grouped.group_by("source", "flow", "sender", "window").agg(pl.col("packet_bytes").sum())
    sums = summed.collect(engine="streaming")
    if sums.is_empty() or last_ns is None:
        return pl.DataFrame(schema=TRUTH_SCHEMA)
    flows = sums.group_by("source", "flow", "sender").agg(pl.col("window").min().alias("first"))
    last = last_ns // window_ns
    if int((last + 1 - flows["first"]).sum()) > _MOST_ROWS:
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
        .cast(TRUTH_SCHEMA)
    )
