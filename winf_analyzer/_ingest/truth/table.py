"""The ``truth`` table: what reached the other end, as the measuring tool itself says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple

import polars as pl


class Column(NamedTuple):
    """One column of the table."""

    name: str
    dtype: pl.DataType
    meaning: str


TRUTH = (
    Column("source", pl.String(), "the log or recording"),
    Column("tool", pl.String(), "who measured: iperf3, iperf2, ns-2, ns-3 or flowmonitor"),
    Column("flow", pl.String(), "conversation, as in frames; null where the log does not name its ends"),
    Column("sender", pl.String(), "the end that sent the payload: address:port"),
    Column("side", pl.String(), "where it was measured: sender or receiver; only a receiver's is goodput"),
    Column(
        "clock",
        pl.String(),
        "what start_ns counts from: epoch (1970), simulation (its start) or test (its start, unknown)",
    ),
    Column("start_ns", pl.Int64(), "start of the window, ns"),
    Column("window_ns", pl.Int64(), "length of the window, ns"),
    Column("throughput_bps", pl.Float64(), "transport payload in the window, bit/s"),
    Column("jitter_ms", pl.Float64(), "interarrival jitter (RFC 3550) or mean delay variation, ms"),
    Column("lost", pl.Int64(), "datagrams or packets lost in the window"),
    Column("rtt_ms", pl.Float64(), "smoothed round-trip time that TCP reported, ms"),
)
"""Columns of the table."""

TRUTH_SCHEMA = pl.Schema({column.name: column.dtype for column in TRUTH})
"""Names and types of :data:`TRUTH`, in order."""


@dataclass(frozen=True)
class Measurement:
    """One window of one flow, times in seconds from what ``clock`` says."""

    flow: str | None
    sender: str | None
    side: str | None
    start_s: float
    length_s: float
    throughput_bps: float
    jitter_ms: float | None = None
    lost: int | None = None
    rtt_ms: float | None = None


@dataclass
class Truth:
    """What a log said, and what of it could not be read."""

    rows: pl.DataFrame
    damage: list[str] = field(default_factory=list)


def table(
    measurements: Iterable[Measurement], *, source: str, tool: str, clock: str, origin_s: float = 0.0
) -> pl.DataFrame:
    """Rows of the table; ``origin_s`` is the instant on ``clock`` that the measurements count from.

    Windows without length or with times no clock has are left out.
    """
    origin_ns = round(origin_s * 1e9) if abs(origin_s) < _LATEST_S else 0
    rows = [
        {
            "source": source,
            "tool": tool,
            "flow": each.flow,
            "sender": each.sender,
            "side": each.side,
            "clock": clock,
            "start_ns": origin_ns + round(each.start_s * 1e9),
            "window_ns": round(each.length_s * 1e9),
            "throughput_bps": float(each.throughput_bps),
            "jitter_ms": each.jitter_ms,
            "lost": each.lost,
            "rtt_ms": each.rtt_ms,
        }
        for each in measurements
        if _is_possible(each, origin_s)
    ]
    return pl.DataFrame(rows, schema=TRUTH_SCHEMA)


_LONGEST_S = 1e9
"""Longer ago or later than any test: 31 years."""
_LATEST_S = 8e9
"""The year 2223; nanoseconds since 1970 end 40 years later."""
_MOST = 1e18
"""More than is ever counted or transferred in a second, and less than 64 bits hold."""


def _is_possible(each: Measurement, origin_s: float) -> bool:
    """False where damage has made a number of what no test measures."""
    in_time = 0 < each.length_s < _LONGEST_S and 0 <= each.start_s < _LONGEST_S and abs(origin_s) < _LATEST_S
    return in_time and 0 <= each.throughput_bps < _MOST and abs(each.lost or 0) < _MOST


class End(NamedTuple):
    """One end of a conversation."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def flow_name(protocol: str, one: End, other: End) -> str:
    """The conversation's name in the ``flow`` columns: the lower end first, addresses in numeric order."""
    low, high = sorted((one, other), key=_order)
    return f"{protocol} {low} {high}"


def _order(end: End) -> tuple[int, int, str, int]:
    try:
        address = ip_address(end.host)
    except ValueError:
        return (2, 0, end.host, end.port)
    return (int(isinstance(address, IPv6Address)), int(address), "", end.port)
