"""Metrics of a run, from its rows of `replay_summary`, `replay_flows` and `replay_links`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import polars as pl

from winf_analyzer._papers.reproductions import _phases
from winf_analyzer._papers.reproductions._rows import HEADER_BYTES, RunTables
from winf_analyzer._replay.topologies.world import SECOND

Of = Callable[[RunTables], float | None]
"""None: nothing to average."""


class Metric(NamedTuple):
    """A metric with its axis title."""

    title: str
    of: Of


def _sum(column: str) -> Of:
    return lambda rows: float(rows.flows[column].sum())


def _mean(column: str, weight: str) -> Of:
    def mean(rows: RunTables) -> float | None:
        known = rows.flows.filter(pl.col(column).is_not_null(), pl.col(weight) > 0)
        return float((known[column] * known[weight]).sum()) / float(known[weight].sum()) if known.height else None

    return mean


def _plain_mean(column: str) -> Of:
    return lambda rows: rows.flows[column].mean()  # type: ignore[return-value]


def _window_packets(rows: RunTables) -> float | None:
    return _in_packets(rows, rows.flows["window_bytes"])


def _window_together(rows: RunTables) -> float | None:
    """Of the bins once all flows run: a mean over the run would count what a window is before its flow starts."""
    return _in_packets(rows, _together(rows).bins["window_bytes"])


def _in_packets(rows: RunTables, windows: pl.Series) -> float | None:
    known = windows.drop_nulls()
    sent = rows.flows.filter(pl.col("sent_packets") > 0)
    if not known.len() or not sent.height:
        return None
    payload = float(sent["sent_bytes"].sum()) / float(sent["sent_packets"].sum()) - HEADER_BYTES
    return float(known.mean() or 0.0) / payload  # type: ignore[arg-type]


def _jain(rows: RunTables) -> float | None:
    rates = rows.flows["throughput_bps"]
    squares = float((rates**2).sum())
    return float(rates.sum()) ** 2 / (rates.len() * squares) if squares else None


def _jain_of_bins(rows: RunTables) -> float | None:
    """Jain's index of the flows in every bin, mean of the bins."""
    rate = pl.col("throughput_bps")
    bins = rows.bins.group_by("t_ns").agg(
        squares=(rate**2).sum(), index=rate.sum() ** 2 / (rate.len() * (rate**2).sum())
    )
    return bins.filter(pl.col("squares") > 0)["index"].mean()  # type: ignore[return-value]


def _silent(rows: RunTables) -> float | None:
    """Bins of the flows without any payload, per cent; before the first that has some they do not count."""
    bins = rows.bins.sort("flow", "t_ns").filter((pl.col("throughput_bps").cum_sum() > 0).over("flow"))
    return 100.0 * float((bins["throughput_bps"] == 0).sum()) / bins.height if bins.height else None


def _share_of(part: str, whole: str, scale: float = 100.0) -> Of:
    """Two counts of the radio links, times `scale`."""

    def share(rows: RunTables) -> float | None:
        radio = rows.links.filter(pl.col("radio"))
        total = float(radio[whole].sum())
        return scale * float(radio[part].sum()) / total if total else None

    return share


def _lost(rows: RunTables) -> float | None:
    sent = float(rows.flows["sent_packets"].sum())
    lost = sum(float(rows.flows[column].sum()) for column in ("lost_queue", "lost_retry", "lost_channel", "lost_route"))
    return 100.0 * lost / sent if sent else None


def _queues(rows: RunTables) -> pl.DataFrame:
    """The bins of the node whose queues hold most packets together."""
    nodes = rows.links.group_by("sender", "t_ns").agg(pl.col("queue_packets").sum()).sort("sender", "t_ns")
    means = (
        nodes.group_by("sender").agg(pl.col("queue_packets").mean()).sort("queue_packets", "sender", descending=True)
    )
    return nodes.filter(pl.col("sender") == means["sender"][0]) if means.height else nodes


def _queue_at(node: str) -> Of:
    """Most packets in all queues of a node, mean of a bin."""

    def queue(rows: RunTables) -> float | None:
        waiting = rows.links.filter(pl.col("sender") == node).group_by("t_ns").agg(pl.col("queue_packets").sum())
        return waiting["queue_packets"].max()  # type: ignore[return-value]

    return queue


def _longest_queue(rows: RunTables) -> float | None:
    return _queues(rows)["queue_packets"].mean()  # type: ignore[return-value]


def _queue_deviation(rows: RunTables) -> float | None:
    """Standard deviation over mean."""
    queue = _queues(rows)["queue_packets"]
    mean = float(queue.mean() or 0.0)  # type: ignore[arg-type]
    return 100.0 * float(queue.std(ddof=0) or 0.0) / mean if mean else None  # type: ignore[arg-type]


