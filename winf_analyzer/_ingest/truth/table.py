"""The ``truth`` table: goodput as reported by the measurement tool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, NamedTuple

from winf_analyzer._schema import schema

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Interval:
    """One interval of one flow; times are seconds on the table's ``clock``."""

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
class ParsedLog:
    """The rows of a log, and messages about its damaged parts."""

    rows: pl.DataFrame
    damage: list[str] = field(default_factory=list)


def table(
    measurements: Iterable[Interval], *, source: str, tool: str, clock: str, origin_s: float = 0.0
) -> pl.DataFrame:
    """Rows of the table; ``origin_s`` is the time on ``clock`` that the intervals count from.

    Intervals with implausible values are left out, and what is reported twice counts once: a server of iperf3 whose
    client is interrupted repeats its last interval.
    """
    measurements = _once(measurements)
    origin_ns = round(origin_s * 1e9) if abs(origin_s) < _MAX_EPOCH_S else 0
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
        if _is_plausible(each, origin_s)
    ]
    import polars as pl

    return pl.DataFrame(rows, schema=schema("truth"))


def _once(measurements: Iterable[Interval]) -> list[Interval]:
    """Streams whose name is not known may be several that are alike."""
    known: set[Interval] = set()
    kept = []
    for each in measurements:
        if each.flow is None or each not in known:
            kept.append(each)
        known.add(each)
    return kept


def concatenated(tables: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """The rows of all tables, which may be none."""
    import polars as pl

    return pl.concat([pl.DataFrame(schema=schema("truth")), *tables])


_MAX_TEST_S = 1e9
"""Limit of start and length of an interval: 31 years."""
_MAX_EPOCH_S = 8e9
"""The year 2223; nanoseconds since 1970 end 40 years later."""
_MAX_VALUE = 1e18
"""Limit of counts and rates; it fits 64 bits."""


def _is_plausible(each: Interval, origin_s: float) -> bool:
    """False for values that only a damaged log contains."""
    in_time = 0 < each.length_s < _MAX_TEST_S and 0 <= each.start_s < _MAX_TEST_S and abs(origin_s) < _MAX_EPOCH_S
    return in_time and 0 <= each.throughput_bps < _MAX_VALUE and abs(each.lost or 0) < _MAX_VALUE


class End(NamedTuple):
    """An end point of a conversation."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def flow_name(protocol: str, one: End, other: End) -> str:
    """The conversation's name in the ``flow`` columns: lower end point first, addresses in numeric order."""
    low, high = sorted((one, other), key=_end_order)
    return f"{protocol} {low} {high}"


def _end_order(end: End) -> tuple[int, int, str, int]:
    try:
        address = ip_address(end.host)
    except ValueError:
        return (2, 0, end.host, end.port)
    return (int(isinstance(address, IPv6Address)), int(address), "", end.port)
