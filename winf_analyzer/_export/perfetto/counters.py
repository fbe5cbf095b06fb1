"""Shares of the medium, retries, recommended answers, and the queues and windows of replays, as counters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from winf_analyzer._export.perfetto.writer import TraceWriter
from winf_analyzer._sql.named_queries import named_query
from winf_analyzer._util.format import format_value

if TYPE_CHECKING:
    import duckdb

BIN_S = 0.1
MAX_BINS = 50_000
"""Wider bins are used where a recording would have more."""

_RETRIES = """
select source, observer, (start_ns // $bin_ns) * $bin_ns as bin_ns,
       count(*) filter (where attempt > 1) / count(*)::double as share
from exchanges
where start_ns is not null and (starts_with(data_kind, 'data') or starts_with(data_kind, 'qos_data'))
group by all order by all
"""

_ANSWERS = """
select source, sender, receiver, window_start_ns, window_ns, available_bps / 1e6, available_low_bps / 1e6,
       available_high_bps / 1e6, capacity_bps / 1e6, own_bps / 1e6, available_tcp_bps / 1e6, grade, reasons, samples
from recommended where not whole order by source, sender, receiver, window_start_ns
"""

_FLOWS = """
select replay_id, controller, mode, seed, flow, t_ns, window_bytes / 1e3, throughput_bps / 1e6, rtt_ms,
       flight_bytes / 1e3
from replay_flows order by all
"""

_LINKS = """
select replay_id, controller, mode, seed, link, t_ns, queue_packets, utilisation, available_bps / 1e6
from replay_links order by all
"""

_FLOW_COUNTERS = (("window", "kB"), ("goodput", "Mb/s"), ("RTT", "ms"), ("in flight", "kB"))
_LINK_COUNTERS = (("queue", "packets"), ("utilisation", "share"), ("available as told to controllers", "Mb/s"))

Key = tuple[Any, ...]


def write_medium(
    writer: TraceWriter, connection: duckdb.DuckDBPyConnection, parents: dict[tuple[str, str | None], int]
) -> None:
    """Write busy share and share of retries of every view of a recording."""
    first_ns, last_ns = _one(connection, "select min(start_ns), max(end_ns) from exchanges where end_ns >= start_ns")
    bin_s = max(BIN_S, (last_ns - first_ns) / 1e9 / MAX_BINS)
    bin_ns = round(bin_s * 1e9)
    query = named_query("channel_busy")
    tracks: dict[Key, int] = {}
    previous: tuple[int, int] | None = None
    for source, observer, channel, t_s, share, _ in _all(connection, query.sql, {"window_s": bin_s}):
        key = (source, observer, channel)
        if key not in tracks:
            name = "busy share" if channel is None else f"busy share, {channel} MHz"
            tracks[key] = writer.counter_track(name, parents.get((source, observer)), unit="share")
            previous = None
        start_ns = first_ns + round(t_s * 1e9)
        if previous is not None and start_ns > previous[1] + bin_ns // 2:
            writer.count(tracks[key], previous[1], 0.0)  # nothing was on the air in between
        writer.count(tracks[key], start_ns, share)
        previous = (start_ns, start_ns + bin_ns)
    for source, observer, start_ns, share in _all(connection, _RETRIES, {"bin_ns": bin_ns}):
        view = (source, observer)
        if view not in tracks:
            text = "Data exchanges that are retries, of those that began in the bin; bins without data are left out."
            tracks[view] = writer.counter_track("retries", parents.get(view), unit="share", description=text)
        writer.count(tracks[view], start_ns, share)


def write_answers(
    writer: TraceWriter, connection: duckdb.DuckDBPyConnection, parents: dict[tuple[str, str | None], int]
) -> None:
    """Write the recommended answers: a slice per window with all its values, and a counter of available bandwidth."""
    names = ("available", "low", "high")
    facts = ("available_mbps", "low_mbps", "high_mbps", "capacity_mbps", "own_mbps", "tcp_mbps", "grade", "reasons")
    group: dict[str, int] = {}
    link: Key | None = None
    for source, sender, receiver, start_ns, window_ns, *values in _all(connection, _ANSWERS):
        if source not in group:
            parent = next((track for (name, _), track in parents.items() if name == source), None)
            group[source] = writer.track("available bandwidth", parent)
        if link != (source, sender, receiver):
            link = (source, sender, receiver)
            label = f"{sender} > {receiver}"
            slices = writer.track(label, group[source])
            counters = [
                writer.counter_track(
                    f"{label}, {name}", group[source], unit="Mb/s", shares_axis=label,
                    description="The last known value; the slices above tell windows without an answer.",
                )
                for name in names
            ]  # fmt: skip
        writer.begin(slices, start_ns, values[6], zip((*facts, "samples"), values, strict=True))
        writer.end(slices, start_ns + window_ns)
        for track, value in zip(counters, values[:3], strict=True):
            if value is not None:
                writer.count(track, start_ns, value)


def write_replays(writer: TraceWriter, connection: duckdb.DuckDBPyConnection) -> None:
    """Write the windows of flows and the queues of links, on the recording's time where a replay has one."""
    origins = dict(_all(connection, "select replay_id, coalesce(min(origin_ns), 0) from replay_summary group by all"))
    roots: dict[Key, int] = {}
    for query, counters in ((_FLOWS, _FLOW_COUNTERS), (_LINKS, _LINK_COUNTERS)):
        tracks: dict[Key, list[int]] = {}
        for replay, controller, mode, seed, name, t_ns, *values in _all(connection, query):
            run = (replay, controller, mode, seed)
            if run not in roots:
                roots[run] = writer.track(f"replay {replay}: {controller}, {format_value(mode)}, seed {seed}")
            if (*run, name) not in tracks:
                group = writer.track(name, roots[run])
                tracks[*run, name] = [writer.counter_track(what, group, unit=unit) for what, unit in counters]
            for track, value in zip(tracks[*run, name], values, strict=True):
                if value is not None:
                    writer.count(track, origins.get(replay, 0) + t_ns, value)


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> Sequence[Any]:
    row = connection.execute(query).fetchone()
    return row or ()


def _all(connection: duckdb.DuckDBPyConnection, query: str, parameters: dict[str, Any] | None = None) -> Any:
    cursor = connection.cursor()
    cursor.execute(query, parameters)
    while rows := cursor.fetchmany(10_000):
        yield from rows