def _empty(rows: RunTables) -> float | None:
    """Bins in which the longest queue holds less than one packet in the mean, per cent."""
    queue = _queues(rows)["queue_packets"]
    return 100.0 * float((queue < 1).sum()) / queue.len() if queue.len() else None


def _bin_deviation(column: str) -> Of:
    """Standard deviation over mean of a flow's bins, per cent, mean of the flows."""

    def deviation(rows: RunTables) -> float | None:
        known = rows.bins.filter(pl.col(column).is_not_null()).group_by("flow", maintain_order=True)
        flows = known.agg(mean=pl.col(column).mean(), deviation=pl.col(column).std(ddof=0)).filter(pl.col("mean") > 0)
        return 100.0 * float((flows["deviation"] / flows["mean"]).mean()) if flows.height else None  # type: ignore[arg-type]

    return deviation


def _total_deviation(rows: RunTables) -> float | None:
    total = rows.bins.group_by("t_ns").agg(pl.col("throughput_bps").sum())["throughput_bps"]
    mean = float(total.mean() or 0.0)  # type: ignore[arg-type]
    return 100.0 * float(total.std(ddof=0) or 0.0) / mean if mean else None  # type: ignore[arg-type]


def _late(rows: RunTables) -> RunTables:
    """The second half of the run."""
    half = float(rows.bins["t_ns"].max() or 0) / 2  # type: ignore[arg-type]
    return rows._replace(bins=rows.bins.filter(pl.col("t_ns") >= half))


def _early_throughput(rows: RunTables) -> float | None:
    """Of all flows together in the first 20 s."""
    bins = rows.bins.filter(pl.col("t_ns") < 20 * SECOND).group_by("t_ns").agg(pl.col("throughput_bps").sum())
    return bins["throughput_bps"].mean()  # type: ignore[return-value]


def _together(rows: RunTables) -> RunTables:
    """From when the last flow has started."""
    last = rows.flows["start_ns"].max()
    return rows._replace(bins=rows.bins.filter(pl.col("t_ns") >= last))


def _beyond(base_ms: float) -> Of:
    """Mean of the flows' mean round-trip times once all run, less those of the wires."""

    def beyond(rows: RunTables) -> float | None:
        flows = _together(rows).bins.group_by("flow", maintain_order=True).agg(pl.col("rtt_ms").mean())
        mean = flows["rtt_ms"].mean()
        return None if mean is None else float(mean) - base_ms  # type: ignore[arg-type]

    return beyond


def _jitter(rows: RunTables) -> float | None:
    """Standard deviation of a flow's round-trip times over the bins, ms, mean of the flows."""
    known = rows.bins.filter(pl.col("rtt_ms").is_not_null()).group_by("flow", maintain_order=True)
    return known.agg(pl.col("rtt_ms").std(ddof=0))["rtt_ms"].mean()  # type: ignore[return-value]


def _cuts(rows: RunTables) -> pl.DataFrame:
    """Bins at whose end a source's rate is less than 0.7 times that of the bin before."""
    before = pl.col("pacing_bps").shift().over("flow")
    return rows.bins.sort("flow", "t_ns").filter(pl.col("pacing_bps") < 0.7 * before).select("flow", "t_ns", "width_ns")


def _sequence_spread(rows: RunTables) -> float | None:
    """Mean over the instants at which flows began."""
    together = rows.flows.group_by("start_ns").agg(pl.col("sequence").max() - pl.col("sequence").min())
    return together["sequence"].mean()  # type: ignore[return-value]


def _stalled(rows: RunTables) -> float:
    """Flows that go without payload for three bins in a row after they had some."""
    bins = rows.bins.sort("flow", "t_ns").with_columns(
        begun=(pl.col("throughput_bps").cum_sum() > 0).over("flow"),
        still=(pl.col("throughput_bps").rolling_max(3) == 0).over("flow"),
    )
    return float(bins.filter(pl.col("begun"), pl.col("still"))["flow"].n_unique())


def _delivered(rows: RunTables) -> float | None:
    """Least share of a flow's sent packets that arrived, per cent."""
    sent = rows.flows.filter(pl.col("sent_packets") > 0)
    return 100.0 * float((sent["received_packets"] / sent["sent_packets"]).min()) if sent.height else None  # type: ignore[arg-type]


def _probe_overhead(rows: RunTables) -> float | None:
    """Octets of the probes over those of the flow, headers included, per cent."""
    is_probe = rows.flows["flow"].str.starts_with("probes")
    sent = rows.flows["sent_bytes"]
    carried = float(sent.filter(~is_probe).sum())
    return 100.0 * float(sent.filter(is_probe).sum()) / carried if carried else None


def _least_share(rows: RunTables) -> float | None:
    """The least throughput of a flow over the mean, per cent."""
    rates = rows.flows["throughput_bps"]
    mean = float(rates.mean() or 0.0)  # type: ignore[arg-type]
    return 100.0 * float(rates.min()) / mean if mean else None  # type: ignore[arg-type]


def _starved(rows: RunTables) -> float:
    """Flows with less than a quarter of the mean throughput."""
    rates = rows.flows["throughput_bps"]
    return float((4 * rates < float(rates.mean() or 0.0)).sum())  # type: ignore[arg-type]


def _ratio_of_means(column: str, over: str) -> Of:
    """Two columns of the bins of flows, in the bins where both are known."""

    def ratio(rows: RunTables) -> float | None:
        known = rows.bins.filter(pl.col(column).is_not_null(), pl.col(over) > 0)
        return float(known[column].sum()) / float(known[over].sum()) if known.height else None

    return ratio


def _acks(rows: RunTables) -> float | None:
    packets = float(rows.bins["received_packets"].sum())
    return 100.0 * float(rows.bins["received_acks"].sum()) / packets if packets else None


def _reversals(rows: RunTables) -> float:
    """Mean over the flows of how often the window turns from growing to shrinking, per second."""
    step = pl.col("window_bytes").diff().over("flow")
    moved = rows.bins.sort("flow", "t_ns").with_columns(step=step).filter(pl.col("step") != 0)
    turned = moved.with_columns(turn=(pl.col("step") < 0) & (pl.col("step").shift().over("flow") > 0))
    spans = rows.bins.group_by("flow").agg(seconds=pl.col("width_ns").sum() / 1e9)
    return float(turned["turn"].sum()) / float(spans["seconds"].sum())


def _share(rows: RunTables) -> float | None:
    return 100.0 * rows.flows.height / rows.bins.height if rows.bins.height else None


def _use_of(link: str) -> Of:
    """Share of the time in which a link had something to send or was sending, per cent."""

    def use(rows: RunTables) -> float | None:
        mean = rows.links.filter(pl.col("link") == link)["utilisation"].mean()
        return None if mean is None else 100.0 * float(mean)  # type: ignore[arg-type]

    return use


def _congested(rows: RunTables) -> float | None:
    """Share of the time in which the rule of the controller took the links for congested, per cent."""
    mean = rows.links["congested_share"].mean()
    return None if mean is None else 100.0 * float(mean)  # type: ignore[arg-type]


def _settled(rows: RunTables) -> float | None:
    """Seconds after which every source's rate has come to 90 % of its mean in the second half."""
    late = _late(rows).bins.group_by("flow").agg(final=pl.col("pacing_bps").mean())
    reached = (
        rows.bins.join(late, on="flow")
        .filter(pl.col("pacing_bps") >= 0.9 * pl.col("final"))
        .group_by("flow")
        .agg(pl.col("t_ns").min())
    )
    return float(reached["t_ns"].max()) / 1e9 if reached.height else None  # type: ignore[arg-type]


METRICS: Mapping[str, Metric] = {
    "throughput": Metric("throughput, bit/s", _sum("throughput_bps")),
    "early_throughput": Metric("throughput of the first 20 s, bit/s", _early_throughput),
    "flow_throughput": Metric("throughput of a flow, bit/s", _plain_mean("throughput_bps")),
    "delay": Metric("delay, ms", _mean("delay_ms", "received_packets")),
    "received": Metric("received packets", _sum("received_packets")),
    "data_packets": Metric(
        "data packets sent, repetitions left out",
        lambda rows: _sum("sent_packets")(rows) - _sum("retransmissions")(rows),  # type: ignore[operator]
    ),
    "packet": Metric("octets of a packet", lambda rows: _sum("sent_bytes")(rows) / _sum("sent_packets")(rows)),  # type: ignore[operator]
    "queue": Metric("packets in the queues of a path", lambda rows: rows.flows["queue_packets"].mean()),  # type: ignore[arg-type, return-value]
    "rtt": Metric("round-trip time, ms", _mean("rtt_ms", "sent_packets")),
    "rtt_most": Metric("largest mean round-trip time of a bin, ms", lambda rows: rows.bins["rtt_ms"].max()),  # type: ignore[arg-type, return-value]
    "path_bandwidth": Metric("bandwidth that the hops measured, bit/s", _plain_mean("path_bandwidth_bps")),
    "path_bandwidth_of_bins": Metric(
        "bandwidth that the hops measured, bit/s",
        lambda rows: rows.bins["path_bandwidth_bps"].mean(),  # type: ignore[arg-type, return-value]
    ),
    "path_delay": Metric("delay there and back that the hops measured, ms", _plain_mean("path_delay_ms")),
    "bandwidth_over_throughput": Metric(
        "bandwidth that the hops measured, over the throughput", _ratio_of_means("path_bandwidth_bps", "throughput_bps")
    ),
    "rtt_over_path_delay": Metric(
        "round-trip time of TCP, over the delay that the hops measured", _ratio_of_means("rtt_ms", "path_delay_ms")
    ),
    "acks": Metric("acknowledgements that arrived, % of the data packets that did", _acks),
    "reversals": Metric("turns of a source's window from growing to shrinking, per second", _reversals),
    "share": Metric("samples, %", _share),
    "window": Metric("mean window, packets", _window_packets),
    "window_together": Metric("mean window once all flows run, packets", _window_together),
    "pacing": Metric("rate of the source, bit/s", _plain_mean("pacing_bps")),
    "sequence": Metric("packets of a flow that reached the destination", _plain_mean("sequence")),
    "sequence_spread": Metric("packets between the first and the last of flows that began together", _sequence_spread),
    "jain": Metric("Jain's index", _jain),
    "jain_of_bins": Metric("Jain's index of a bin", _jain_of_bins),
    "deviation": Metric(
        "standard deviation over mean of a flow's throughput, %",
        lambda rows: _percent(_plain_mean("normalised_deviation")(rows)),
    ),
    "silent": Metric("time without payload, %", _silent),
    "timeouts": Metric("timeouts", _sum("timeouts")),
    "lost": Metric("lost packets, acknowledgements included, % of the data sent", _lost),
    "lost_at_mac": Metric("packets that the MAC gave up", _sum("lost_retry")),
    "collided": Metric("attempts that met another frame, %", _share_of("failed_collision", "attempts")),
    "dropped": Metric("packets that did not fit into a queue", lambda rows: float(rows.links["dropped_queue"].sum())),
    "total_deviation": Metric(
        "standard deviation over mean of the throughput of all flows together, %", _total_deviation
    ),
    "bin_deviation": Metric("standard deviation over mean of a flow's bins, %", _bin_deviation("throughput_bps")),
    "late_deviation": Metric(
        "standard deviation over mean of a source's rate in the second half, %",
        lambda rows: _bin_deviation("pacing_bps")(_late(rows)),
    ),
    "deviation_together": Metric(
        "standard deviation over mean of a flow's bins once all run, %",
        lambda rows: _bin_deviation("throughput_bps")(_together(rows)),
    ),
    "beyond_102_ms": Metric("round-trip time beyond the 102 ms of the wires once all flows run, ms", _beyond(102.0)),
    "collided_share": Metric("attempts that met another frame, of all", _share_of("failed_collision", "attempts", 1.0)),
    "capacity": Metric("capacity, bit/s", lambda _: None),
    "available": Metric("available bandwidth, bit/s", lambda _: None),
    "value": Metric("as the column says", lambda _: None),
    "jitter": Metric("standard deviation of round-trip times, ms", _jitter),
    "cuts": Metric("cuts of a source's rate", lambda rows: float(_cuts(rows).height)),
    "stalled": Metric("flows without payload for three bins in a row", _stalled),
    "empty": Metric("time with less than a packet in the queues of the busiest node, %", _empty),
    "delivered": Metric("packets that arrived, of the flow with the fewest, %", _delivered),
    **{
        f"use of {link}": Metric(f"time in which {link} is used, %", _use_of(link))
        for link in ("1 > 2", "4 > 5", "7 > 8", "4 > 3")
    },
    **{name: Metric(title, of) for name, (title, of) in _phases.metrics().items()},
    "congested": Metric("time in which a link is congested, %", _congested),
    "settled": Metric("time until every rate is at 90 % of where it stays, s", _settled),
    "probe_overhead": Metric("octets of probes, % of the flow's", _probe_overhead),
    "least_share": Metric("least throughput of a flow, % of the mean", _least_share),
    "least_throughput": Metric(
        "least throughput of a flow, bit/s",
        lambda rows: float(rows.flows["throughput_bps"].min() or 0.0),  # type: ignore[arg-type]
    ),
    "starved": Metric("flows with less than a quarter of the mean", _starved),
    "queue_at_n2": Metric("most packets in the queues of N2", _queue_at("N2")),
    "queue_at_mobile": Metric("most packets in the queues of a mobile", _queue_at("mobile-0")),
    "longest_queue": Metric("packets in the queues of the busiest node", _longest_queue),
    "queue_deviation": Metric("standard deviation over mean of the busiest node's queues, %", _queue_deviation),
}
"""Every metric by name."""


def _percent(share: float | None) -> float | None:
    return None if share is None else 100.0 * share
